import { datesOf } from "../table/read/reading.ts";
import { dateOfDay, dayOf, periodAt, periodFrom } from "../schema/period.ts";
import { everyIn, periodsOf } from "../table/read/periods.ts";
import { timesIn } from "../table/read/times.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import { formatDay, formatMonth } from "./format.ts";
import type { Settings } from "./options.ts";
import { countOf, dayWords } from "./words.ts";

const DAY = 86_400_000;

/**
 * Returns how dates are written: as the periods of the frame or of the form of its dates, or as the longest periods that
 * begin on all dates.
 */
export function writtenAs(frame: DataFrame, date = "date"): string | null {
  const every = everyIn(frame, date) ?? timesIn(frame, date).every;
  if (every !== null || frame.columns.includes("until")) return every;
  const { periods, every: longest } = periodsOf(frame, { fn: "chart", date });
  if (periods.length < 2) return null;
  // Two dates are too few to distinguish years from months.
  const isLong = longest !== null && longest !== "day" && longest !== "week";
  return periods.length === 2 && isLong ? "month" : longest;
}

/** Returns the first and the last month of a quarter or a year that is not one of the calendar. Null for others. */
function monthsOf(date: Date, every: string | null, locale: string): [string, string] | null {
  if (every !== "quarter" && every !== "year") return null;
  const day = dayOf(date);
  if (periodAt(day, every).start === day) return null;
  const { end } = periodFrom(day, every);
  return [formatMonth(date, locale), formatMonth(dateOfDay(end), locale)];
}

/**
 * Returns the name of a period from its first day: `Mar 2026` for a month, `Q1 2026` for a quarter, `Nov 2025 to Jan 2026`
 * for a quarter of other months.
 */
export function periodText(date: Date, every: string | null, locale: string): string {
  const months = monthsOf(date, every, locale);
  if (months !== null) return months.join(" to ");
  const year = String(date.getUTCFullYear());
  if (every === "year") return year;
  if (every === "quarter") return `Q${1 + Math.floor(date.getUTCMonth() / 3)} ${year}`;
  return every === "month" ? formatMonth(date, locale) : formatDay(date, locale);
}

/** Returns the first and the last period as text, such as `Jan 2025 to Dec 2025` for months. */
export function daysText(places: Iterable<number>, locale: string, every?: string | null): string {
  const dates = [...places].toSorted((a, b) => a - b).map((at) => new Date(at));
  if (dates.length === 0) return "";
  const name = every === undefined && dates.every((date) => date.getUTCDate() === 1)
    ? "month"
    : every ?? null;
  const [first, last] = [dates[0]!, dates.at(-1)!].map((date) => {
    const text = periodText(date, name, locale);
    return monthsOf(date, name, locale) ?? [text, text];
  });
  return first![0] === last![1] ? first![0]! : `${first![0]} to ${last![1]}`;
}

/** Returns the first and the last period of a frame as text. Empty if it has no periods. */
export function datesText(frame: DataFrame, locale: string): string {
  const [date] = datesOf(frame, "chart");
  if (date === undefined) return "";
  const { days, unread, hasHours } = timesIn(frame, date);
  const arePeriods = unread.length === 0 && !hasHours;
  const starts = arePeriods
    ? periodsOf(frame, { fn: "chart", date }).periods.map(({ start }) => start)
    : [...days];
  const places = starts.flatMap((day) => Number.isNaN(day) ? [] : [Math.floor(day) * DAY]);
  return daysText(places, locale, arePeriods ? writtenAs(frame, date) : null);
}

/** Describes the time of one row of a frame: `in one month`, `at one date`. Empty if it has no dates. */
export function timeOfRow(frame: DataFrame): string {
  const [date] = datesOf(frame, "chart");
  if (date === undefined) return "";
  const { unread, hasHours } = timesIn(frame, date);
  const every = unread.length === 0 && !hasHours ? writtenAs(frame, date) : null;
  return every === null || every === "day" ? "at one date" : `in one ${every}`;
}

/** Describes the window of a field in days: `30 days to 30 Jun 2026`. */
export function windowWords(
  frame: DataFrame,
  field: string,
  settings: Settings,
): string {
  const window = /_(\d+)d(_|$)/.exec(field)?.[1];
  const moment = field.endsWith("_latest") ? "on" : "data to";
  const words = window === undefined ? moment : `${countOf(Number(window), "day")} to`;
  return dayWords(words, [frame, field], settings);
}
