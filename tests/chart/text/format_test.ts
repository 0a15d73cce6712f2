import assert from "node:assert/strict";
import {
  formatCount,
  formatDay,
  formatMonth,
  formatterFor,
  formatValue,
  type Unit,
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
    [0.0707, "7.1%"],
    [0.00712, "0.71%"],
    [-0.0179, "−1.8%"],
    [11.72, "1,172%"],
    [123456, "12.3M%"],
  ];
  for (const [fraction, text] of cases) assert.equal(formatValue(fraction, "fraction"), text);
  assert.equal(formatValue(0.05, "change"), "+5%");
  assert.equal(formatValue(0, "change"), "0%");
  assert.equal(formatValue(-0.05, "change"), "−5%");
});

Deno.test("formatterFor gives all values of a chart one precision", () => {
  const cases: [Unit, number[], string][] = [
    ["usd", [41.2e6, 18.9e6, 6.24e6, 820e3], "$41.2M $18.9M $6.2M $820K"],
    ["usd", [526.3e6, 402.04e6, 61.3e6, 4.12e6], "$526M $402M $61.3M $4.1M"],
    ["usd", [402e6, 61e6], "$402M $61M"],
    ["usd", [402.3e6, 402.1e6, 61e6], "$402.3M $402.1M $61.0M"],
    ["usd", [53_410, 2_710, 347, 13], "$53.4K $2.7K $347 $13"],
    ["usd", [0, 5e6, 1e7], "$0 $5M $10M"],
    ["usd", [0.5, 12.25], "$0.50 $12.25"],
    ["usd", [707.49, 108.54, 24.78, 7.35], "$707 $109 $24.78 $7.35"],
    ["usd", [-1500, 2500], "−$1.5K $2.5K"],
    ["usd", [1e6, 1.0005e6, 1.001e6], "$1,000,000 $1,000,500 $1,001,000"],
    ["count", [12, 3, 0], "12 3 0"],
    ["count", [0.12, 0.1], "0.12 0.10"],
    ["count", [0.1, 1, 10, 100], "0.1 1 10 100"],
    ["count", [1000.01, 1000, 990], "1.0K 1.0K 990"],
    ["count", [19.5e6], "19.5M"],
    ["change", [0.043, -0.118, 0], "+4.3% −11.8% 0%"],
    ["change", [11.72, 0.004], "+1,172% +0.4%"],
    ["fraction", [0.889, 0.0004], "88.9% 0.04%"],
    ["fraction", [0.38579, 0.00749, 0.00746], "38.6% 0.7% 0.7%"],
    ["fraction", [0.0712, 0.0055, 0.0056], "7.12% 0.55% 0.56%"],
    ["fraction", [0.9981, 0.9983, 0.9988], "99.81% 99.83% 99.88%"],
    ["fraction", [0.423, 0.427, 0.31], "42% 43% 31%"],
    ["fraction", [0.4231, 0.4243, 0.31], "42.3% 42.4% 31.0%"],
    ["fraction", [0.52, 0.000001], "52.0% 1e−4%"],
    ["fraction", [0.5, 0.5025, 0.505], "50.00% 50.25% 50.50%"],
    ["fraction", [0, 0.1, 0.2], "0% 10% 20%"],
    ["fraction", [3 / 6, 2 / 6, 1 / 6], "50% 33% 17%"],
  ];
  for (const [unit, values, texts] of cases) {
    const write = formatterFor(values, { unit, locale: "en-US" });
    assert.equal(values.map(write).join(" "), texts);
  }
});

Deno.test("formatterFor accepts a language, options of Intl, or a function", () => {
  const german = formatterFor([41.2e6, -8e6], { unit: "usd", locale: "de-DE" });
  assert.equal(german(-8e6), "−8,0\u00a0Mio.\u00a0$");
  const euro = { style: "currency", currency: "EUR" } as const;
  const written = formatterFor([1], { unit: "count", locale: "en-US", format: euro });
  assert.equal(written(1234.5), "€1,234.50");
  const own = formatterFor([1], { unit: "count", locale: "en-US", format: (v) => `${v} ETH` });
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
