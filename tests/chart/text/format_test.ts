import assert from "node:assert/strict";
import { formatMonth } from "../../../lib/chart/text/format.ts";
import { formatNumber } from "../../../lib/chart/text/format.ts";
import { formatChange, formatPercent } from "../../../lib/chart/text/format.ts";
import { formatValue } from "../../../lib/chart/text/format.ts";
import { shortShare } from "../../../lib/chart/text/format.ts";

Deno.test("formatNumber shortens", () => {
  const cases: [number, string][] = [
    [0, "0"],
    [-0, "0"],
    [12.345, "12.3"],
    [999, "999"],
    [999.9, "1K"],
    [1234, "1.23K"],
    [1_200_000, "1.2M"],
    [-4.56e9, "−4.56B"],
    [7e12, "7T"],
    [1e15, "1e15"],
    [1.25e300, "1.3e300"],
    [0.00012, "0.00012"],
    [0.000012, "1.2e−5"],
  ];
  for (const [value, text] of cases) assert.equal(formatNumber(value), text);
});

Deno.test("formatPercent and formatChange read a fraction", () => {
  const cases: [number, string][] = [
    [0, "0%"],
    [1, "100%"],
    [0.1234, "12.3%"],
    [0.0707, "7.1%"],
    [0.00712, "0.71%"],
    [-0.0179, "−1.8%"],
    [11.72, "1,172%"],
    [123456, "12.3M%"],
  ];
  for (const [fraction, text] of cases) assert.equal(formatPercent(fraction), text);
  assert.equal(formatChange(0.05), "+5%");
  assert.equal(formatChange(0), "0%");
  assert.equal(formatChange(-0.05), "−5%");
});

Deno.test("shortShare has whole percents from ten on", () => {
  assert.deepEqual([1, 0.346, 0.0994, 0.00123, 0].map(shortShare), [
    ...["100%", "35%", "9.9%", "0.12%", "0%"],
  ]);
});

Deno.test("formatValue writes the unit", () => {
  assert.equal(formatValue(-1234, "usd"), "−$1.23K");
  assert.equal(formatValue(1234, "count"), "1.23K");
  assert.equal(formatValue(0.5, "change"), "+50%");
  assert.equal(formatValue(0.5, "share"), "50%");
});

Deno.test("formatMonth is in UTC", () => {
  assert.equal(formatMonth(new Date("2026-03-01T00:00:00Z")), "Mar 2026");
  assert.equal(formatMonth(new Date("2025-12-31T23:59:59Z")), "Dec 2025");
});
