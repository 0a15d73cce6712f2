import assert from "node:assert/strict";
import {
  formatCount,
  formatDay,
  formatMonth,
  formatterFor,
  formatValue,
} from "../../../lib/chart/format.ts";

Deno.test("formatValue writes one value with its unit", () => {
  const cases: [number, string, string][] = [
    [-1234, "usd", "−$1.2K"],
    [1234, "count", "1.2K"],
    [0.5, "change", "+50%"],
    [0.5, "fraction", "50%"],
    [0.0707, "fraction", "7.1%"],
    [12.5, "EUR", "12.5 EUR"],
    [3, "constructor", "3 constructor"],
    [-0, "count", "0"],
  ];
  for (const [value, unit, text] of cases) assert.equal(formatValue(value, unit), text);
});

Deno.test("formatterFor accepts a language, options of Intl, or a function", () => {
  const german = formatterFor({ unit: "usd", locale: "de-DE" });
  assert.equal(german(-8e6), "−8,0\u00a0Mio.\u00a0$");
  const euro = { style: "currency", currency: "EUR" } as const;
  const written = formatterFor({ unit: "count", locale: "en-US", format: euro });
  assert.equal(written(1234.5), "€1,234.50");
  const own = formatterFor({ unit: "count", locale: "en-US", format: (v) => `${v} ETH` });
  assert.equal(own(3), "3 ETH");
});

Deno.test("formatCount and formatDay do not abbreviate", () => {
  assert.equal(formatCount(2130), "2,130");
  assert.equal(formatDay(new Date("2026-06-30")), "30 Jun 2026");
  assert.equal(formatDay(new Date("2026-09-01")), "1 Sep 2026");
});

Deno.test("formatMonth is in UTC", () => {
  assert.equal(formatMonth(new Date("2026-03-01T00:00:00Z")), "Mar 2026");
  assert.equal(formatMonth(new Date("2025-12-31T23:59:59Z")), "Dec 2025");
});
