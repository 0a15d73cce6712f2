import type { Interval } from "../../schema/interval.ts";
import { addDays, daysBetween, type Span } from "../datasets/span.ts";

/** The days a breakdown looks at: its window, and where the comparison with what was before begins. */
export interface BreakdownWindow {
  readonly start: string;
  readonly end: string;
  readonly before: string;
  readonly base: string;
}

const DAYS: Readonly<Record<Exclude<Interval, "ytd" | "max">, number>> = {
  "24h": 1,
  "7d": 7,
  "30d": 30,
  "90d": 90,
  "180d": 180,
  "365d": 365,
};

function intervalStart(interval: Interval, { first_day, last_day }: Span): string {
  if (interval === "max") return first_day;
  if (interval === "ytd") return `${last_day.slice(0, 4)}-01-01`;
  return addDays(last_day, 1 - DAYS[interval]);
}

/**
 * The window of an interval, which ends with the last day of the data. Dates replace it: both ends
 * belong to it, and one alone is completed from the other side of the data. Days outside the data
 * are cut off; null when none is left.
 */
export function breakdownWindow(
  interval: Interval,
  dates: { start?: string | undefined; end?: string | undefined },
  span: Span,
): BreakdownWindow | null {
  const given = dates.start !== undefined || dates.end !== undefined;
  const from = given ? dates.start ?? span.first_day : intervalStart(interval, span);
  const to = given ? dates.end ?? span.last_day : span.last_day;
  const start = given && from < span.first_day ? span.first_day : from;
  const end = to > span.last_day ? span.last_day : to;
  if (start > end) return null;
  const days = daysBetween(start, end);
  return { start, end, before: addDays(start, -days), base: addDays(end, -days) };
}
