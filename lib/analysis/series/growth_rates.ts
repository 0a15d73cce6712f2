import { integer, type Refuse } from "../../platform/check_options.ts";
import { notify } from "../../platform/terminal.ts";
import { periodsBefore, yearBefore } from "../../schema/period.ts";
import { PER } from "../../table/read/per_day.ts";
import type { DataFrame } from "../../table/build/polars.ts";
import { addPerColumn, periodIndices } from "../timeline_series.ts";

function aDistance(value: unknown, refuse: Refuse): number | "year" {
  if (value === "year") return value;
  return integer(1)(value, (allowed) => refuse(`${allowed}, or "year"`));
}

/**
 * Adds the growth of each value of a timeline since an earlier period.
 *
 * Keeps the rows and columns of the frame, and adds a Float64 column `<column>_growth` for each column of `field`. The
 * growth is the fraction `(value - before) / |before|`, like the changes that the service sends. Sums of months, quarters
 * and years are compared per day, because a month of 31 days has more fees than a month of 28 days. The earlier value
 * `before` is found by its date and the entity of the row, not by row order. The growth is null if the earlier period is missing, if one of the two periods is incomplete, if one of the
 * two values is null, or if the earlier value is zero.
 *
 * @example The fees of each chain against the month before
 * ```ts
 * import { growthRates, timeline } from "@chainframe/chainframe";
 *
 * const fees = await timeline({
 *   metric_ids: ["fees"],
 *   group_by: "chains",
 *   every: "month",
 *   from: "2025-01",
 *   to: "2025-06",
 * });
 * const growth = growthRates(fees, { field: "fees_sum" });
 * console.log(growth.select("date", "data_id", "fees_sum", "fees_sum_growth").toString());
 * ```
 *
 * @param timeline a frame of `timeline`, or own data: dates, numbers, and texts that name entities
 * @throws {RangeError} when columns are missing or already exist, the periods are of several lengths, two rows of a
 * period have the same ids, or `periods` is neither a whole number above 0 nor `"year"`.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function growthRates(timeline: DataFrame, options: {
  /**
   * The distance to the earlier period: a number of periods, or `"year"` for the same period of the previous year (the
   * same day of the month, or the same ISO week).
   *
   * @default {1}
   */
  readonly periods?: number | "year";
  /**
   * The columns whose growth is computed.
   *
   * @default {all columns of numbers; with `per: "day"`, all sums}
   */
  readonly field?: string | readonly string[];
  /**
   * The column that names the entities, or several columns.
   *
   * @default {the ids of the response, else the fewest columns of texts that make rows unique}
   */
  readonly entity?: string | readonly string[];
  /**
   * `"day"` first divides values by the number of days of their periods, because months have different lengths.
   * `"period"` does not.
   *
   * @default {`"day"` for sums of months, quarters and years}
   */
  readonly per?: "day" | "period";
} = {}): DataFrame {
  const fn = "growthRates";
  const rules = { periods: aDistance, per: PER };
  const about = { fn, options, rules, suffix: "growth", unit: "change" } as const;
  return addPerColumn(timeline, about, (panel, { periods: distance = 1 }) => {
    const { every, complete } = panel;
    if (every === "day" && distance === 1) {
      notify(`${fn}: days of a week differ: periods: 7 compares each day with the same weekday`);
    }
    const before = periodIndices(
      panel,
      (period) =>
        distance === "year"
          ? yearBefore(period, every!)?.start
          : periodsBefore(period, every!, distance).start,
    ).map((earlier, at) => earlier >= 0 && complete[at] && complete[earlier] ? earlier : -1);
    const periods = before.length;
    return (values) => {
      const growth = new Float64Array(values.length).fill(NaN);
      for (let start = 0; start < values.length; start += periods) {
        for (let at = 0; at < periods; at++) {
          const base = before[at]! < 0 ? 0 : values[start + before[at]!]!;
          if (base !== 0) growth[start + at] = (values[start + at]! - base) / Math.abs(base);
        }
      }
      return growth;
    };
  });
}
