import { notify } from "../../platform/terminal.ts";
import { dayText, type Every, everyOf, type Period, periodFrom } from "../../schema/period.ts";
import { columnsOf, setColumns } from "../track/descriptions.ts";
import { type DataFrame, pl } from "../columns/polars.ts";
import { lastFullDay } from "./reading.ts";
import { type Numbered, numbered } from "./numbered.ts";
import { requireColumns } from "./requirements.ts";
import { spacingOf } from "./spacing.ts";
import { requireDays, type Times, timesIn } from "./times.ts";

/** Returns the last days that a column names: a month in it means its last day. */
function lastDays({ days, every }: Times): Float64Array {
  return every === null
    ? days
    : days.map((day) => Number.isNaN(day) ? day : periodFrom(day, every).end);
}

/** Returns the length of the periods of a frame. Null if there are no periods, or periods of different lengths. */
export function everyIn(frame: DataFrame, date = "date"): Every | null {
  if ([date, "until"].some((name) => !frame.columns.includes(name))) return null;
  const [dates, until] = [timesIn(frame, date), timesIn(frame, "until")];
  if ([dates, until].some(({ unread, hasHours }) => unread.length > 0 || hasHours)) return null;
  const ends = lastDays(until);
  const found = new Set<Every | null>();
  let known = -1;
  for (let row = 0; row < ends.length; row++) {
    const [start, end] = [dates.days[row]!, ends[row]!];
    const isSame = known >= 0 && start === dates.days[known] && end === ends[known];
    if (!isSame) found.add(Number.isNaN(start + end) ? null : everyOf({ start, end }));
    known = row;
  }
  const [every = null] = found;
  return found.size === 1 ? every : null;
}

/** The periods of the rows of a frame. */
export interface RowPeriods {
  /** The number of the period of each row. */
  readonly numbers: Uint32Array;
  /** The periods, in order of first appearance. NaN for a date that is null. */
  readonly periods: readonly Period[];
  /** The last day of each row, if the frame has the column `until`. */
  readonly ends: Float64Array | undefined;
  /** The length that all periods have in common. Null for other or different lengths, and without periods. */
  readonly every: Every | null;
  /** False for days at nearly equal distances that are neither first nor last days. */
  readonly isKnown: boolean;
  /** The weekday of labels that can be the first or the last days of weeks, and are read as the last. */
  readonly weekday: string | undefined;
  /** The last day of the data, if it is within a period. */
  readonly through: number | undefined;
  /** The last day that can be complete, if the frame does not state what is complete. */
  readonly last: number | null;
}

/**
 * Returns the periods of the rows of a frame. The last day of a period is that of `until`, else that of the form of the
 * column (`2025-Q1`), else that which {@linkcode spacingOf} finds.
 *
 * @throws {RangeError} when a column is missing, a value is not read as a time, or is a time of day.
 * @throws {TypeError} when `complete` is not Boolean.
 */
export function periodsOf(
  frame: DataFrame,
  { fn, date = "date", zone }: {
    readonly fn: string;
    readonly date?: string | undefined;
    /** The zone whose days count, if there are times of day. */
    readonly zone?: string | undefined;
  },
): RowPeriods {
  const source = "a frame of values over time";
  const has = (name: string) => frame.columns.includes(name);
  const dtypes = has("complete") ? { complete: "Bool" } : {};
  requireColumns(frame, { fn, source, columns: [date], dtypes });
  const { days, every: stated } = requireDays(frame, date, fn, zone);
  const ends = has("until") ? lastDays(requireDays(frame, "until", fn)) : undefined;
  const { numbers, first } = numbered(days);
  if (ends !== undefined) refuseWrongEnds(days, ends, { fn, date, numbers, first });
  const distinct = first.map((row) => days[row]!);
  const spacing = ends === undefined && stated === null ? spacingOf(distinct) : null;
  const periods = first.map((row, at): Period => {
    const start = distinct[at]!;
    if (Number.isNaN(start)) return { start, end: NaN };
    if (ends !== undefined) return { start, end: ends[row]! };
    return spacing === null ? periodFrom(start, stated!) : spacing.periodOf(start);
  });
  const known = periods.filter(({ start }) => !Number.isNaN(start));
  const lengths = new Set(known.map(everyOf));
  const [every = null] = lengths.size === 1 ? lengths : [];
  return {
    numbers,
    periods,
    ends,
    every: spacing === null || known.length === 0 ? every : spacing.every,
    isKnown: spacing?.every !== null,
    weekday: spacing?.weekday,
    through: spacing?.through,
    last: has("complete") ? null : lastFullDay(frame) ?? spacing?.through ?? null,
  };
}

/** Throws a RangeError if a period ends before its first day, or if rows of one date end on different days. */
function refuseWrongEnds(
  days: Float64Array,
  ends: Float64Array,
  { fn, date, numbers, first }: Numbered & { readonly fn: string; readonly date: string },
): void {
  for (let row = 0; row < ends.length; row++) {
    const [end, other] = [ends[row]!, first[numbers[row]!]!];
    if (end < days[row]!) {
      throw new RangeError(
        `${fn}: until: must not be before ${date}; got ${dayText(end)} for ${dayText(days[row]!)}`,
      );
    }
    if (end > ends[other]! || end < ends[other]!) {
      throw new RangeError(
        `${fn}: until: periods of one ${date} must have one length; got ${dayText(ends[other]!)} ` +
          `and ${dayText(end)} for ${dayText(days[row]!)}`,
      );
    }
  }
}

/** Prints how the labels of weeks are read, if they can be first or last days. */
export function noteWeekday(weekday: string | undefined, fn: string): void {
  if (weekday === undefined) return;
  notify(`${fn}: ${weekday}s are read as the last days of weeks; add until if they are the first`);
}

/**
 * Returns a frame with the period of each row: its first day in the column of dates, its last day in `until`, and
 * `complete`. Without `complete`, a period is complete if its last day is not after {@linkcode lastFullDay}, or if this
 * day is not known. Throws what {@linkcode periodsOf} throws.
 */
export function withPeriods(
  frame: DataFrame,
  about: { readonly fn: string; readonly date?: string | undefined },
): DataFrame {
  const { date = "date" } = about;
  const { numbers, periods, ends, last } = periodsOf(frame, about);
  const column = (name: string, days: Float64Array) =>
    pl.Series(name, days as ArrayLike<number>, pl.Float64);
  const day = (name: string) => pl.col(name).fillNan(pl.lit(null)).cast(pl.Int32).cast(pl.Date);
  const complete = frame.columns.includes("complete")
    ? pl.col("complete")
    : pl.col("until").ltEq(pl.lit(last ?? Infinity));
  const dated = frame.withColumns(
    column(date, Float64Array.from(numbers, (at) => periods[at]!.start)),
    column("until", ends ?? Float64Array.from(numbers, (at) => periods[at]!.end)),
  ).withColumns(day(date), day("until"), complete.fillNull(pl.lit(false)).alias("complete"));
  return setColumns(dated, columnsOf(frame));
}
