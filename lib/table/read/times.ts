import { shown } from "../../platform/terminal.ts";
import type { Every } from "../../schema/period.ts";
import { timesNamed } from "../../schema/time_forms.ts";
import { dtypeNames, isNumeric, isText, zonedDtypeNames } from "../columns/dtypes.ts";
import { type DataFrame, pl } from "../columns/polars.ts";
import { numbered, numberedValues, typed } from "./numbered.ts";
import { dateAdvice } from "./date_advice.ts";

const DAY_MS = 86_400_000;

/** The times of a column. */
export interface Times {
  /** For each row, a day as a number, with a fraction for a time of day. NaN for null, and for what is not read. */
  readonly days: Float64Array;
  /** The period that the form of the column states, such as `month` for `2025-01`. Null for days and times. */
  readonly every: Every | null;
  /** Whether there are times of day besides midnight and the last second. */
  readonly hasHours: boolean;
  /** The time zone that the column states. */
  readonly zone: string | undefined;
  /** The distinct values that are not read, in order of first appearance. */
  readonly unread: readonly unknown[];
}

type Column = ReturnType<typeof pl.col>;

/** Converts milliseconds to days. The last second of a day is its midnight. */
function daysOf(ms: Float64Array): Pick<Times, "days" | "hasHours"> {
  let hasHours = false;
  for (let row = 0; row < ms.length; row++) {
    const rest = ms[row]! - Math.floor(ms[row]! / DAY_MS) * DAY_MS;
    if (rest > 0 && rest < DAY_MS - 1000) hasHours = true;
  }
  const days = new Float64Array(ms.length);
  for (let row = 0; row < ms.length; row++) {
    const day = ms[row]! / DAY_MS;
    days[row] = hasHours ? day : Math.floor(day);
  }
  return { days, hasHours };
}

/** Returns the clock of a column of times in a zone, in milliseconds. NaN means null. */
function clockIn(frame: DataFrame, column: Column): Float64Array {
  return typed(frame, column.dt.replaceTimeZone("UTC").cast(pl.Datetime("ms")).cast(pl.Int64));
}

/** Returns the clock of a zone at moments, in milliseconds. */
function clockOfMoments(ms: Float64Array, zone: string): Float64Array {
  const frame = pl.DataFrame([pl.Series("(time)", ms as ArrayLike<number>, pl.Float64)]);
  const moment = pl.col("(time)").fillNan(pl.lit(null)).cast(pl.Int64).cast(pl.Datetime("ms"));
  return clockIn(frame, moment.dt.replaceTimeZone("UTC").dt.convertTimeZone(zone));
}

/**
 * Returns the lengths of days of a zone, in seconds: those of 23 or 25 hours on days on which clocks change. The distance
 * of midnight from UTC is found in two steps: that at midnight of UTC, and that at the moment to which it leads.
 */
export function dayLengths(days: readonly number[], zone: string): Map<number, number> {
  const distinct = [...new Set(days)];
  const midnights = Float64Array.from([...distinct, ...distinct.map((day) => day + 1)]);
  const clocks = midnights.map((day) => day * DAY_MS);
  const offsetsAt = (ms: Float64Array) =>
    clockOfMoments(ms, zone).map((clock, at) => clock - ms[at]!);
  const near = offsetsAt(clocks);
  const offsets = offsetsAt(clocks.map((clock, at) => clock - near[at]!));
  return new Map(distinct.map((day, at) => {
    const change = offsets[at + distinct.length]! - offsets[at]!;
    return [day, (DAY_MS - change) / 1000];
  }));
}

/** Reads a column of the dtype Datetime: the clock of the column's zone, or of `zone` if there are times of day. */
function datetimes(frame: DataFrame, name: string, own: string | undefined, zone?: string): Times {
  const column = own === undefined ? pl.col(name).cast(pl.Datetime("ms")) : pl.col(name);
  const about = { every: null, zone: own, unread: [] };
  const written = daysOf(clockIn(frame, column));
  if (!written.hasHours || zone === undefined || zone === own) return { ...about, ...written };
  const utc = own === undefined ? column.dt.replaceTimeZone("UTC") : column;
  return { ...about, ...daysOf(clockIn(frame, utc.dt.convertTimeZone(zone))) };
}

/** Numbers the distinct values of a column of numbers or texts, and returns them as they are and as texts. */
function distinctValues(frame: DataFrame, name: string, dtype: string) {
  if (isNumeric(dtype)) {
    const values = typed(frame, pl.col(name));
    const { numbers, first } = numbered(values);
    const distinct = first.map((row) => values[row]!);
    return {
      numbers,
      distinct,
      texts: distinct.map((each) => Number.isNaN(each) ? null : `${each}`),
    };
  }
  const { numbers, first } = numberedValues(frame, name);
  // polars accepts a series here, but its types do not.
  const texts = pl.DataFrame([frame.getColumn(name)]).select(
    pl.col(name).gather(pl.Series("", first, pl.Int64) as never).cast(pl.Utf8),
  ).getColumn(name).toArray() as (string | null)[];
  return { numbers, distinct: texts, texts };
}

