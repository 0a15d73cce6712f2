import type { Refuse } from "../../platform/check_options.ts";
import { dayOf, daysNamed, momentNamed } from "../../schema/period.ts";

/** Checks an option that names a day. Returns the number of days from 1 January 1970 to this day, in UTC. */
export function aDay(value: unknown, refuse: Refuse): number {
  // JSON has the text of a Date.
  const isText = typeof value === "string" && value.length > 10;
  const date = value instanceof Date || isText ? momentNamed(value, "start") : null;
  if (date !== null) return dayOf(date);
  return (typeof value === "string" ? daysNamed(value)?.start : undefined) ??
    refuse("must be a day, a month or a year, written 2025-01-31, 2025-01 or 2025, or a Date");
}

/** Checks an option that names a last day, as {@linkcode aDay} does: a month or a year means its last day. */
export function aLastDay(value: unknown, refuse: Refuse): number {
  return (typeof value === "string" ? daysNamed(value)?.end : undefined) ?? aDay(value, refuse);
}
