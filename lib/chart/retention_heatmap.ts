import type { DataFrame } from "../table/columns/polars.ts";
import { requireColumns } from "../table/read/requirements.ts";
import { cohortRows } from "./read/cohorts.ts";
import type { PlotChart } from "./chart.ts";
import { readyChart } from "./ready_chart.ts";
import type { CellsPlan } from "./drawing/cells.ts";
import { formatCount } from "./format.ts";
import { numbersOf } from "./numbers.ts";
import { type ChartOptions, chartSettings } from "./options.ts";
import { onlyName } from "./read/rows.ts";
import { pointsOf, sumBy } from "./read/lines.ts";
import { countedWords, inSentence, joined } from "./words.ts";

/**
 * Draws the cohort triangle, with one column per month and one row per cohort. Each cell shows the share of users who
 * are still active. The size of each cohort is at the left. The row at the top shows the average of the cohorts,
 * weighted by size. Months that are not observed, or not over, have no cell. The average leaves out the cohorts of the first
 * three tracked months.
 *
 * Takes the result of `retentionCurves`. Cohorts of several projects are pooled, weighted by size. If there are more
 * than 36 cohorts (see `limit`), the last ones are drawn. The average is that of all cohorts.
 *
 * @example
 * ```ts
 * import { cohortAnalysis, plotRetentionHeatmap, retentionCurves, where } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * const chart = plotRetentionHeatmap(where(curves, { project_id: "tidewater" }));
 * console.log(chart.title); // Retention of Tidewater by month of arrival, Jan 2025 to Jun 2026
 * ```
 *
 * @throws {RangeError} when a column is missing, or an option is out of range.
 * @throws {TypeError} when a column that must hold numbers does not.
 * @category Charts
 */
export function plotRetentionHeatmap(
  frame: DataFrame,
  options: ChartOptions = {},
): PlotChart {
  const fn = "plotRetentionHeatmap";
  const settings = chartSettings(fn, options);
  requireColumns(frame, {
    fn,
    source: "a frame of retentionCurves",
    columns: ["cohort"],
    numbers: ["month", "retention"],
  });
  const { locale, limit } = settings;
  const words = countedWords(frame);
  const { cohorts, average, sample, dropped } = cohortRows(frame, { limit });
  const points = pointsOf(cohorts);
  const missing = points.filter(({ y }) => y === null).length;
  const months = [...new Set(points.map(({ x }) => x))].toSorted((a, b) => a - b);
  const total = sumBy(cohorts, ({ size }) => size);
  const all = average === null ? cohorts : [average, ...cohorts];
  const first = all[0]?.points.filter(({ x, y }) => x > 0 && y !== null) ?? [];
  const named = first.slice(0, 4);
  const write = numbersOf(named.map(({ y }) => y), { unit: "fraction", locale: "en-US" });
  const shares = named.map(({ x, y }) => `${write(y!)} in month ${x}`).join(", ");
  const valueAt = (points: typeof all[number]["points"], month: number) =>
    points.find(({ x }) => x === month) ?? null;
  const plan: CellsPlan = {
    rows: all.map(({ label, size, points }) => ({
      label,
      size,
      sizes: months.map((month) => valueAt(points, month)?.size ?? null),
      values: months.map((month) => valueAt(points, month)?.y ?? null),
    })),
    columns: months.map(String),
    unit: "fraction",
    title: words.still,
    sizes: words.sizes,
    across: "Months since the cohort began",
    down: "Cohort",
    ...months[0] === 0 ? { start: 0 } : {},
    average: average !== null,
  };
  return readyChart({
    again: plotRetentionHeatmap,
    frame,
    settings,
    empty: missing === points.length,
    words: {
      what: joined([words.retention, onlyName(frame) ?? ""], " of ") + " by month of arrival",
      span: joined([
        ...new Set([cohorts[0]?.label ?? "", cohorts.at(-1)?.label ?? ""]),
      ], " to "),
      said: [
        words.ofCohort,
        total === 0 ? "" : words.total(formatCount(total, locale), total),
      ],
      kind: "Heat map",
      noun: "cohort",
      rows: cohorts.map(({ label }) => label),
      rowsAre: `${inSentence(all[0]?.label ?? "")} ${shares}`,
      dropped,
      values: points.map((point) => ({ ...point, complete: true })),
      empty: "not yet observed",
      notes: sample,
    },

    figure: (draw, look) => draw.cellsFigure(plan, look),
  });
}
