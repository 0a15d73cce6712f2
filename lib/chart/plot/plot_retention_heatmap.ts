import type { DataFrame } from "../../table/polars.ts";
import type { About } from "../about.ts";
import type { LegendItem } from "../page/legend.ts";
import { type ChartOptions, widthOf } from "../read/chart_options.ts";
import type { Asker } from "../read/check_columns.ts";
import { type CohortRow, cohortRows } from "../read/cohort_rows.ts";
import { emptyWords } from "../read/empty_words.ts";
import { onlyName } from "../read/only_name.ts";
import { sourceNote } from "../read/source_note.ts";
import { shareSteps } from "../share_steps.ts";
import { countOf } from "../text/count_of.ts";
import { theme } from "../theme.ts";
import { type PlotChart, plotChart } from "./draw_plot.ts";
import { heatmapPanel } from "./heatmap_panel.ts";
import { noData } from "./no_data.ts";
import { loadPlot } from "./observable_plot.ts";

/** Options of `plotRetentionHeatmap`. */
export interface PlotRetentionHeatmapOptions extends ChartOptions {
  /**
   * The project whose cohorts are drawn.
   * @default {all projects of the frame, pooled by cohort}
   */
  readonly project_id?: string;
}

const asker: Asker = { name: "plotRetentionHeatmap", hint: "pass what retentionCurves gives" };

/** The highest share but those of month 0, in which everybody is there. */
function highestShare(cohorts: readonly CohortRow[]): number {
  const shares = cohorts.flatMap(({ points }) =>
    points.flatMap(({ month, retention }) => month === 0 || retention === null ? [] : [retention])
  );
  return shares.length === 0 ? 1 : Math.max(...shares);
}

/**
 * The cohort triangle: months across, cohorts down, the share of users still active in each cell, the size of
 * each cohort at its side. A month that is not observed has no cell, which is not zero.
 *
 * Takes what `retentionCurves` gives. Cohorts of several projects are pooled, weighted by size; of more than
 * 36 cohorts the oldest become one row.
 *
 * @throws {RangeError} when a column that is needed is missing, or the frame has no such project.
 */
export function plotRetentionHeatmap(
  frame: DataFrame,
  options: PlotRetentionHeatmapOptions = {},
): PlotChart {
  const width = widthOf(options, asker);
  const { project_id, source = frame } = options;
  const { cohorts, notes } = cohortRows(frame, { project_id, asker });
  const cells = cohorts.flatMap(({ points }) => points);
  const missing = cells.filter(({ retention }) => retention === null).length;
  const empty = missing === cells.length ? emptyWords(frame) : null;
  const name = project_id === undefined
    ? onlyName(frame, ["project_name", "project_id"])
    : `: ${project_id}`;
  const about: About = {
    title: options.title ?? `Retention by cohort${name}`,
    subtitle: options.subtitle ??
      "Share of each cohort's users who are active again, month by month",
    label: empty ??
      `Heat map of ${countOf(cohorts.length, "cohort")}, ${cohorts[0]!.label} to ${
        cohorts.at(-1)!.label
      }, with ${countOf(cells.length - missing, "share")}.`,
    caption: [
      ...notes,
      ...missing === 0 ? [] : [
        `${missing} of ${
          countOf(cells.length, "value")
        } not observed: left empty, which is not zero.`,
      ],
      sourceNote(source),
    ],
  };
  return plotChart(about, async () => {
    const Plot = await loadPlot();
    const inner = width - 2 * theme.padding;
    const page = { ...about, width, columns: 1, gap: 0 };
    if (empty !== null) {
      return { ...page, legend: [], rows: [], panels: [noData(Plot, empty, inner)] };
    }
    const steps = shareSteps(highestShare(cohorts));
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
