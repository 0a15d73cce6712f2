import { dayOf, EVERY, type Every, everyOf, periodAt } from "../../schema/period.ts";
import { dtypeNames } from "../build/dtypes.ts";
import { columnsOf, setColumns } from "../track/descriptions.ts";
import { type DataFrame, pl } from "../build/polars.ts";
import { lastFullDay } from "./reading.ts";
import { requireColumns } from "./requirements.ts";

const DAY_MS = 86_400_000;

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
  const moments = frame.select(
    pl.col(name).cast(pl.Datetime("ms")).cast(pl.Int64).cast(pl.Float64).fillNull(pl.lit(NaN)),
  ).getColumn(name).toTypedArray() as Float64Array;
  const between = moments.filter((moment) => moment % DAY_MS !== 0 && moment === moment);
  if (between.length > 0) {
    const texts = [...new Set(between.slice(0, 100))].slice(0, 2)
      .map((moment) => new Date(moment).toISOString());
    throw new RangeError(
      `${fn}: ${name}: expected days, or times at midnight UTC; got ${texts.join(", ")}; ` +
        "cast the column to pl.Date",
    );
  }
  return moments.map((moment) => moment / DAY_MS);
}

/**
 * Returns a frame with the period of each row: its first day in the column of dates, its last day in `until`, and
 * `complete`. Without `until`, periods have the length that {@linkcode longestEvery} finds. Without `complete`, a period
 * is complete if its last day is not after {@linkcode lastFullDay}, or if this day is not known.
 *
 * @throws {RangeError} when a column is missing, or a time is not at midnight UTC.
 * @throws {TypeError} when a column has the wrong dtype.
 */
export function withPeriods(
  frame: DataFrame,
  { fn, date = "date" }: { readonly fn: string; readonly date?: string | undefined },
): DataFrame {
  const source = "a frame of values over time";
  const has = (name: string) => frame.columns.includes(name);
  const dtypes = dtypeNames(frame);
  const isTime = (name: string) => dtypes[frame.columns.indexOf(name)] === "Datetime";
  const dates = [date, "until"].filter(has);
  const wanted = Object.fromEntries([date, ...dates].map((name) => [name, "Date or Datetime"]));
  if (has("complete")) wanted.complete = "Bool";
  requireColumns(frame, { fn, source, dtypes: wanted });
  const last = has("complete") ? null : lastFullDay(frame);
  const complete = has("complete")
    ? pl.col("complete").fillNull(pl.lit(false))
    : last === null
    ? pl.lit(true)
    : pl.col("until").cast(pl.Date).cast(pl.Int64).ltEq(pl.lit(last)).fillNull(pl.lit(false));
  const settled = (dated: DataFrame) =>
    setColumns(dated.withColumn(complete.alias("complete")), columnsOf(frame));
  if (has("until") && !dates.some(isTime)) return settled(frame);
  const [days, ends] = dates.map((name) => daysIn(frame, name, fn)) as [
    Float64Array,
    Float64Array?,
  ];
  const every = longestEvery(days) ?? "day";
  const periods = new Map(Array.from(new Set(days), (day) => [day, periodAt(day, every)]));
  const column = (name: string, numbers: Float64Array) =>
    pl.Series(name, numbers as ArrayLike<number>, pl.Float64);
  const starts = ends === undefined ? days.map((day) => periods.get(day)!.start) : days;
  const until = ends ?? days.map((day) => periods.get(day)!.end);
  const asDate = (name: string) => pl.col(name).fillNan(pl.lit(null)).cast(pl.Int32).cast(pl.Date);
  const dated = frame.withColumns(column(date, starts), column("until", until));
  return settled(dated.withColumns(asDate(date), asDate("until")));
}
