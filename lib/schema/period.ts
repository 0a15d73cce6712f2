import { momentIn } from "./grammar.ts";

/**
 * Lengths of the periods of a timeline.
 *
 * @category Vocabulary
 */
export const EVERY = ["day", "week", "month", "quarter", "year"] as const;

/**
 * Length of a period. `week` is Monday to Sunday (ISO 8601).
 *
 * @category Vocabulary
 */
export type Every = typeof EVERY[number];

/** The first and the last day of a period. A day is a number: 1 January 1970 is 0, in UTC. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

const DAY_MS = 86_400_000;
const MONTHS = { month: 1, quarter: 3, year: 12 } as const;

/** Converts a Date or a text `YYYY-MM-DD` to the number of its day (1 January 1970 is 0); NaN for an invalid day. */
export function dayOf(moment: Date | string): number {
  if (typeof moment !== "string") return Math.floor(moment.getTime() / DAY_MS);
  return moment.length === 10 ? momentIn(moment)?.day ?? NaN : NaN;
}

/** Converts the number of a day to a Date: the beginning of the day in UTC. */
export function dateOfDay(day: number): Date {
  return new Date(day * DAY_MS);
}

/** Converts the number of a day to text: `YYYY-MM-DD`. */
export function dayText(day: number): string {
  return dateOfDay(day).toISOString().slice(0, 10);
}

/**
 * Returns the first and the last day of a day, month or year, such as `2025-01-31`, `2025-01` or `2025`. Returns
 * null if the text is invalid.
 */
export function daysNamed(text: string): Period | null {
  if (!/^[1-9]\d{3}(-\d{2}(-\d{2})?)?$/.test(text)) return null;
  const day = dayOf(text.length === 4 ? `${text}-01-01` : text.padEnd(10, "-01"));
  if (Number.isNaN(day)) return null;
  return periodAt(day, text.length === 4 ? "year" : text.length === 7 ? "month" : "day");
}

function firstOfMonth(year: number, month: number): number {
  return Date.UTC(year, month, 1) / DAY_MS;
}

/** Returns the first day of the month that {@linkcode monthNumber} counts. */
function dayOfMonth(number: number): number {
  return firstOfMonth(Math.floor(number / 12), number % 12);
}

function mondayOf(day: number): number {
  // Day 0 was a Thursday.
  return day - (((day + 3) % 7) + 7) % 7;
}

/** Returns the number of the month that contains a day: months that follow each other differ by 1. */
export function monthNumber(day: number): number {
  const date = dateOfDay(day);
  return 12 * date.getUTCFullYear() + date.getUTCMonth();
}

/** Returns the period of the given length that begins on a day. Longer periods than weeks begin with a month. */
export function periodFrom(start: number, every: Every): Period {
  if (every === "day" || every === "week") return { start, end: start + (every === "day" ? 0 : 6) };
  return { start, end: dayOfMonth(monthNumber(start) + MONTHS[every]) - 1 };
}

/** Returns the calendar day, ISO week, calendar month, quarter or year that contains a day. */
export function periodAt(day: number, every: Every): Period {
  if (every === "day") return periodFrom(day, every);
  if (every === "week") return periodFrom(mondayOf(day), every);
  const month = monthNumber(day);
  return periodFrom(dayOfMonth(month - month % MONTHS[every]), every);
}

/**
 * Returns the length of a period: one day, seven days, or one, three or twelve calendar months. Null for other lengths.
 */
export function everyOf({ start, end }: Period): Every | null {
  const isMonth = dateOfDay(start).getUTCDate() === 1;
  return EVERY.find((every) =>
    (isMonth || every === "day" || every === "week") && periodFrom(start, every).end === end
  ) ?? null;
}

/** Returns the period that is `count` periods of the given length before a period. */
export function periodsBefore(
  { start }: Pick<Period, "start">,
  every: Every,
  count: number,
): Period {
  if (every === "day" || every === "week") {
    return periodFrom(start - count * (every === "day" ? 1 : 7), every);
  }
  return periodFrom(dayOfMonth(monthNumber(start) - count * MONTHS[every]), every);
}

/** Returns the Monday of week 1 of an ISO 8601 year. Week 1 contains 4 January. */
function firstMonday(year: number): number {
  return mondayOf(firstOfMonth(year, 0) + 3);
}

/** Returns the Monday of an ISO week. NaN if the year does not have this week. */
export function weekNamed(year: number, week: number): number {
  const monday = firstMonday(year) + 7 * (week - 1);
  return week >= 1 && monday < firstMonday(year + 1) ? monday : NaN;
}

/**
 * Returns the corresponding period of the previous year, such as the same day of the month or the same ISO week. A week
 * of other weekdays is the ISO week that contains its fourth day.
 *
 * Returns null if the previous year does not have this period: 29 February, and usually week 53.
 */
export function yearBefore(period: Period, every: Every): Period | null {
  if (every === "week") {
    const monday = mondayOf(period.start + 3);
    const year = dateOfDay(monday + 3).getUTCFullYear();
    const before = firstMonday(year - 1) + monday - firstMonday(year);
    return before < firstMonday(year) ? periodFrom(period.start + before - monday, every) : null;
  }
  const date = dateOfDay(period.start);
  const month = firstOfMonth(date.getUTCFullYear() - 1, date.getUTCMonth());
  if (every !== "day") return periodFrom(month, every);
  const day = month + date.getUTCDate() - 1;
  return dateOfDay(day).getUTCMonth() === date.getUTCMonth() ? { start: day, end: day } : null;
}

/**
 * Converts a Date, an ISO timestamp with a time zone, or a day such as `2025-01-31` to a Date. For a day, this is the
 * start or the end of the day in UTC. Returns null for all other values.
 */
export function momentNamed(value: unknown, side: "start" | "end"): Date | null {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value;
  if (typeof value !== "string") return null;
  if (/T.*(?:Z|[+-]\d\d:\d\d)$/.test(value)) {
    const moment = momentIn(value);
    return moment === null ? null : new Date(moment.time);
  }
  const day = value.length === 10 ? daysNamed(value) : null;
  if (day === null) return null;
  return side === "start" ? dateOfDay(day.start) : new Date(dateOfDay(day.end + 1).getTime() - 1);
}
