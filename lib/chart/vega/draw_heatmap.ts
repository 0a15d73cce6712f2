import type { VegaSpec } from "../chart.ts";
import { formatCount, formatterFor } from "../format.ts";
import { type HeatmapView, type HeatTable, heatTable } from "../plot/draw_heatmap.ts";
import { rowLabels, textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { literalOf, noDataSpec, rowAxis, topLegend, vegaSpec } from "./vega_parts.ts";

/** The room for the size of a cohort. */
const USERS = 70;
const START = "month 0";

/** A row of data for each cell that was observed. */
function valuesOf({ rows, cells }: HeatTable, { locale }: HeatmapView) {
  const exact = formatterFor([0.123], { unit: "share", locale });
  return cells.map(({ row, month, retention, text, step }) => {
    const { label, size } = rows[row]!;
    return {
      ...{ cohort: label, month, retention, text, ink: step.ink },
      step: month === 0 ? START : step.label,
      share: exact(retention),
      users: size === null ? "not known" : `${formatCount(size, locale)} users`,
      active: size === null ? "not known" : formatCount(size * retention, locale),
    };
  });
}

function cellLayer({ steps }: HeatTable, { width, left }: { width: number; left: number }) {
  const labels = steps.map(({ label }) => label);
  const fade = { condition: { param: "steps", value: 1 }, value: 0.1 };
  // The legend is one row: it names where each step begins.
  const short = Object.fromEntries(
    steps.map(({ label }) => [label, label.replace(/–.*| or more/, "").replace(/%$/, "")]),
  );
  return {
    params: [{ name: "steps", select: { type: "point", fields: ["step"] }, bind: "legend" }],
    mark: { type: "rect", stroke: theme.paper, strokeWidth: 1.5 },
    encoding: {
      color: {
        field: "step",
        type: "ordinal",
        scale: {
          domain: [START, ...labels],
          range: [theme.grid, ...steps.map(({ color }) => color)],
        },
        legend: {
          ...topLegend(Object.values(short), { width, left }),
          ...{ values: labels, symbolType: "square", title: "Still active, % from" },
          labelExpr: `${literalOf(short)}[datum.label]`,
        },
      },
      opacity: fade,
      tooltip: [
        { field: "cohort", title: "cohort" },
        { field: "month", title: "month" },
        { field: "share", title: "still active" },
        { field: "users", title: "at the start" },
        { field: "active", title: "users still active" },
      ],
    },
  };
}

function textLayers(
  table: HeatTable,
  { view, cell }: { view: HeatmapView; cell: number },
): VegaSpec[] {
  const { rows, cells, months } = table;
  const widest = Math.max(...cells.map(({ text }) => textWidth(text, theme.label)));
  const mark = { type: "text", fontSize: theme.label.size, tooltip: null };
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
  return vegaSpec({
    ...{ ...view, height: rows.length * names.rowHeight, below: 14, left },
    rest: {
      data: { values: valuesOf(table, view) },
      encoding: {
        x: {
          field: "month",
          type: "ordinal",
          title: "Months since the cohort began",
          scale: { domain: months },
          axis: { orient: "top", labelAngle: 0, domain: false, ticks: false },
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
    layer: [cellLayer(table, { width, left }), ...textLayers(table, { view, cell })],
  });
}
