import type { VegaSpec } from "../chart.ts";
import {
  type Cell,
  cellsLeft,
  cellsOf,
  type CellsPlan,
  cellTexts,
  observedTexts,
} from "../drawing/cells.ts";
import type { ColorStep } from "../drawing/color_steps.ts";
import { formatCount, formatterFor } from "../format.ts";
import type { ChartLook } from "../look.ts";
import { theme } from "../theme.ts";
import { HEADING, literalOf, rowAxis, SILENT, textLayer, vegaSpec } from "./vega_parts.ts";

const UNKNOWN = "not known";
const SAYS = "datum.cohort + ', month ' + datum.month + ': ' + datum.share + ' still active' + " +
  `(datum.users === '${UNKNOWN}' ? '' : ', ' + datum.active + ' of ' + datum.users)`;

/** Returns a row of data for each cell. */
function valuesOf(cells: readonly Cell[], plan: CellsPlan, { locale }: ChartLook) {
  const exact = formatterFor([0.123], { unit: "share", locale });
  return cells.map(({ row, column, value, color, ink, step }) => {
    const { label, sizes } = plan.rows[row]!;
    const size = sizes?.[column] ?? null;
    return {
      cohort: label,
      month: Number(plan.columns[column]),
      retention: value,
      color,
      ink,
      ...column === plan.start ? {} : { step: step.label },
      share: exact(value),
      users: size === null ? UNKNOWN : `${formatCount(size, locale)} users`,
      active: size === null ? UNKNOWN : formatCount(size * value, locale),
    };
  });
}

const CELLS: VegaSpec = {
  name: "cells",
  mark: { type: "rect", stroke: theme.paper, strokeWidth: 1.5, description: { expr: SAYS } },
  encoding: {
    fill: { field: "color", type: "nominal", scale: null },
    tooltip: [
      { field: "cohort", title: HEADING },
      { field: "month", title: "month" },
      { field: "share", title: "still active" },
      { field: "users", title: "users observed" },
      { field: "active", title: "users still active" },
    ],
  },
};

/** The layer that outlines the cells whose color is selected in the legend. */
const OUTLINE: VegaSpec = {
  transform: [{ filter: { param: "steps", empty: false } }],
  mark: {
    type: "rect",
    fillOpacity: 0,
    stroke: theme.ink,
    strokeWidth: 2,
    tooltip: null,
    aria: false,
  },
};

/** Draws the number of users of each cohort, the outlines of incomplete months, and the line below the average. */
function sideLayers(plan: CellsPlan, look: ChartLook): VegaSpec[] {
  const { rows, columns, average = false } = plan;
  const { labels, sizes, sizeWidth, left } = cellsLeft(plan, look);
  const head = (text: string, x: number) =>
    textLayer([{ text }], { x: { value: x }, y: { value: -11 } }, { align: "right" });
  const users = rows.map(({ label }, row) => ({ cohort: label, text: sizes[row] }));
  const running = rows.flatMap(({ label, running = null }) =>
    running === null ? [] : [{ cohort: label, month: Number(columns[running]) }]
  );
  return [
    head("Cohort", -sizeWidth - 8),
    ...sizeWidth === 0
      ? []
      : [head("Users", -8), textLayer(users, { x: { value: -8 } }, { align: "right" })],
    ...running.length === 0 ? [] : [{
      data: { values: running },
      mark: {
        type: "rect",
        fillOpacity: 0,
        stroke: theme.muted,
        strokeDash: [2, 2],
        tooltip: null,
        description: {
          expr: "datum.cohort + ', month ' + datum.month + ': the month is not over'",
        },
      },
    }],
    ...average
      ? [{
        data: { values: [{}] },
        mark: { type: "rule", color: theme.muted, ...SILENT },
        encoding: { x: { value: -left }, x2: { value: "width" }, y: { value: labels.rowHeight } },
      }]
      : [],
  ];
}

