import type { DataFrame } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { type PlotChart, readyChart } from "./draw.ts";
import { formatMonth, formatterFor } from "./format.ts";
import { type ChartOptions, chartSettings } from "./options.ts";
import { numberValues } from "./rows.ts";
import type { Line } from "./series.ts";

/** The time from the middle of a bar to the gap before the bar, in milliseconds. */
const HALF_MONTH = 15 * 86_400_000;

/**
 * Draws the result of `cohortLayers` as stacked bars: the active users of each calendar month, with the oldest cohorts
 * at the bottom.
 *
 * The data has no values for cohorts older than 11 months. Users of these cohorts are not in the bars, and the caption
 * states this.
 *
 * @example
 * ```ts
 * import { cohortAnalysis, cohortLayers, plotLayers, retentionCurves } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis({ project_ids: ["tidewater"] }));
 * console.log(plotLayers(cohortLayers(curves)));
 * ```
 *
 * @param frame a frame of `cohortLayers`
 * @throws {RangeError} when columns are missing, or an option is out of range.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Charts
 */
export function plotLayers(frame: DataFrame, options: ChartOptions = {}): PlotChart {
  const fn = "plotLayers";
  const settings = chartSettings(fn, options, {});
  requireColumns(frame, {
    fn,
    source: "a frame of cohortLayers",
    columns: ["date", "cohort_date"],
    numbers: ["active", "total", "older_cohorts", "left_out"],
  });
  const dates = [...frame.getColumn("date")] as unknown as Date[];
  const born = [...frame.getColumn("cohort_date")] as unknown as Date[];
  const [active, total, older, leftOut] = ["active", "total", "older_cohorts", "left_out"]
    .map((name) => numberValues(frame, name)) as [...(number | null)[][]];
  const cohorts = Map.groupBy(born.keys(), (row) => born[row]!.getTime());
  const lines = [...cohorts].toSorted(([a], [b]) => a - b).map(([at, rows]): Line => ({
    id: "",
    label: formatMonth(new Date(at), settings.locale),
    points: rows.map((row) => ({ x: dates[row]!.getTime(), y: active![row]!, complete: true })),
  }));
  const last = dates.length - 1;
  const write = formatterFor([total![last] ?? null], { unit: "count", locale: settings.locale });
  const end = last < 0 ? "" : formatMonth(dates[last]!, settings.locale);
  const start = last < 0 ? "" : formatMonth(dates[0]!, settings.locale);
  const unknown = older!.findIndex((count) => count! > 0);
  const gaps = leftOut!.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  const sum = last < 0 ? "" : write(total![last]!);
  return readyChart({
    frame,
    settings,
    empty: !active!.some((value) => value !== null),
    words: {
      title: "Active users by the month in which they came",
      subtitle: `By month, ${start} to ${end}; cohorts of the last 12 months`,
      label: `Stacked bars of ${lines.length} monthly cohorts, ${start} to ${end}. ` +
        `In ${end} they have ${sum} active users.`,
      notes: {
        leftOut: [
          ...unknown < 0 ? [] : [
            `From ${
              formatMonth(dates[unknown]!, settings.locale)
            } on, users of cohorts older than ` +
            "11 months are unknown and not in the bars.",
          ],
          gaps > 0 && `Without a value: ${gaps} months of cohorts.`,
        ],
      },
    },
    figure: (draw, look) =>
      draw.stacksFigure({
        lines,
        ordered: true,
        y: { unit: "count", name: "active users" },
        ...unknown < 0
          ? {}
          : { from: { x: dates[unknown]!.getTime() - HALF_MONTH, label: "older cohorts unknown" } },
      }, look),
  });
}
