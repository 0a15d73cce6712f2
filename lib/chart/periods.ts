import { dayOf, everyOf as periodOf } from "../schema/period.ts";
import type { DataFrame } from "../table/polars.ts";
import { countOf, formatDay, formatMonth } from "./format.ts";
import type { Settings } from "./options.ts";
import { recordsOf } from "./read/rows.ts";
import { dayWords } from "./words.ts";

/**
 * Returns the length of the periods of a frame, such as `month`. Null if the frame has no periods, or periods of
 * different lengths.
 */
export function everyOf(frame: DataFrame): string | null {
  const periods = new Set(
    recordsOf(frame, { numbers: ["date", "until"] }).map(({ date, until }) =>
      date === null || until === null
        ? null
        : periodOf({ start: dayOf(new Date(date)), end: dayOf(new Date(until)) })
    ),
  );
  const [every = null] = periods;
  return periods.size === 1 ? every : null;
}

/**
 * Returns how dates are written: as the periods of the frame. Without periods, dates that are all the first of a month
 * are written as months, quarters or years.
 */
export function writtenAs(frame: DataFrame): string | null {
  const every = everyOf(frame);
  if (every !== null || frame.columns.includes("until")) return every;
  const dates = recordsOf(frame, { numbers: ["date"] }).flatMap(({ date }) => date ?? []);
  const firsts = [...new Set(dates)].toSorted((a, b) => a - b).map((date) => new Date(date));
  if (firsts.length < 2 || firsts.some((date) => date.getUTCDate() !== 1)) return null;
  const months = firsts.map((date) => 12 * date.getUTCFullYear() + date.getUTCMonth());
  const gap = Math.min(...months.slice(1).map((month, index) => month - months[index]!));
  return months.length === 2
    ? "month"
    : gap % 12 === 0
    ? "year"
    : gap % 3 === 0
    ? "quarter"
    : "month";
}

/** Returns the name of a period from its first day: `Mar 2026` for a month. */
export function periodText(date: Date, every: string | null, locale: string): string {
  if (every === "year") return String(date.getUTCFullYear());
  return every === "month" || every === "quarter"
    ? formatMonth(date, locale)
    : formatDay(date, locale);
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

/** Describes the window of a field in days: `30 days to 30 Jun 2026`. */
export function windowWords(
  frame: DataFrame,
  field: string,
  settings: Settings,
): string {
  const window = /_(\d+)d(_|$)/.exec(field)?.[1];
  const moment = field.endsWith("_latest") ? "on" : "data to";
  const words = window === undefined ? moment : `${countOf(Number(window), "day")} to`;
  return dayWords(words, frame, settings);
}
