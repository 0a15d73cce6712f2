import { checkOptions, integer, required } from "../../platform/check_options.ts";
import { periodsBefore } from "../../schema/period.ts";
import type { DataFrame, Frame } from "../../table/build/polars.ts";
import { addPerColumn, columnNames } from "../timeline_series.ts";

/**
 * Adds rolling means to a timeline. Each mean covers the period of the row and the periods directly before it.
 *
 * Keeps the rows and columns of the frame, and adds a Float64 column `<column>_mean` for each column of `field`.
 * Earlier values are found by their dates and by the keys of the row (its text columns). The
 * mean is null if one of the periods is incomplete or missing, or if one of the values is null.
 *
 * @example The mean fees of the last seven days, for each day
 * ```ts
 * import { rollingMean, timeline } from "@chainframe/chainframe";
 *
 * const fees = await timeline({
 *   metric_ids: ["fees"],
 *   group_by: "chains",
 *   every: "day",
 *   from: "2025-03-01",
 *   to: "2025-03-10",
 * });
 * const week = rollingMean(fees, { periods: 7, field: "fees_sum" });
 * console.log(week.select("date", "data_id", "fees_sum_mean").toString());
 * ```
 *
 * @param timeline a frame of `timeline`, or own data: dates, numbers, and texts as keys
 * @throws {RangeError} when columns are missing or already exist, the periods are of several lengths, two rows of a
 * period have the same ids, or `periods` is not a whole number from 1 to 10 000.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function rollingMean(timeline: DataFrame, options: {
  /** The number of periods of each mean, including the row's own period. */
  readonly periods: number;
  /**
   * The columns to average.
   *
   * @default {all columns of numbers}
   */
  readonly field?: string | readonly string[];
}): Frame {
  const fn = "rollingMean";
  const { periods, field } = checkOptions(
    options,
    { periods: required(integer(1, 10_000)), field: columnNames },
    fn,
  );
  return addPerColumn(timeline, {
    fn,
    options,
    field,
    per: "period",
    suffix: "_mean",
    unit: "field",
    title: "rolling mean",
  }, (series) => {
    const windows = series.periods.map((period, row) => {
      const rows = Array.from(
        { length: periods },
        (_, back) => series.rowAt(row, periodsBefore(period, series.every!, back).start),
      );
      return rows.every((each) => each !== undefined && series.complete[each]) ? rows : [];
    });
    return (row, values) => {
      const window = windows[row]!.map((each) => values[each!] ?? null);
      if (window.length === 0 || window.includes(null)) return null;
      return window.reduce<number>((sum, value) => sum + value! / periods, 0);
    };
  });
}
