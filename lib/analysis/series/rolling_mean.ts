import { integer, required } from "../../platform/check_options.ts";
import { periodsBefore } from "../../schema/period.ts";
import type { DataFrame, Frame } from "../../table/build/polars.ts";
import { addPerColumn, periodIndices } from "../timeline_series.ts";

/**
 * Adds rolling means to a timeline. Each mean covers the period of the row and the periods directly before it.
 *
 * Keeps the rows and columns of the frame, and adds a Float64 column `<column>_mean` for each column of `field`.
 * Earlier values are found by their dates and the entity of the row. The
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
 * @param timeline a frame of `timeline`, or own data: dates, numbers, and texts that name entities
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
  /**
   * The column that names the entities, or several columns.
   *
   * @default {the ids of the response, else the fewest columns of texts that make rows unique}
   */
  readonly entity?: string | readonly string[];
}): Frame {
  const rules = { periods: required(integer(1, 10_000)) };
  const about = { fn: "rollingMean", options, rules, suffix: "mean", title: "rolling mean" };
  return addPerColumn(timeline, { ...about, unit: "field" }, (panel, { periods: length }) => {
    const { every, complete } = panel;
    const before = periodIndices(panel, (period) => periodsBefore(period, every!, 1).start);
    // The number of successive complete periods that end with each period.
    const run = new Uint32Array(before.length);
    for (const at of run.keys()) {
      run[at] = complete[at] === 0 ? 0 : before[at]! < 0 ? 1 : run[before[at]!]! + 1;
    }
    return (values) => {
      const means = new Float64Array(values.length).fill(NaN);
      for (let start = 0; start < values.length; start += run.length) {
        for (let at = 0; at < run.length; at++) {
          if (run[at]! < length) continue;
          let sum = 0;
          // The periods of a run directly follow each other.
          for (let back = 0; back < length; back++) sum += values[start + at - back]! / length;
          means[start + at] = sum;
        }
      }
      return means;
    };
  });
}
