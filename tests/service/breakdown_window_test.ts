import { deepStrictEqual as equal } from "node:assert/strict";
import type { Interval } from "../../lib/schema/vocabulary.ts";
import { breakdownWindow } from "../../lib/service/query/read_breakdown.ts";

const SPAN = { first_day: "2025-03-01", last_day: "2026-02-28" };

const CASES: [
  Interval,
  { start?: string; end?: string },
  [string, string, string, string] | null,
][] = [
  // interval, dates, [start, end, first day of the window before, base day]
  ["24h", {}, ["2026-02-28", "2026-02-28", "2026-02-27", "2026-02-27"]],
  ["7d", {}, ["2026-02-22", "2026-02-28", "2026-02-15", "2026-02-21"]],
  ["30d", {}, ["2026-01-30", "2026-02-28", "2025-12-31", "2026-01-29"]],
  ["365d", {}, ["2025-03-01", "2026-02-28", "2024-03-01", "2025-02-28"]],
  ["ytd", {}, ["2026-01-01", "2026-02-28", "2025-11-03", "2025-12-31"]],
  ["max", {}, ["2025-03-01", "2026-02-28", "2024-03-01", "2025-02-28"]],
  ["7d", { start: "2026-02-27" }, ["2026-02-27", "2026-02-28", "2026-02-25", "2026-02-26"]],
  ["7d", { end: "2025-03-02" }, ["2025-03-01", "2025-03-02", "2025-02-27", "2025-02-28"]],
  ["7d", { start: "2025-12-31", end: "2025-12-31" }, [
    "2025-12-31",
    "2025-12-31",
    "2025-12-30",
    "2025-12-30",
  ]],
  ["7d", { start: "2000-01-01", end: "2099-01-01" }, [
    "2025-03-01",
    "2026-02-28",
    "2024-03-01",
    "2025-02-28",
  ]],
  ["7d", { start: "2026-03-01" }, null],
  ["7d", { end: "2025-02-28" }, null],
];

Deno.test("breakdownWindow includes both ends, prefers dates to the interval, and is cut to the data", () => {
  for (const [interval, dates, expected] of CASES) {
    const window = breakdownWindow(interval, dates, SPAN);
    const days = window && [window.start, window.end, window.before, window.base];
    equal([interval, dates, days], [interval, dates, expected]);
  }
});
