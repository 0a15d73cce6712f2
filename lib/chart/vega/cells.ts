import type { VegaSpec } from "../chart.ts";
import { cellsLeft, type CellsPlan, type ColoredCell, coloredCells } from "../drawing/cells.ts";
import type { Look } from "../look.ts";
import { theme } from "../theme.ts";
import { joined } from "../words.ts";
import { faded, namesAxis, quiet, selectionOf, vegaSpec } from "./vega_parts.ts";

const SAYS = "datum.cohort + ', month ' + datum.month + ': ' + format(datum.retention, '.1%') + " +
  "' still active' + (isValid(datum.users) ? ', ' + format(datum.active, ',.0f') + ' of ' + " +
  "format(datum.users, ',') + ' users' : '') + (datum.running ? ', the month is not over' : '')";

/** The narrowest cell whose share is written in it, in pixels. */
const NARROWEST = 32;

/** Returns a row of data for each cell, and for each month that is not over. */
function valuesOf(cells: readonly ColoredCell[], plan: CellsPlan, look: Look) {
  const { labels, sizes, sizeWidth, left } = cellsLeft(plan, look);
  const names = plan.rows.map(({ label }, row) =>
    sizeWidth === 0 ? label : `${label} · ${sizes[row]}`
  );
  const at = (row: number, column: number) => ({
    ...{ row: names[row], cohort: plan.rows[row]!.label, month: Number(plan.columns[column]) },
    ...column === plan.rows[row]!.running ? { running: true } : {},
  });
  const known = cells.map(({ row, column, value, ink, step }) => {
    const size = plan.rows[row]!.sizes?.[column] ?? null;
    return {
      ...at(row, column),
      retention: value,
      ink,
      ...column === plan.start ? {} : { step: step.label },
      ...size === null ? {} : { users: size, active: size * value },
    };
  });
  const open = plan.rows.flatMap(({ running = null, values }, row) =>
    running === null || (values[running] ?? null) !== null ? [] : [at(row, running)]
  );
  const heading = joined([plan.down, sizeWidth === 0 ? "" : "users"], " · ");
  return { values: [...known, ...open], names, heading, left, rowHeight: labels.rowHeight };
}

/** Returns the Vega-Lite spec of a cohort triangle. The legend selects cells by color. */
export function cellsSpec(plan: CellsPlan, look: Look): VegaSpec {
  const { cells, steps } = coloredCells(plan, look.locale);
  const { values, names, heading, left, rowHeight } = valuesOf(cells, plan, look);
  const wide = (look.inner - left) / plan.columns.length >= NARROWEST;
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
        y: {
          field: "row",
          type: "nominal",
          title: heading,
          scale: { domain: names },
          axis: { ...namesAxis(left), titleAngle: 0, titleAlign: "right", titleX: -6, titleY: -12 },
        },
      },
    },
    layer: [
      {
        name: "cells",
        params: [selectionOf("step")],
        transform: [{ filter: "isValid(datum.retention)" }],
        mark: { type: "rect", stroke: theme.paper, strokeWidth: 1.5, description: { expr: SAYS } },
        encoding: {
          color: {
            condition: { test: "!isValid(datum.step)", value: theme.grid },
            field: "step",
            type: "nominal",
            scale: {
              domain: steps.map(({ label }) => label),
              range: steps.map(({ color }) => color),
            },
            legend: {
              title: plan.title,
              orient: "top",
              ...{ symbolType: "square", symbolSize: 150 },
              columns: look.inner < 520 ? 2 : 4,
            },
          },
          opacity: faded,
          tooltip: [
            { field: "cohort", title: "title" },
            { field: "month" },
            { field: "retention", title: "still active", format: ".1%" },
            { field: "users", title: "users observed", format: "," },
            { field: "active", title: "users still active", format: ",.0f" },
          ],
        },
      },
      {
        transform: [{ filter: "datum.running" }],
        mark: { type: "rect", filled: false, stroke: theme.muted, strokeDash: [2, 2], ...quiet },
      },
      ...wide
        ? [{
          // A share of 1000% or more is wider than its cell.
          transform: [{ filter: "isValid(datum.step) && abs(datum.retention) < 9.995" }],
          mark: { type: "text", ...quiet },
          encoding: {
            text: { field: "retention", type: "quantitative", format: ".0%" },
            color: { field: "ink", type: "nominal", scale: null },
          },
        }]
        : [],
    ],
  });
}
