import assert from "node:assert/strict";
import { plotGrowth } from "../../../lib/chart/growth.ts";
import { drawnSvg, marksOf, textsOf } from "../drawn_svg.ts";
import { frameOf, growthSample } from "../sample_frames.ts";

Deno.test("plotGrowth draws a cell for each chain and window, and none for null", async () => {
  const chart = plotGrowth(growthSample());
  const svg = await drawnSvg(chart);
  assert.equal(chart.title, "Change of ecosystem TVL of 6 chains, 1 to 365 days");
  assert.equal(marksOf(svg, "cell", "rect").length, 36 - 4);
  assert.equal(textsOf(svg, "change").length, 36 - 4);
  assert.deepEqual(
    textsOf(svg, "y-axis tick label"),
    ["Ember Rollup", "Cinder", "Fathom", "Alder", "Dune", "Basalt"],
  );
  assert.deepEqual(textsOf(svg, "change").slice(0, 3), ["+3.3%", "+12.1%", "+39.1%"]);
  assert.match(svg.textContent, /Empty: no value \(4 of 36\)\./);
});

Deno.test("plotGrowth colors each window on its own scale, rises and falls of one size alike", async () => {
  const svg = await drawnSvg(plotGrowth(frameOf({
    chain_id: ["a", "b", "c"],
    measure: ["fees", "fees", "fees"],
    "1d": [0.6, -0.6, 0],
    "7d": [null, null, null],
    "30d": [3, -0.95, 0.001],
    "90d": [null, 0.6, null],
    "180d": [null, null, null],
    "365d": [0, 0, 0],
  })));
  const fills = marksOf(svg, "cell", "rect").map((cell) => cell.getAttribute("fill"));
  const legend = marksOf(svg, "color legend", "rect").map((cell) => cell.getAttribute("fill"));
  assert.equal(legend.length, 9);
  const steps = fills.map((fill) => legend.indexOf(fill) - 4);
  // Rows a, c, b by the 30 days, each window from left to right.
  assert.deepEqual(steps, [4, 4, 0, 0, 0, 0, -4, -2, 4, 0]);
  assert.match(svg.textContent, /No value over 7 days, 180 days\./);
  assert.deepEqual(textsOf(svg, "column name").toSorted(), [
    "1 day",
    "30 days",
    "365 days",
    "90 days",
  ]);
});

Deno.test("plotGrowth ranks by the given window, nulls last", async () => {
  const svg = await drawnSvg(plotGrowth(growthSample(), { field: "365d" }));
  assert.deepEqual(
    textsOf(svg, "y-axis tick label"),
    ["Cinder", "Alder", "Dune", "Basalt", "Ember Rollup", "Fathom"],
  );
});

Deno.test("plotGrowth refuses unknown windows and frames of several measures", () => {
  assert.throws(
    () => plotGrowth(growthSample(), { field: "2d" as "1d" }),
    /field: must be one of 1d, 7d/,
  );
  const windows = Object.fromEntries(
    ["1d", "7d", "30d", "90d", "180d", "365d"].map((window) => [window, [1, 2]]),
  );
  const two = frameOf({ chain_id: ["a", "a"], measure: ["fees", "tvl"], ...windows });
  assert.throws(() => plotGrowth(two), /the frame must hold one measure; got fees, tvl/);
});

Deno.test("plotGrowth keeps the largest gains and losses if rows are left out", async () => {
  const chains = Array.from({ length: 9 }, (_, index) => index);
  const windows = ["1d", "7d", "30d", "90d", "180d", "365d"];
  const frame = frameOf({
    chain_id: chains.map((index) => `c${index}`),
    measure: chains.map(() => "fees"),
    ...Object.fromEntries(windows.map((name) => [name, chains.map((index) => (index - 4) / 10)])),
  });
  const svg = await drawnSvg(plotGrowth(frame, { limit: 4 }));
  assert.deepEqual(textsOf(svg, "y-axis tick label"), ["c8", "c7", "c1", "c0"]);
  assert.match(svg.textContent, /Drawn: the 4 of 9 chains with the largest and smallest changes\./);
});
