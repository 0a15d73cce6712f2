import { dayText, periodAt } from "../../schema/period.ts";
import { aDay } from "../../table/read/day_rule.ts";
import { PER } from "../../table/read/per_day.ts";
import type { DataFrame } from "../../table/build/polars.ts";
import type { Panel } from "../../table/read/panel.ts";
import { addPerColumn } from "../timeline_series.ts";

/** Returns the index of the base period. */
function basePeriod({ every, starts, complete }: Panel, base: number | undefined): number {
  if (base === undefined) {
    const first = complete.indexOf(1);
    if (first >= 0 || starts.length === 0) return first;
    throw new RangeError("indexed: base: no period of the frame is complete");
  }
  const found = every === null ? -1 : starts.indexOf(periodAt(base, every).start);
  if (found >= 0 && complete[found] || every === null) return found;
  throw new RangeError(
    `indexed: base: the frame ${found >= 0 ? "has no complete" : "has no"} ${every} that contains ${
      dayText(base)
    }`,
  );
}

/**
 * Adds an index of growth to a timeline: each series is 100 in the period of `base`.
 *
 * Keeps the rows and columns of the frame, and adds a Float64 column `<column>_index` for each column of `field`. A
 * series consists of the rows of an entity. The index is 100 times the
 * value divided by the value of the series in the period of `base`. Sums of months, quarters and years are compared per
 * day. The index is null if the value is null or negative. It is
 * null in the whole series if the base value is null, zero, negative or missing. Incomplete periods also have an index;
 * see the column `complete`.
 *
 * @example Which chains have grown most since January?
 * ```ts
 * import { indexed, timeline } from "@chainframe/chainframe";
 *
 * const fees = await timeline({
 *   metric_ids: ["fees"],
 *   group_by: "chains",
 *   every: "month",
 *   from: "2025-01",
 *   to: "2025-06",
 * });
 * const index = indexed(fees, { base: "2025-01", field: "fees_sum" });
 * console.log(index.select("date", "data_id", "fees_sum_index").toString());
 * ```
 *
 * @param timeline a frame of `timeline`, or own data: dates, numbers, and texts that name entities
 * @throws {RangeError} when columns are missing or already exist, the periods are of several lengths, two rows of a
 * period have the same ids, or `base` is not a day of a complete period of the frame.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function indexed(timeline: DataFrame, options: {
  /**
   * A day of the base period: a Date, or a text such as `2025-01-31`. A month or a year means its first day.
   *
   * @default {the first complete period of the frame}
   */
  readonly base?: string | Date;
  /**
   * The columns to index.
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
   * `"day"` first divides values by the number of days of their periods, because months have different lengths. Of a
   * period that is not over, only the days with data count.
   * `"period"` does not.
   *
   * @default {`"day"` for sums of months, quarters and years}
   */
  readonly per?: "day" | "period";
} = {}): DataFrame {
  const about = { fn: "indexed", options, rules: { base: aDay, per: PER }, suffix: "index" };
  return addPerColumn(timeline, { ...about, unit: "index" }, (panel, { base }) => {
    const periods = panel.starts.length;
    const place = basePeriod(panel, base);
    return (values) => {
      const index = new Float64Array(values.length).fill(NaN);
      for (let start = 0; start < values.length; start += periods) {
        const from = values[start + place]!;
        for (let cell = start; from > 0 && cell < start + periods; cell++) {
          if (values[cell]! >= 0) index[cell] = values[cell]! / from * 100;
        }
      }
      return index;
    };
  });
}
