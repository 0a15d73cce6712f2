import type { DataFrame } from "../../table/polars.ts";
import {
  type HeatmapView,
  heatmapView,
  type RetentionHeatmapOptions,
  stepOf,
} from "../read/heatmap.ts";
import { formatNumber, formatPercent, shortShare } from "../text/format.ts";
import { rowLabels, textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { type VegaChart, vegaChart } from "./draw_vega.ts";
import { noDataSpec, rowAxis, topLegend, type VegaSpec, vegaSpec } from "./vega_parts.ts";

/** The room for the size of a cohort. */
const USERS = 78;

function usersOf(size: number | null): string {
  return size === null ? "not known" : `${formatNumber(size)} users`;
}

/** A row of data for each cell that was observed. */
function valuesOf({ cohorts, steps }: HeatmapView): Record<string, unknown>[] {
  return cohorts.flatMap(({ label, size, points }) =>
    points.flatMap(({ month, retention }) => {
      if (retention === null) return [];
      const step = stepOf(steps, retention);
      return [{
        cohort: label,
        month,
        retention,
        step: step.label,
        ink: step.ink,
        text: shortShare(retention),
        share: formatPercent(retention),
        users: usersOf(size),
        active: size === null ? "not known" : formatNumber(size * retention),
      }];
    })
  );
}

function bodyOf(view: HeatmapView): VegaSpec {
  const { cohorts, steps, width } = view;
  const months = [...new Set(cohorts.flatMap(({ points }) => points.map(({ month }) => month)))];
  const labels = cohorts.map(({ label }) => label);
  const names = rowLabels(labels, width);
  const left = names.width + USERS;
  const cell = (width - 2 * theme.padding - left) / months.length;
  const values = valuesOf(view);
  const widest = Math.max(...values.map(({ text }) => textWidth(String(text), theme.label)));
  return {
    height: cohorts.length * names.rowHeight,
    data: { values },
    encoding: {
      x: {
        field: "month",
        type: "ordinal",
        title: "Months since the cohort began",
        scale: { domain: months.toSorted((a, b) => a - b) },
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
    layer: [
      {
        params: [{ name: "steps", select: { type: "point", fields: ["step"] }, bind: "legend" }],
        mark: { type: "rect", stroke: theme.paper, strokeWidth: 1.5 },
        encoding: {
          color: {
            field: "step",
            type: "ordinal",
            scale: {
              domain: steps.map(({ label }) => label),
              range: steps.map(({ color }) => color),
            },
            legend: {
              ...topLegend(steps.map(({ label }) => label), { width, left }),
              symbolType: "square",
            },
          },
          opacity: { condition: { param: "steps", value: 1 }, value: 0.1 },
          tooltip: [
            { field: "cohort", title: "cohort" },
            { field: "month", title: "month" },
            { field: "share", title: "still active" },
            { field: "users", title: "at the start" },
            { field: "active", title: "users still active" },
          ],
        },
      },
      {
        data: {
          values: cohorts.map(({ label, size }) => ({ cohort: label, users: usersOf(size) })),
        },
        mark: {
          type: "text",
          align: "right",
          fontSize: theme.label.size,
          color: theme.muted,
          tooltip: null,
        },
        encoding: { x: { value: -6 }, text: { field: "users", type: "nominal" } },
      },
      ...widest + 4 > cell ? [] : [
        {
          mark: { type: "text", fontSize: theme.label.size, tooltip: null },
          encoding: {
            text: { field: "text", type: "nominal" },
            color: { field: "ink", type: "nominal", scale: null },
            opacity: { condition: { param: "steps", value: 1 }, value: 0.1 },
          },
        },
      ],
    ],
  };
}

/**
 * The cohort triangle that answers to the mouse: a cell shows its numbers, a click on a step of the legend
 * fades the others.
 *
 * Takes what `retentionCurves` gives, and draws the same cells as `plotRetentionHeatmap`.
 *
 * @example
 * ```ts
 * import { cohortAnalysis, retentionCurves, vegaRetentionHeatmap } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * const chart = vegaRetentionHeatmap(curves, { project_id: "tidewater" });
 * console.log(chart);
 * ```
 *
 * @throws {RangeError} when a column that is needed is missing, or the frame has no such project.
 */
export function vegaRetentionHeatmap(
  frame: DataFrame,
  options: RetentionHeatmapOptions = {},
): VegaChart {
  const view = heatmapView(frame, options, "vegaRetentionHeatmap");
  const { about, width, cohorts } = view;
  const body = cohorts.length === 0 ? noDataSpec(about.label) : bodyOf(view);
  return vegaChart(about, vegaSpec(about, { ...body, width }));
}
