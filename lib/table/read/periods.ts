import { dayOf, EVERY, type Every, everyOf, periodAt } from "../../schema/period.ts";
import { columnsOf, setColumns } from "../track/descriptions.ts";
import { type DataFrame, pl } from "../columns/polars.ts";
import { lastFullDay } from "./reading.ts";
import { requireColumns } from "./requirements.ts";

/**
 * Returns the longest period on whose first days all days lie; for months, all first days or all last days. Returns
 * null without days.
 */
export function longestEvery(days: Iterable<number>): Every | null {
  const known = [...new Set(days)].filter((day) => !Number.isNaN(day));
  const all = (every: Every, side: "start" | "end") =>
    known.every((day) => periodAt(day, every)[side] === day);
  const found = EVERY.findLast((every) =>
    all(every, "start") || every === "month" && all(every, "end")
  );
  return known.length === 0 ? null : found!;
}

/** Returns the length of the periods of a frame. Null if there are no periods, or periods of different lengths. */
export function everyIn(frame: DataFrame, date = "date"): Every | null {
  if ([date, "until"].some((name) => !frame.columns.includes(name))) return null;
  const found = new Set(
    frame.select(date, "until").unique().rows().map(([start, end]) =>
      start instanceof Date && end instanceof Date
        ? everyOf({ start: dayOf(start), end: dayOf(end) })
        : null
    ),
  );
  const [every = null] = found;
  return found.size === 1 ? every : null;
}

/** Returns the days of a column of dates, or of times at midnight UTC. NaN means null. */
function daysIn(frame: DataFrame, name: string, fn: string): Float64Array {
  const [column, day] = [pl.col(name), pl.col(name).cast(pl.Date)];
  const [between] = frame.getColumn(name).dtype.equals(pl.Date)
    ? []
    : frame.select(name).filter(column.neq(day.cast(pl.Datetime("ms")))).head(1).rows().flat();
  if (between !== undefined) {
    throw new RangeError(
      `${fn}: ${name}: expected days, or times at midnight UTC; got ` +
        `${new Date(between).toISOString()}; cast the column to pl.Date`,
    );
  }
  return frame.select(day.cast(pl.Float64).fillNull(pl.lit(NaN))).getColumn(name)
    .toTypedArray() as Float64Array;
}

/**
 * Numbers groups of equal numbers in order of first appearance. `first` has the first row of each group.
 */
export function numbered(
  values: Float64Array | Uint32Array,
): { readonly numbers: Uint32Array; readonly first: number[] } {
  const known = new Map<number, number>();
  const first: number[] = [];
  const numbers = new Uint32Array(values.length);
  let [last, number] = [0, -1];
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    if (value !== last || number < 0) {
      last = value;
      const found = known.get(value);
      number = found ?? known.size;
      if (found === undefined) {
        known.set(value, number);
        first.push(row);
      }
    }
    numbers[row] = number;
  }
  return { numbers, first };
}

/**
 * Returns the periods of the days of a frame, in order of first appearance, and the number of the period of each row.
 * Without `until`, periods have the length that {@linkcode longestEvery} finds. `last` is the last day that can be
 * complete, if the frame does not state what is complete.
 *
 * @throws {RangeError} when a column is missing, or a time is not at midnight UTC.
 * @throws {TypeError} when a column has the wrong dtype.
 */
export function periodsOf(
  frame: DataFrame,
  { fn, date = "date" }: { readonly fn: string; readonly date?: string | undefined },
) {
  const source = "a frame of values over time";
  const has = (name: string) => frame.columns.includes(name);
  const dates = [date, "until"].filter(has);
  const wanted = Object.fromEntries([date, ...dates].map((name) => [name, "Date or Datetime"]));
  if (has("complete")) wanted.complete = "Bool";
  requireColumns(frame, { fn, source, dtypes: wanted });
  const [days, ends] = dates.map((name) => daysIn(frame, name, fn)) as [
    Float64Array,
    Float64Array?,
  ];
  const { numbers, first } = numbered(days);
  const distinct = first.map((row) => days[row]!);
  const every = longestEvery(distinct) ?? "day";
  const periods = first.map((row, at) =>
    ends === undefined ? periodAt(distinct[at]!, every) : { start: distinct[at]!, end: ends[row]! }
  );
  return { numbers, periods, ends, last: has("complete") ? null : lastFullDay(frame) };
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
