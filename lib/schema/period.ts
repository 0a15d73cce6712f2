/**
 * The lengths of a period of a timeline.
 *
 * @category Vocabulary
 */
export const EVERY = ["day", "week", "month", "quarter", "year"] as const;

/**
 * How long a period is: `week` is ISO 8601's, from Monday to Sunday.
 *
 * @category Vocabulary
 */
export type Every = typeof EVERY[number];

/** A whole period, by its first and its last day: both are counted since 1 January 1970, in UTC. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

const DAY_MS = 86_400_000;
const MONTHS = { month: 1, quarter: 3, year: 12 } as const;

/** The day of a moment, or of a date written `YYYY-MM-DD`; NaN where there is no such day. */
export function dayOf(moment: Date | string): number {
  if (typeof moment !== "string") return Math.floor(moment.getTime() / DAY_MS);
  const day = Date.parse(`${moment}T00:00:00Z`) / DAY_MS;
  // Some readers of dates take 30 February for 2 March.
  return Number.isNaN(day) || dayText(day) !== moment ? NaN : day;
}

/** The moment at which a day begins. */
export function dateOfDay(day: number): Date {
  return new Date(day * DAY_MS);
}

/** A day as `YYYY-MM-DD`. */
export function dayText(day: number): string {
  return dateOfDay(day).toISOString().slice(0, 10);
}

/**
 * The days that a day, a month or a year stands for, written `2025-01-31`, `2025-01` or `2025`; null where
 * there is none of that name, or its year is none that a market can have.
 */
export function daysNamed(text: string): Period | null {
  if (!/^[12]\d{3}(-\d{2}(-\d{2})?)?$/.test(text)) return null;
  const day = dayOf(text.length === 4 ? `${text}-01-01` : text.padEnd(10, "-01"));
  if (Number.isNaN(day)) return null;
  return periodAt(day, text.length === 4 ? "year" : text.length === 7 ? "month" : "day");
}

function firstOfMonth(year: number, month: number): number {
  return Date.UTC(year, month, 1) / DAY_MS;
}

function mondayOf(day: number): number {
  // Day 0 was a Thursday.
  return day - (((day + 3) % 7) + 7) % 7;
}

/** The period of a length that holds a day. */
export function periodAt(day: number, every: Every): Period {
  if (every === "day") return { start: day, end: day };
  if (every === "week") return { start: mondayOf(day), end: mondayOf(day) + 6 };
  const date = dateOfDay(day);
  const year = date.getUTCFullYear();
  const months = MONTHS[every];
  const month = Math.floor(date.getUTCMonth() / months) * months;
  return { start: firstOfMonth(year, month), end: firstOfMonth(year, month + months) - 1 };
}

/** The length that a period has; null where its days are those of no period. */
export function everyOf({ start, end }: Period): Every | null {
  return EVERY.find((every) => {
    const period = periodAt(start, every);
    return period.start === start && period.end === end;
  }) ?? null;
}

/** The period that is so many periods earlier. */
export function periodsBefore(period: Period, every: Every, count: number): Period {
  const { start } = period;
  if (every === "day" || every === "week") {
    return periodAt(start - count * (every === "day" ? 1 : 7), every);
  }
  const date = dateOfDay(start);
  const month = date.getUTCMonth() - count * MONTHS[every];
  return periodAt(firstOfMonth(date.getUTCFullYear(), month), every);
}

/** The Monday of week 1 of an ISO 8601 year: the week that holds 4 January. */
function firstMonday(year: number): number {
  return mondayOf(firstOfMonth(year, 0) + 3);
}

/**
 * The same period of the year before: the same day of the month, the week of the same ISO number. null
 * where the year before has none: 29 February, and most often week 53.
 */
export function yearBefore(period: Period, every: Every): Period | null {
  if (every === "week") {
    const year = dateOfDay(period.start + 3).getUTCFullYear();
    const start = firstMonday(year - 1) + period.start - firstMonday(year);
    return start < firstMonday(year) ? { start, end: start + 6 } : null;
  }
  const date = dateOfDay(period.start);
  const month = firstOfMonth(date.getUTCFullYear() - 1, date.getUTCMonth());
  if (every !== "day") return periodAt(month, every);
  const day = month + date.getUTCDate() - 1;
  return dateOfDay(day).getUTCMonth() === date.getUTCMonth() ? { start: day, end: day } : null;
}

/**
 * The moment that a Date is, or an ISO timestamp with its zone, or the end of a day in UTC, written
 * `2025-01-31`; null for what is none of them.
 */
export function momentNamed(value: unknown): Date | null {
  const zoned = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;
  if (typeof value !== "string" || zoned.test(value)) {
    const moment = value instanceof Date || typeof value === "string" ? new Date(value) : null;
    return moment === null || Number.isNaN(moment.getTime()) ? null : moment;
  }
  const day = value.length === 10 ? daysNamed(value) : null;
  return day === null ? null : new Date(dateOfDay(day.end + 1).getTime() - 1);
}
