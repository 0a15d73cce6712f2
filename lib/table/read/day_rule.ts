import type { Refuse } from "../../platform/check_options.ts";
import { dayOf, daysNamed } from "../../schema/period.ts";

/** Checks an option that names a day. Returns the number of days from 1 January 1970 to this day, in UTC. */
export function aDay(value: unknown, refuse: Refuse): number {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return dayOf(value);
  return (typeof value === "string" ? daysNamed(value)?.start : undefined) ??
    refuse("must be a day, a month or a year, written 2025-01-31, 2025-01 or 2025, or a Date");
}