/**
 * Reads the times of a column of any dtype. The values of a column have one form, see {@linkcode timesNamed}. Days of a
 * column with a time zone are those of its zone, and days of texts are those that are written; `zone` gives the days of
 * another zone to times of day.
 */
export function timesIn(frame: DataFrame, name: string, zone?: string): Times {
  const dtype = zonedDtypeNames(frame)[frame.columns.indexOf(name)]!;
  const about = { every: null, hasHours: false, zone: undefined, unread: [] };
  if (dtype === "Date") return { ...about, days: typed(frame, pl.col(name)) };
  const [isDatetime, own] = /^Datetime(?:\((.*)\))?$/.exec(dtype) ?? [];
  if (isDatetime !== undefined) return datetimes(frame, name, own, zone);
  if (!isText(dtype) && !isNumeric(dtype)) {
    const isKnown = dtype === "Null" || frame.height === 0;
    return {
      ...about,
      days: new Float64Array(frame.height).fill(NaN),
      unread: isKnown ? [] : frame.getColumn(name).dropNulls().head(1).toArray(),
    };
  }
  const { numbers, distinct, texts } = distinctValues(frame, name, dtype);
  const { every, times } = timesNamed(texts.filter((text) => text !== null));
  const timeOf = (text: string | null) => times.get(text ?? "") ?? { clock: NaN, offset: 0 };
  const clocks = Float64Array.from(texts, (text) => timeOf(text).clock);
  let { days, hasHours } = daysOf(clocks);
  if (hasHours && zone !== undefined) {
    const moments = clocks.map((clock, at) => clock - timeOf(texts[at]!).offset);
    ({ days, hasHours } = daysOf(clockOfMoments(moments, zone)));
  }
  return {
    ...about,
    every,
    hasHours,
    days: Float64Array.from(numbers, (at) => days[at]!),
    unread: distinct.filter((_, at) => texts[at] !== null && !times.has(texts[at]!)),
  };
}

/**
 * Reads the times of a column.
 *
 * @throws {RangeError} when a value is not read. The message shows the first one, and the lines that make dates of the
 * column.
 */
export function requireTimes(frame: DataFrame, name: string, fn: string, zone?: string): Times {
  const times = timesIn(frame, name, zone);
  if (times.unread.length === 0) return times;
  const [unread] = times.unread;
  const isMixed = times.days.some((day) => !Number.isNaN(day));
  const values: readonly unknown[] = isMixed ? frame.getColumn(name).toArray() : [];
  const row = values.indexOf(unread);
  throw new RangeError(
    `${fn}: ${name}: expected days, months, quarters or years, such as 2025-01-31, 2025-01, 2025-Q1 or ` +
      `2025; got ${shown(unread)}${row < 0 ? "" : ` in row ${row}`}${dateAdvice(frame, name)}`,
  );
}

/**
 * Reads the days of a column.
 *
 * @throws {RangeError} when a value is not read, or is a time of day.
 */
export function requireDays(frame: DataFrame, name: string, fn: string, zone?: string): Times {
  const times = requireTimes(frame, name, fn, zone);
  if (!times.hasHours) return times;
  const row = firstHour(times.days);
  throw new RangeError(
    `${fn}: ${name}: has times of day, such as ${timeText(times.days[row]!)} in row ${row}; ` +
      `make days of them, as in resample(frame, { every: "day", zone: "${times.zone ?? "UTC"}" })`,
  );
}

/** Returns the first row with a time of day. A row without a day has none. */
export function firstHour(days: Float64Array): number {
  return days.findIndex((day) => Math.abs(day % 1) > 0);
}

/** Returns a time of day as text: `2026-01-01T01:00:00`. */
export function timeText(day: number): string {
  return new Date(Math.round(day * DAY_MS)).toISOString().slice(0, 19);
}

/** Texts of five or more digits are ids, if no option states that they are times. */
const DIGITS = /^\d{5,}$/;

/** Returns whether a column of texts holds only times. */
export function holdsTimes(frame: DataFrame, name: string): boolean {
  const dtype = dtypeNames(frame)[frame.columns.indexOf(name)]!;
  if (!isText(dtype) || frame.height === 0) return false;
  const areTimes = (texts: readonly (string | null)[]) => {
    const known = texts.filter((text) => text !== null);
    return known.length > 0 && !known.some((text) => DIGITS.test(text)) &&
      timesNamed(known).unread.length === 0;
  };
  const column = frame.getColumn(name).cast(pl.Utf8);
  // The first texts mostly decide, at less cost.
  const first = column.head(3).dropNulls().toArray() as string[];
  return (first.length === 0 || areTimes(first)) &&
    areTimes(distinctValues(frame, name, dtype).texts);
}
