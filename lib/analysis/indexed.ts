import { checkOptions } from "../platform/check_options.ts";
import { dayText, periodAt } from "../schema/period.ts";
import { aDay } from "../table/day_rule.ts";
import type { DataFrame } from "../table/polars.ts";
import {
  addPerColumn,
  columnNames,
  daysOf,
  PER,
  type TimelineSeries,
  timelineSeries,
} from "./timeline_series.ts";

/**
 * Options of {@linkcode indexed}.
 *
 * @category Analysis
 */
export interface IndexedOptions {
  /**
   * The day whose period is 100: `2025-01-31`, `2025-01` or `2025` for the first of it, or a Date.
   *
   * @default {the first complete period of the frame}
   */
  readonly base?: string | Date;
  /**
   * The columns to index.
   *
   * @default {all columns of numbers; all sums with `per`}
   */
  readonly field?: string | readonly string[];
  /**
   * `"day"` divides sums by the days of their period first, so that months of unlike length compare. Only
   * columns whose names end in `_sum` add over days.
   *
   * @default {values as they are}
   */
  readonly per?: "day";
}

/** The first day of the period that is 100; null where the frame has no rows. */
function startOfBase(series: TimelineSeries, base: number | undefined): number | null {
  const { every, periods, complete } = series;
  if (every === null) return null;
  const whole = periods.filter((_, row) => complete[row]).map(({ start }) => start);
  if (base === undefined) {
    if (whole.length > 0) return whole.reduce((least, start) => Math.min(least, start));
    throw new RangeError("indexed: base: no period of the frame is complete");
  }
  const { start } = periodAt(base, every);
  if (whole.includes(start)) return start;
  const there = periods.some((period) => period.start === start);
  throw new RangeError(
    `indexed: base: the frame ${there ? "has no complete" : "has no"} ${every} that holds ${
      dayText(base)
    }`,
  );
}

/**
 * Adds an index to a timeline: each series is 100 in the period of `base`.
 *
 * The rows and columns of the frame stay as they are; for each column of `field` a Float64 column
 * `<column>_index` follows: the value divided by that of the same ids (all text columns whose names end
 * in `_id`) in the period of `base`, times 100. null where the value is null or below 0, and in all
 * of a series whose base is null, zero, below 0 or not in the frame. An incomplete period keeps its index: `complete` tells.
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
 * @param timeline a frame of `timeline`
 * @throws {RangeError} when columns are missing or already there, the periods are of several lengths, two
 * rows of a period have the same ids, or `base` is no day of a complete period of the frame.
 * @throws {TypeError} when a column does not hold what it has to.
 * @category Analysis
 */
export function indexed(timeline: DataFrame, options: IndexedOptions = {}): DataFrame {
  const asker = "indexed";
  const { base, field, per } = checkOptions(
    options,
    { base: aDay, field: columnNames, per: PER },
    asker,
  );
  const series = timelineSeries(timeline, asker);
  const start = startOfBase(series, base);
  const bases = series.periods.map((_, row) =>
    start === null ? undefined : series.rowAt(row, start)
  );
  const days = daysOf(series, per);
  return addPerColumn(timeline, { asker, field, suffix: "_index", days }, (row, values) => {
    const at = bases[row];
    const [from, value] = [at === undefined ? null : values[at] ?? null, values[row] ?? null];
    return from !== null && from > 0 && value !== null && value >= 0 ? value / from * 100 : null;
  });
}
