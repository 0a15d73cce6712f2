import { dayOf } from "../schema/period.ts";
import { everyIn, longestEvery } from "../table/read/periods.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import { formatDay, formatMonth } from "./format.ts";
import type { Settings } from "./options.ts";
import { numberValues } from "./read/rows.ts";
import { countOf, dayWords } from "./words.ts";

/** Returns how dates are written: as the periods of the frame, or as the longest periods that begin on all dates. */
export function writtenAs(frame: DataFrame): string | null {
  const every = everyIn(frame);
  if (every !== null || frame.columns.includes("until")) return every;
  const dates = numberValues(frame, "date").flatMap((at) => at ?? []);
  const days = new Set(dates.map((date) => dayOf(new Date(date))));
  const longest = days.size < 2 ? null : longestEvery(days);
  // Two dates are too few to distinguish years from months.
  return days.size === 2 && longest !== "day" && longest !== "week" ? longest && "month" : longest;
}

/** Returns the name of a period from its first day: `Mar 2026` for a month, `Q1 2026` for a quarter. */
export function periodText(date: Date, every: string | null, locale: string): string {
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
  const [first, last] = [dates[0]!, dates.at(-1)!].map((date) => periodText(date, name, locale));
  return first === last ? first! : `${first} to ${last}`;
}

/** Returns the first and the last date of a frame as text. Empty if it has no column `date`. */
export function datesText(frame: DataFrame, locale: string): string {
  const days = numberValues(frame, "date").flatMap((at) => at ?? []);
  return days.length === 0 ? "" : daysText(days, locale, everyIn(frame));
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
