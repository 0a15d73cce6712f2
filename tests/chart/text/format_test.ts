import assert from "node:assert/strict";
import {
  formatCount,
  formatDay,
  formatMonth,
  formatterFor,
  formatValue,
  type NumberUnit,
  tickFormatterFor,
} from "../../../lib/chart/format.ts";

Deno.test("formatValue shortens a count", () => {
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
  for (const [value, text] of cases) assert.equal(formatValue(value, "count"), text);
});

Deno.test("formatValue reads a share and a change as fractions", () => {
  const cases: [number, string][] = [
    [0, "0%"],
    [1, "100%"],
    [0.1234, "12.3%"],
    [0.0707, "7.07%"],
    [0.00712, "0.712%"],
    [-0.0179, "−1.79%"],
    [11.72, "1,172%"],
    [123456, "12.3M%"],
    [1.1e-7, "<0.1%"],
    [-1e-9, ">−0.1%"],
    [0.001, "0.1%"],
  ];
  for (const [fraction, text] of cases) assert.equal(formatValue(fraction, "fraction"), text);
  assert.equal(formatValue(0.05, "change"), "+5%");
  assert.equal(formatValue(0, "change"), "0%");
  assert.equal(formatValue(-0.05, "change"), "−5%");
  assert.equal(formatValue(0.00001, "change"), "<0.1%");
  // Only a loss of everything is −100%.
  assert.equal(formatValue(-0.99996, "change"), "−99.996%");
  assert.equal(formatValue(-1, "change"), "−100%");
});

const english = (unit: NumberUnit) => ({ unit, locale: "en-US" });

Deno.test("formatterFor writes three significant digits with ties, also of evenly spaced values", () => {
  const cases: [NumberUnit, number[], string][] = [
    ["usd", [41.2e6, 18.9e6, 6.24e6, 820e3], "$41.2M $18.9M $6.24M $820K"],
    ["usd", [26.458e6, 26.459e6, 26.46e6], "$26.5M $26.5M $26.5M"],
    ["usd", [53_410, 2_710, 347, 13], "$53.4K $2.71K $347 $13"],
    ["usd", [0.5, 12.25, 11], "$0.5 $12.3 $11"],
    ["count", [12, 3, 0], "12 3 0"],
    ["change", [0.043, -0.118, 0], "+4.3% −11.8% 0%"],
    ["fraction", [0.889, 0.0004], "88.9% <0.1%"],
    ["EUR", [1.234e6, 0], "1.23M EUR 0 EUR"],
  ];
  for (const [unit, values, texts] of cases) {
    assert.equal(values.map(formatterFor(english(unit))).join(" "), texts);
  }
});

Deno.test("tickFormatterFor writes ticks exactly", () => {
  const cases: [NumberUnit, number[], string][] = [
    ["usd", [0, 5e6, 1e7], "$0 $5M $10M"],
    ["usd", [1e6, 1.0005e6, 1.001e6], "$1M $1.0005M $1.001M"],
    ["count", [0.1, 1, 10, 100], "0.1 1 10 100"],
    ["fraction", [0.001, 0.0001, 0.00001], "0.1% 0.01% 0.001%"],
    ["fraction", [0.5, 0.5025, 0.505], "50% 50.25% 50.5%"],
  ];
  for (const [unit, ticks, texts] of cases) {
    assert.equal(ticks.map(tickFormatterFor(ticks, english(unit))).join(" "), texts);
  }
});

Deno.test("formatterFor accepts a language, options of Intl, or a function", () => {
  const german = formatterFor({ unit: "usd", locale: "de-DE" });
  assert.equal(german(-8e6), "−8\u00a0Mio.\u00a0$");
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

Deno.test("formatValue writes the unit", () => {
  assert.equal(formatValue(-1234, "usd"), "−$1.23K");
  assert.equal(formatValue(1234, "count"), "1.23K");
  assert.equal(formatValue(0.5, "change"), "+50%");
  assert.equal(formatValue(0.5, "fraction"), "50%");
});

Deno.test("formatMonth is in UTC", () => {
  assert.equal(formatMonth(new Date("2026-03-01T00:00:00Z")), "Mar 2026");
  assert.equal(formatMonth(new Date("2025-12-31T23:59:59Z")), "Dec 2025");
});
