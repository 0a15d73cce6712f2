import type { VegaSpec } from "../chart.ts";
import { type Cell, cellsLeft, cellsOf, type CellsPlan, cellTexts } from "../drawing/cells.ts";
import { formatCount, formatterFor } from "../format.ts";
import type { ChartLook } from "../look.ts";
import { theme } from "../theme.ts";
import { faded, quiet, selectionOf, vegaSpec } from "./vega_parts.ts";

const UNKNOWN = "not known";
const SAYS = "datum.cohort + ', month ' + datum.month + ': ' + datum.share + ' still active' + " +
  `(datum.users === '${UNKNOWN}' ? '' : ', ' + datum.active + ' of ' + datum.users) + ` +
  "(datum.running ? ', the month is not over' : '')";

/** Returns a row of data for each cell. */
function valuesOf(cells: readonly Cell[], plan: CellsPlan, look: ChartLook) {
  const { labels, sizes, sizeWidth, left } = cellsLeft(plan, look);
  const exact = formatterFor([0.123], { unit: "fraction", locale: look.locale });
  const texts = cellTexts(plan, cells, look, (look.inner - left) / plan.columns.length);
  const values = cells.map((cell) => {
    const { row, column, value, ink, step } = cell;
    const { label, sizes: users, running } = plan.rows[row]!;
    const size = users?.[column] ?? null;
    return {
      row: sizeWidth === 0 ? label : `${label} · ${sizes[row]}`,
      cohort: label,
      month: Number(plan.columns[column]),
      retention: value,
      ink,
      ...column === plan.start ? {} : { step: step.label },
      ...column === running ? { running: true } : {},
      text: texts?.shows(cell) ? texts.write(value) : "",
      share: exact(value),
      users: size === null ? UNKNOWN : `${formatCount(size, look.locale)} users`,
      active: size === null ? UNKNOWN : formatCount(size * value, look.locale),
    };
  });
  return { values, left, rowHeight: labels.rowHeight, size: texts?.size ?? theme.label.size };
}

/** Returns the Vega-Lite spec of a cohort triangle. The legend selects cells by color. */
export function cellsSpec(plan: CellsPlan, look: ChartLook): VegaSpec {
  const { cells, steps } = cellsOf(plan, look.locale);
  const { values, left, rowHeight, size } = valuesOf(cells, plan, look);
  const height = plan.rows.length * rowHeight;
  return vegaSpec(look, {
    height,
    below: 14,
    left,
    rest: {
      data: { values },
      encoding: {
        x: {
          field: "month",
          type: "ordinal",
          title: plan.across ?? null,
          scale: { domain: plan.columns.map(Number) },
          axis: { orient: "top", domain: false, ticks: false },
        },
        y: { field: "row", type: "nominal", sort: null, title: null },
      },
    },
    layer: [
      {
        name: "cells",
        params: [selectionOf("step")],
        mark: { type: "rect", stroke: theme.paper, strokeWidth: 1.5, description: { expr: SAYS } },
        encoding: {
          color: {
            field: "step",
            type: "nominal",
            scale: {
              domain: steps.map(({ label }) => label),
              range: steps.map(({ color }) => color),
              unknown: theme.grid,
            },
            legend: {
              title: plan.title,
              orient: "top",
              symbolType: "square",
              columns: look.inner < 520 ? 2 : 4,
            },
          },
          opacity: faded,
          tooltip: [
            { field: "cohort", title: "title" },
            { field: "month" },
            { field: "share", title: "still active" },
            { field: "users", title: "users observed" },
            { field: "active", title: "users still active" },
          ],
        },
      },
      {
        transform: [{ filter: "datum.running" }],
        mark: { type: "rect", filled: false, stroke: theme.muted, strokeDash: [2, 2], ...quiet },
      },
      {
        transform: [{ filter: "datum.text" }],
        mark: { type: "text", fontSize: size, ...quiet },
        encoding: {
          text: { field: "text" },
          color: { field: "ink", type: "nominal", scale: null },
        },
      },
    ],
  });
}
