import type { VegaSpec } from "../chart.ts";
import { formatCount, formatterFor } from "../format.ts";
import { type HeatmapView, type HeatTable, heatTable } from "../plot/draw_heatmap.ts";
import { rowLabels, textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { rampLayers } from "./step_ramp.ts";
import { HEADING, noDataSpec, rowAxis, vegaSpec } from "./vega_parts.ts";

/** The room for the size of a cohort. */
const USERS = 54;
const START = "month 0";
const UNKNOWN = "not known";

/** A cell in words. */
const SAYS = "datum.cohort + ', month ' + datum.month + ': ' + datum.share + ' still active' + " +
  `(datum.users === '${UNKNOWN}' ? '' : ', ' + datum.active + ' of ' + datum.users)`;

/** A row of data for each cell that was observed. */
function valuesOf({ rows, cells }: HeatTable, { locale }: HeatmapView) {
  const exact = formatterFor([0.123], { unit: "share", locale });
  return cells.map(({ row, month, retention, text, step }) => {
    const { label, points } = rows[row]!;
    // Not every cohort is old enough for each month: those who were count.
    const size = points.find((point) => point.month === month)!.size;
    return {
      ...{ cohort: label, month, retention, text, ink: step.ink },
      step: month === 0 ? START : step.label,
      share: exact(retention),
      users: size === null ? UNKNOWN : `${formatCount(size, locale)} users`,
      active: size === null ? UNKNOWN : formatCount(size * retention, locale),
    };
  });
}

function cellLayer({ steps }: HeatTable): VegaSpec {
  const labels = steps.map(({ label }) => label);
  const fade = { condition: { param: "steps", value: 1 }, value: 0.1 };
  return {
    name: "cells",
    mark: {
      ...{ type: "rect", stroke: theme.paper, strokeWidth: 1.5 },
      description: { expr: SAYS },
    },
    encoding: {
      color: {
        field: "step",
        type: "ordinal",
        scale: {
          domain: [START, ...labels],
          range: [theme.grid, ...steps.map(({ color }) => color)],
        },
        legend: null,
      },
      opacity: fade,
      tooltip: [
        { field: "cohort", title: HEADING },
        { field: "month", title: "month" },
        { field: "share", title: "still active" },
        { field: "users", title: "users observed" },
        { field: "active", title: "users still active" },
      ],
    },
  };
}

/** The heads of the columns at the left, and the line below what stands for all cohorts. */
function headLayers(view: HeatmapView, { left, row }: { left: number; row: number }): VegaSpec[] {
  const head = (text: string, x: number) => ({
    data: { values: [{ text }] },
    mark: {
      ...{ type: "text", fontSize: theme.label.size, align: "right", clip: false },
      ...{ tooltip: null, aria: false },
    },
    encoding: {
      ...{ x: { value: x }, y: { value: -11 }, color: { value: theme.muted } },
      text: { field: "text", type: "nominal" },
    },
  });
  return [
    head("Cohort", -USERS),
    head("Users", -8),
    ...view.average === null ? [] : [{
      data: { values: [{}] },
      mark: { type: "rule", color: theme.muted, clip: false, tooltip: null, aria: false },
      encoding: { x: { value: -left }, x2: { value: "width" }, y: { value: row } },
    }],
  ];
}

function textLayers(
  table: HeatTable,
  { view, cell }: { view: HeatmapView; cell: number },
): VegaSpec[] {
  const { rows, cells, months } = table;
  const widest = Math.max(...cells.map(({ text }) => textWidth(text, theme.label)));
  const mark = { type: "text", fontSize: theme.label.size, tooltip: null, aria: false };
  const running = rows.flatMap(({ label, running }) =>
    running !== null && months.includes(running) ? [{ cohort: label, month: running }] : []
  );
  return [
    {
      data: {
        values: rows.map(({ label, size }) => ({
          cohort: label,
          users: size === null ? "–" : formatCount(size, view.locale),
        })),
      },
      mark: { ...mark, align: "right", color: theme.muted },
      encoding: { x: { value: -8 }, text: { field: "users", type: "nominal" } },
    },
    ...running.length === 0 ? [] : [{
      data: { values: running },
      mark: {
        ...{ type: "rect", fillOpacity: 0, stroke: theme.muted, strokeDash: [2, 2] },
        tooltip: null,
        description: {
          expr: "datum.cohort + ', month ' + datum.month + ': the month is not over'",
        },
      },
    }],
    ...widest + 3 > cell ? [] : [{
      mark,
      encoding: {
        text: { field: "text", type: "nominal" },
        color: { field: "ink", type: "nominal", scale: null },
        opacity: { condition: { param: "steps", value: 1 }, value: 0.1 },
      },
    }],
  ];
}

/** The users on whom the average of each month rests, below the months, as far as there is room. */
function observedLayers(
  { average, locale }: HeatmapView,
  { cell, left, height }: { cell: number; left: number; height: number },
): VegaSpec[] {
  const known = average!.points.flatMap(({ month, size }) =>
    size === null ? [] : [{ month, users: formatCount(size, locale) }]
  );
  const widest = Math.max(0, ...known.map(({ users }) => textWidth(users, theme.label)));
  const step = Math.ceil((widest + 4) / cell);
  const names = ["Users observed", "Users"];
  const users = names.find((name) => textWidth(name, theme.label) + 8 <= left) ?? "";
  const mark = {
    ...{ type: "text", fontSize: theme.label.size, color: theme.muted, baseline: "middle" },
    ...{ clip: false, tooltip: null, aria: false },
  };
  const encoding = { y: { value: height + 16 }, text: { field: "users", type: "nominal" } };
  return [
    {
      data: { values: [{ users }] },
      mark: { ...mark, align: "right" },
      encoding: { ...encoding, x: { value: -8 } },
    },
    {
      // One wider than its month has room at both sides.
      data: { values: known.filter((_, index) => index % step === Math.floor(step / 2)) },
      mark,
      encoding,
    },
  ];
}

/** The spec of a cohort triangle. */
export function heatmapSpec(view: HeatmapView): VegaSpec {
  const { about, width, cohorts } = view;
  if (cohorts.length === 0) return noDataSpec(about, view);
  const table = heatTable(view);
  const { rows, months } = table;
  const labels = rows.map(({ label }) => label);
  const names = rowLabels(labels, width);
  const left = names.width + USERS;
  const cell = (width - 2 * theme.padding - left) / months.length;
  const height = rows.length * names.rowHeight;
  const observed = view.average === null ? [] : observedLayers(view, { cell, left, height });
  return vegaSpec({
    ...{ ...view, height, below: observed.length === 0 ? 14 : 34, left },
    hint: "Click a step of the legend to see it alone",
    rest: {
      data: { values: valuesOf(table, view) },
      encoding: {
        x: {
          field: "month",
          type: "ordinal",
          title: "Months since the cohort began",
          scale: { domain: months },
          axis: {
            ...{ orient: "top", labelAngle: 0, domain: false, ticks: false },
            ...{ labelOverlap: true, labelSeparation: 4 },
          },
        },
        y: {
          field: "cohort",
          type: "ordinal",
          title: null,
          scale: { domain: labels },
          axis: rowAxis(labels, names, USERS),
        },
      },
    },
    layer: [
      cellLayer(table),
      ...textLayers(table, { view, cell }),
      ...observed,
      ...headLayers(view, { left, row: names.rowHeight }),
      ...rampLayers(table, { left, width: width - 2 * theme.padding, locale: view.locale }),
    ],
  });
}