/** Writes the number of users in each month's average, below the month. Numbers that do not fit are left out. */
function observedLayers(
  { observed, columns }: CellsPlan,
  look: ChartLook,
  { height, ...size }: { readonly cell: number; readonly left: number; readonly height: number },
): VegaSpec[] {
  if (observed === undefined) return [];
  const { name, texts } = observedTexts(observed, look, size);
  const y = { value: height + 16 };
  const values = texts.map(({ column, text }) => ({ month: Number(columns[column]), text }));
  return [
    textLayer([{ text: name }], { x: { value: -8 }, y }, { align: "right", baseline: "middle" }),
    textLayer(values, { y }, { baseline: "middle" }),
  ];
}

/** The position of the legend above the plot, and its size. */
const RAMP = { top: -88, height: 11, step: 52 };

/** Draws the legend: one row of selectable colors. Below the row are the values at the edges of the colors. */
function rampLayers(steps: readonly ColorStep[], left: number, look: ChartLook): VegaSpec[] {
  const step = Math.min(RAMP.step, Math.floor((look.inner - 30) / steps.length));
  const values = steps.map(({ label, edge, color }, index) => ({
    step: label,
    color,
    from: 14 - left + index * step,
    to: 14 - left + (index + 1) * step,
    text: edge,
    says: `show ${label}`,
    chosen: `${label}, shown`,
  }));
  const x = { value: { expr: "datum.from" } };
  const sides = {
    x,
    x2: { value: { expr: "datum.to" } },
    y: { value: RAMP.top },
    y2: { value: RAMP.top + RAMP.height },
  };
  const heading = { x: { value: -left }, y: { value: RAMP.top - 4 } };
  return [
    {
      name: "ramp",
      data: { values },
      params: [{
        name: "steps",
        select: { type: "point", fields: ["step"], on: "@ramp_marks:click", toggle: "true" },
      }],
      mark: { type: "rect", clip: false, cursor: "pointer", tooltip: null },
      encoding: {
        ...sides,
        fill: { field: "color", type: "nominal", scale: null },
        description: {
          condition: { param: "steps", empty: false, field: "chosen" },
          field: "says",
        },
      },
    },
    { data: { values }, ...OUTLINE, encoding: sides },
    textLayer(values, { x, y: { value: RAMP.top + RAMP.height + 4 } }, { baseline: "top" }),
    textLayer([{ text: "Still active" }], heading, { align: "left", baseline: "bottom" }),
  ];
}

/** Returns the Vega-Lite spec of a cohort triangle. */
export function cellsSpec(plan: CellsPlan, look: ChartLook): VegaSpec {
  const { rows, columns } = plan;
  const { cells, steps } = cellsOf(plan, look.locale);
  const { labels, sizeWidth, left } = cellsLeft(plan, look);
  const cell = (look.inner - left) / columns.length;
  const height = rows.length * labels.rowHeight;
  const texts = cellTexts(plan, cells, look, cell);
  const names = rows.map(({ label }) => label);
  const lines = literalOf(Object.fromEntries(names.map((name, row) => [name, labels.lines[row]])));
  const values = valuesOf(cells, plan, look).map((value, at) => ({
    ...value,
    text: texts?.shows(cells[at]!) ? texts.write(value.retention) : "",
  }));
  return vegaSpec(look, {
    height,
    below: plan.observed === undefined ? 14 : 34,
    left,
    hint: "Choose a step of the legend to outline its cells.",
    rest: {
      data: { values },
      encoding: {
        x: {
          field: "month",
          type: "ordinal",
          title: plan.across ?? null,
          scale: { domain: columns.map(Number) },
          axis: {
            orient: "top",
            labelAngle: 0,
            domain: false,
            ticks: false,
            labelOverlap: true,
            labelSeparation: 4,
          },
        },
        y: {
          field: "cohort",
          type: "ordinal",
          title: null,
          scale: { domain: names },
          axis: rowAxis(`${lines}[datum.value]`, sizeWidth + 8),
        },
      },
    },
    layer: [
      CELLS,
      ...sideLayers(plan, look),
      ...texts === null ? [] : [{
        mark: { type: "text", fontSize: texts.size, ...SILENT },
        encoding: {
          text: { field: "text", type: "nominal" },
          color: { field: "ink", type: "nominal", scale: null },
        },
      }],
      OUTLINE,
      ...observedLayers(plan, look, { cell, left, height }),
      ...rampLayers(steps, left, look),
    ],
  });
}
