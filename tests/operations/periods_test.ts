import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { periodBound, periodsBetween } from "../../lib/operations/timeline.ts";
import { dayText, type Every } from "../../lib/schema/period.ts";

const refuse = (allowed: string): never => {
  throw new Error(allowed);
};

function bound(value: unknown): string {
  const { start, end } = periodBound(value, refuse);
  return `${dayText(start)} ${dayText(end)}`;
}

function between(every: Every, from: string, to: string): string[] {
  const span = { every, from: periodBound(from, refuse), to: periodBound(to, refuse) };
  return periodsBetween(span).map(({ start, end }) => `${dayText(start)} ${dayText(end)}`);
}

Deno.test("periodBound reads a day, month or year as its first or last day", () => {
  strictEqual(bound("2024-02-29"), "2024-02-29 2024-02-29");
  strictEqual(bound("2024-02"), "2024-02-01 2024-02-29");
  strictEqual(bound("2025-02"), "2025-02-01 2025-02-28");
  strictEqual(bound("2025"), "2025-01-01 2025-12-31");
});

Deno.test("periodBound refuses days, months and years that do not exist", () => {
  const form =
    /^must be a day, a month or a year that exists, written 2025-01-31, 2025-01 or 2025$/;
  const wrong = [2025, "25-01", "2025-1", "2025-W01", "0025-01-01", "", null, new Date(0)];
  for (const value of [...wrong, "2025-02-29", "2025-13", "2025-00", "2025-04-31"]) {
    throws(() => bound(value), { message: form }, String(value));
  }
});

Deno.test("periodsBetween returns whole periods, including those of both ends", () => {
  deepStrictEqual(between("month", "2025-01-17", "2025-03-02"), [
    "2025-01-01 2025-01-31",
    "2025-02-01 2025-02-28",
    "2025-03-01 2025-03-31",
  ]);
  deepStrictEqual(between("week", "2025-01", "2025-01-06"), [
    "2024-12-30 2025-01-05",
    "2025-01-06 2025-01-12",
  ]);
  deepStrictEqual(between("week", "2020-12-31", "2021-01-04"), [
    "2020-12-28 2021-01-03",
    "2021-01-04 2021-01-10",
  ]);
  deepStrictEqual(between("quarter", "2024-12", "2025-01"), [
    "2024-10-01 2024-12-31",
    "2025-01-01 2025-03-31",
  ]);
  deepStrictEqual(between("year", "2024-06", "2024"), ["2024-01-01 2024-12-31"]);
  deepStrictEqual(between("day", "2024-02-28", "2024-03-01"), [
    "2024-02-28 2024-02-28",
    "2024-02-29 2024-02-29",
    "2024-03-01 2024-03-01",
  ]);
  strictEqual(between("week", "2020", "2020").length, 53);
  strictEqual(between("day", "2024", "2024").length, 366);
});

Deno.test("periodsBetween is empty if the first day is after the last", () => {
  deepStrictEqual(between("month", "2025-02", "2025-01"), []);
  // Inside of one period the ends may lie either way, as long as they touch.
  deepStrictEqual(between("year", "2025", "2025-03"), ["2025-01-01 2025-12-31"]);
});
