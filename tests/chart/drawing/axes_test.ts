import assert from "node:assert/strict";
import { axisFor, type AxisSide, monthTicks, ticksOf } from "../../../lib/chart/drawing/axes.ts";

const STYLE = { unit: "count", locale: "en-US" } as const;

function numbers(values: readonly number[], side: Partial<AxisSide> = {}): AxisSide {
  return { axis: axisFor(values), style: STYLE, name: "", ...side };
}

function dates(days: readonly string[]): AxisSide {
  return {
    axis: axisFor(days.map((day) => Date.parse(day)), { dates: true }),
    style: STYLE,
    name: "",
  };
}

/** `count` days from 1 January 2025 on, `step` days apart. */
function daysFrom2025(count: number, step: number): string[] {
  return Array.from(
    { length: count },
    (_, at) => new Date(Date.UTC(2025, 0, 1 + at * step)).toISOString(),
  );
}

const days = (side: AxisSide, length: number) =>
  ticksOf(side, { length }).map((at) => new Date(at).toISOString().slice(0, 10));

Deno.test("ticksOf has the round numbers of d3 on a linear axis, at most seven", () => {
  assert.deepEqual(ticksOf(numbers([0, 9]), { length: 600 }), [0, 2, 4, 6, 8]);
  assert.deepEqual(ticksOf(numbers([-3, 61]), { length: 600 }), [0, 20, 40, 60]);
});

Deno.test("ticksOf has fewer ticks where labels would overlap, and never fewer than the two ends", () => {
  const wide = numbers([0, 4e6], {
    style: { ...STYLE, format: (value) => `${value} transactions` },
  });
  for (const [length, count] of [[900, 5], [400, 3], [60, 2]] as const) {
    assert.equal(ticksOf(wide, { length }).length, count, `${length} px`);
  }
  assert.deepEqual(ticksOf(numbers([0, 9]), { length: 10, vertical: true }), [0, 9]);
});

Deno.test("ticksOf has whole numbers only if the axis counts", () => {
  assert.deepEqual(ticksOf(numbers([0, 3], { whole: true }), { length: 600 }), [0, 1, 2, 3]);
});

Deno.test("ticksOf has 1, 2 and 5 times the powers of ten on a log axis, or 1 and 3, or powers", () => {
  assert.deepEqual(ticksOf(numbers([1.2, 60]), { length: 600 }), [2, 5, 10, 20, 50]);
  assert.deepEqual(ticksOf(numbers([1, 150]), { length: 600 }), [1, 3, 10, 30, 100]);
  assert.deepEqual(ticksOf(numbers([1, 1e9]), { length: 600 }), [1, 1e2, 1e4, 1e6, 1e8]);
});

Deno.test("ticksOf has round numbers on a log axis between two steps, or beside one", () => {
  const log = (...values: number[]): AxisSide => (
    { ...numbers(values), axis: axisFor(values, { scale: "log" }) }
  );
  assert.deepEqual(ticksOf(log(116.5303, 179.7363), { length: 60, vertical: true, most: 3 }), [
    120,
    180,
  ]);
  assert.deepEqual(ticksOf(log(0.0063, 0.0091), { length: 200, vertical: true }), [
    0.0065,
    0.007,
    0.0075,
    0.008,
    0.0085,
    0.009,
  ]);
  assert.deepEqual(ticksOf(log(3.1, 8.8), { length: 60, vertical: true, most: 3 }), [4, 8]);
});

Deno.test("ticksOf has a tick at each of a few dates, else at whole days, months and years", () => {
  assert.deepEqual(days(dates(["2025-03-07", "2025-04-09", "2025-07-01"]), 600), [
    "2025-03-07",
    "2025-04-09",
    "2025-07-01",
  ]);
  assert.deepEqual(days(dates(["2025-03-07"]), 600), ["2025-03-07"]);
  assert.deepEqual(days(dates(daysFrom2025(28, 1)), 150), ["2025-01-05", "2025-01-19"]);
  assert.deepEqual(days(dates(daysFrom2025(12, 30)), 250), [
    "2025-01-01",
    "2025-04-01",
    "2025-07-01",
    "2025-10-01",
  ]);
  assert.deepEqual(days(dates(daysFrom2025(40, 30)), 200), [
    "2025-01-01",
    "2026-01-01",
    "2027-01-01",
    "2028-01-01",
  ]);
});

Deno.test("ticksOf has every second quarter where quarters do not fit and no year begins twice", () => {
  const months = ["2025-05-01", ...daysFrom2025(20, 30).slice(5, 18)];
  assert.deepEqual(days(dates(months), 90), ["2025-07-01", "2026-01-01"]);
});

Deno.test("monthTicks has months, quarters, half years or years, as many as fit", () => {
  const axis = { type: "linear", domain: [-2.5, 12.5] } as const;
  assert.deepEqual(monthTicks(axis, 800), [-2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  assert.deepEqual(monthTicks(axis, 150), [0, 3, 6, 9, 12]);
  assert.deepEqual(monthTicks({ ...axis, domain: [0, 48] }, 150), [0, 12, 24, 36, 48]);
});
