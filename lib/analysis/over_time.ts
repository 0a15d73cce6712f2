import { aWhole, checkOptions, type Refuse } from "../host/check_options.ts";
import {
  dayOf,
  daysNamed,
  dayText,
  periodAt,
  periodsBefore,
  yearBefore,
} from "../schema/period.ts";
import type { DataFrame } from "../table/polars.ts";
import {
  addPerColumn,
  columnNames,
  type TimelineSeries,
  timelineSeries,
} from "./timeline_series.ts";

/**
 * Options of {@linkcode growthRates}.
 *
 * @category Analysis
 */
export interface GrowthRatesOptions {
  /**
   * What each period is compared with: the one so many periods before, or the same one of the year
   * before (`"year"`: the same day of the month, the week of the same ISO number).
   *
   * @default {1}
   */
  readonly periods?: number | "year";
  /**
   * The columns that grow.
   *
   * @default {all columns of numbers}
   */
  readonly of?: string | readonly string[];
}

function aDistance(value: unknown, refuse: Refuse): number | "year" {
  if (value === "year") return value;
  return aWhole(1)(value, (allowed) => refuse(`${allowed}, or "year"`));
}

/**
 * How much each value of a timeline has changed since the period before, or since the year before.
 *
 * The rows and columns of the frame stay as they are; for each column of `of` a Float64 column
 * `<column>_growth` follows: `(value - before) / |before|`, a fraction, as the service measures its own
 * changes. The period before is found by the calendar and by the ids of the row (all text columns whose
 * names end in `_id`), not by its place in the frame. null where one of the two periods is incomplete or
 * not in the frame, and where one of the two values is null or zero.
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
 * const growth = growthRates(fees, { of: "fees_sum" });
 * console.log(growth.select("date", "data_id", "fees_sum", "fees_sum_growth").toString());
 * ```
 *
 * @param timeline a frame of `timeline`
 * @throws {RangeError} when columns are missing or already there, the periods are of several lengths, two
 * rows of a period have the same ids, or `periods` is neither a whole number above 0 nor `"year"`.
 * @throws {TypeError} when a column does not hold what it has to.
 * @category Analysis
 */
export function growthRates(timeline: DataFrame, options: GrowthRatesOptions = {}): DataFrame {
  const asker = "growthRates";
  const { periods = 1, of } = checkOptions(options, { periods: aDistance, of: columnNames }, asker);
  const series = timelineSeries(timeline, asker);
  const before = series.periods.map((period, row) => {
    const earlier = periods === "year"
      ? yearBefore(period, series.every!)
      : periodsBefore(period, series.every!, periods);
    const found = earlier === null ? undefined : series.rowAt(row, earlier.start);
    return found !== undefined && series.complete[row] && series.complete[found] ? found : null;
  });
  return addPerColumn(timeline, { asker, of, suffix: "_growth" }, (row, values) => {
    const earlier = before[row] ?? null;
    const [base, value] = [earlier === null ? null : values[earlier] ?? null, values[row]];
    return base && value ? (value - base) / Math.abs(base) : null;
  });
}

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
   * @default {all columns of numbers}
   */
  readonly of?: string | readonly string[];
}

function aDay(value: unknown, refuse: Refuse): number {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return dayOf(value);
  return (typeof value === "string" ? daysNamed(value)?.start : undefined) ??
    refuse("must be a day, a month or a year, written 2025-01-31, 2025-01 or 2025, or a Date");
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
 * A timeline as an index: each series is 100 in the period of `base`.
 *
 * The rows and columns of the frame stay as they are; for each column of `of` a Float64 column
 * `<column>_index` follows: the value divided by that of the same ids (all text columns whose names end
 * in `_id`) in the period of `base`, times 100. null where the value is null, and in all of a series
 * whose base is null, zero or not in the frame. An incomplete period keeps its index: `complete` tells.
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
 * const index = indexed(fees, { base: "2025-01", of: "fees_sum" });
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
  const { base, of } = checkOptions(options, { base: aDay, of: columnNames }, asker);
  const series = timelineSeries(timeline, asker);
  const start = startOfBase(series, base);
  const bases = series.periods.map((_, row) =>
    start === null ? undefined : series.rowAt(row, start)
  );
  return addPerColumn(timeline, { asker, of, suffix: "_index" }, (row, values) => {
    const at = bases[row];
    const [from, value] = [at === undefined ? null : values[at], values[row] ?? null];
    return from && value !== null ? value / from * 100 : null;
  });
}

/**
 * Options of {@linkcode rollingMean}.
 *
 * @category Analysis
 */
export interface RollingMeanOptions {
  /** Over how many periods each mean goes: the row's own and those before it. */
  readonly periods: number;
  /**
   * The columns to average.
   *
   * @default {all columns of numbers}
   */
  readonly of?: string | readonly string[];
}

/**
 * The mean of each value of a timeline and of those of the periods before it.
 *
 * The rows and columns of the frame stay as they are; for each column of `of` a Float64 column
 * `<column>_mean` follows. The periods before are found by the calendar and by the ids of the row (all
 * text columns whose names end in `_id`). A mean rests on all of its periods or is null: where one of them
 * is incomplete or not in the frame, and where one of the values is null.
 *
 * @example The fees of seven days, day by day
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
 * const week = rollingMean(fees, { periods: 7, of: "fees_sum" });
 * console.log(week.select("date", "data_id", "fees_sum_mean").toString());
 * ```
 *
 * @param timeline a frame of `timeline`
 * @throws {RangeError} when columns are missing or already there, the periods are of several lengths, two
 * rows of a period have the same ids, or `periods` is no whole number above 0.
 * @throws {TypeError} when a column does not hold what it has to.
 * @category Analysis
 */
export function rollingMean(timeline: DataFrame, options: RollingMeanOptions): DataFrame {
  const asker = "rollingMean";
  const { periods, of } = checkOptions(options, { periods: aWhole(1), of: columnNames }, asker);
  if (periods === undefined) {
    throw new RangeError(`${asker}: periods: must be a whole number of at least 1: undefined`);
  }
  const series = timelineSeries(timeline, asker);
  const windows = series.periods.map((period, row) => {
    const rows: number[] = [];
    for (let back = 0; back < periods; back++) {
      const { start } = periodsBefore(period, series.every!, back);
      const found = series.rowAt(row, start);
      if (found === undefined || !series.complete[found]) return null;
      rows.push(found);
    }
    return rows;
  });
  return addPerColumn(timeline, { asker, of, suffix: "_mean" }, (row, values) => {
    const window = windows[row]?.map((each) => values[each] ?? null) ?? [];
    if (window.length === 0 || window.includes(null)) return null;
    return window.reduce<number>((sum, value) => sum + value! / periods, 0);
  });
}
