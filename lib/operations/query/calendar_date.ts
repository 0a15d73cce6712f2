import type { Refuse } from "./rule.ts";

/** Checks an ISO 8601 calendar date, `2025-02-28`, and that there is such a day. */
export function calendarDate(value: unknown, refuse: Refuse): string {
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(value)) {
    return refuse("must be a date written YYYY-MM-DD");
  }
  const time = Date.parse(`${value}T00:00:00Z`);
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== value) {
    return refuse("must be a day that exists");
  }
  return value;
}
