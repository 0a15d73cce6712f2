import type { CohortRow } from "../read/cohort_rows.ts";
import {
  heatmapView,
  type RetentionHeatmapOptions,
  type ShareStep,
  stepOf,
} from "../read/heatmap.ts";
import { formatNumber, shortShare } from "../text/format.ts";
import { rowLabels, textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { loadPlot, type ObservablePlot, type PlotOptions } from "./observable_plot.ts";
import { noData, rowLabelMarks } from "./axes.ts";
import type { DataFrame } from "../../table/polars.ts";
import type { LegendItem } from "../page/page.ts";
import { type PlotChart, plotChart } from "./draw_plot.ts";

interface Cell {
  readonly row: number;
  readonly month: number;
  readonly text: string;
  readonly fill: string;
  readonly ink: string;
}

const TOP = 40;

function cellsOf(cohorts: readonly CohortRow[], steps: readonly ShareStep[]): Cell[] {
  return cohorts.flatMap(({ points }, row) =>
    points.flatMap(({ month, retention }) => {
      if (retention === null) return [];
      const { color, ink } = stepOf(steps, retention);
      return [{ row, month, text: shortShare(retention), fill: color, ink }];
    })
  );
}

/** The cohort triangle: months across, cohorts down, the size of each at its side. */
export function heatmapPanel(
  Plot: ObservablePlot,
  cohorts: readonly CohortRow[],
  { steps, width }: { steps: readonly ShareStep[]; width: number },
): PlotOptions {
  const { size } = theme.label;
  const cells = cellsOf(cohorts, steps);
  const months = [...new Set(cohorts.flatMap(({ points }) => points.map(({ month }) => month)))]
    .toSorted((a, b) => a - b);
  const labels = rowLabels(cohorts.map(({ label }) => label), width);
  const sizes = cohorts.map((cohort) => cohort.size === null ? "–" : formatNumber(cohort.size));
  const sizeWidth = Math.max(...["Users", ...sizes].map((text) => textWidth(text, { size }))) + 16;
  const left = Math.max(labels.width, textWidth("Cohort", { size }) + 8) + sizeWidth;
  const cell = (width - left) / Math.max(months.length, 1);
  const widest = Math.max(0, ...cells.map(({ text }) => textWidth(text, { size })));
  const head = { fill: theme.muted, frameAnchor: "top-left" as const, dy: -18 };
  return {
    width,
    height: TOP + cohorts.length * labels.rowHeight + 4,
    marginTop: TOP,
    marginLeft: left,
    marginRight: 0,
    marginBottom: 4,
    x: { type: "band", domain: months, axis: null, padding: 0 },
    y: { type: "band", domain: cohorts.map((_, row) => row), axis: null, padding: 0 },
    color: { type: "identity" },
    marks: [
      Plot.axisX({
        anchor: "top",
        tickSize: 0,
        tickFormat: String,
        label: "Months since the cohort began",
        labelAnchor: "center",
        labelArrow: "none",
        labelOffset: 36,
        fill: theme.muted,
      }),
      Plot.text(["Cohort"], { ...head, dx: -sizeWidth - 8, textAnchor: "end" }),
      Plot.text(["Users"], { ...head, dx: -8, textAnchor: "end" }),
      ...rowLabelMarks(Plot, labels, sizeWidth + 8),
      Plot.text(sizes, {
        y: (_: string, row: number) => row,
        frameAnchor: "left",
        textAnchor: "end",
        dx: -8,
        fill: theme.muted,
        ariaDescription: "size",
      }),
      Plot.cell(cells, { x: "month", y: "row", fill: "fill", inset: 0.75 }),
      ...widest + 4 > cell ? [] : [
        Plot.text(cells, {
          x: "month",
          y: "row",
          text: "text",
          fill: "ink",
          ariaDescription: "share",
        }),
      ],
    ],
  };
}

/**
 * The cohort triangle: months across, cohorts down, the share of users still active in each cell, the size of
 * each cohort at its side. A month that is not observed has no cell, which is not zero.
 *
 * Takes what `retentionCurves` gives. Cohorts of several projects are pooled, weighted by size; of more than
 * 36 cohorts the oldest become one row.
 *
 * @example
 * ```ts
 * import { cohortAnalysis, plotRetentionHeatmap, retentionCurves } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * const chart = plotRetentionHeatmap(curves, { project_id: "tidewater" });
 * console.log(chart.title); // Retention by cohort: Tidewater
 * ```
 *
 * @throws {RangeError} when a column that is needed is missing, or the frame has no such project.
 */
export function plotRetentionHeatmap(
  frame: DataFrame,
  options: RetentionHeatmapOptions = {},
): PlotChart {
  const { about, width, cohorts, steps } = heatmapView(frame, options, "plotRetentionHeatmap");
  return plotChart(about, async () => {
    const Plot = await loadPlot();
    const inner = width - 2 * theme.padding;
    const page = { ...about, width, columns: 1, gap: 0 };
    if (cohorts.length === 0) {
      return { ...page, legend: [], rows: [], panels: [noData(Plot, about.label, inner)] };
    }
    return {
      ...page,
      legend: steps.map(({ label, color }): LegendItem => ({ label, color, key: "square" })),
      rows: cohorts.flatMap(({ label, points }) =>
        points.map(({ month, retention, size }) => ({ cohort: label, month, size, retention }))
      ),
      panels: [heatmapPanel(Plot, cohorts, { steps, width: inner })],
    };
  });
}
