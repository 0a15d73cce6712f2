import type { DataFrame } from "../../table/polars.ts";
import type { LegendItem } from "../page/legend.ts";
import { heatmapView, type RetentionHeatmapOptions } from "../read/heatmap_view.ts";
import { theme } from "../theme.ts";
import { type PlotChart, plotChart } from "./draw_plot.ts";
import { heatmapPanel } from "./heatmap_panel.ts";
import { noData } from "./no_data.ts";
import { loadPlot } from "./observable_plot.ts";

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
