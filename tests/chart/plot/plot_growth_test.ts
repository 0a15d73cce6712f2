import assert from "node:assert/strict";
import { plotGrowth } from "../../../lib/chart/growth.ts";
import { drawnSvg, marksOf, textsOf } from "../drawn_svg.ts";
import { frameOf, growthSample } from "../sample_frames.ts";

Deno.test("plotGrowth draws a cell for each chain and window, and none for null", async () => {
  const chart = plotGrowth(growthSample());
  const svg = await drawnSvg(chart);
  assert.equal(chart.title, "Ecosystem TVL: change over 6 windows");
  assert.equal(marksOf(svg, "cell", "rect").length, 36 - 4);
  assert.equal(textsOf(svg, "change").length, 36 - 4);
  assert.deepEqual(
    textsOf(svg, "y-axis tick label"),
    ["Ember Rollup", "Cinder", "Fathom", "Alder", "Dune", "Basalt"],
  );
  assert.deepEqual(textsOf(svg, "change").slice(0, 3), ["+3.3%", "+12.1%", "+39.1%"]);
  assert.match(svg.textContent, /Without a value, which is not zero: 4 cells, left empty\./);
});

Deno.test("plotGrowth colours a ratio and its inverse alike, and names windows that are all null", async () => {
  const svg = await drawnSvg(plotGrowth(frameOf({
    chain_id: ["a", "b", "c"],
    measure: ["fees", "fees", "fees"],
    "1d": [0.6, 1 / 1.6 - 1, 0],
    "7d": [null, null, null],
    "30d": [3, -0.8, 0.001],
    "90d": [null, 0.6, null],
    "180d": [null, null, null],
    "365d": [0, 0, 0],
  })));
  const fills = marksOf(svg, "cell", "rect").map((cell) => cell.getAttribute("fill"));
  const legend = marksOf(svg, "color legend", "rect").map((cell) => cell.getAttribute("fill"));
  assert.equal(legend.length, 9);
  const steps = fills.map((fill) => legend.indexOf(fill) - 4);
  // Rows a, c, b by the 30 days, each window from left to right.
  assert.deepEqual(steps, [2, 4, 0, 0, 0, 0, -2, -4, 2, 0]);
  assert.match(svg.textContent, /No chain has a value over 7 days, 180 days: not drawn\./);
  assert.deepEqual(textsOf(svg, "window").toSorted(), ["1 day", "30 days", "365 days", "90 days"]);
});

Deno.test("plotGrowth ranks by the window that is asked for, nulls last", async () => {
  const svg = await drawnSvg(plotGrowth(growthSample(), { order_by: "365d" }));
  assert.deepEqual(
    textsOf(svg, "y-axis tick label"),
    ["Cinder", "Alder", "Dune", "Basalt", "Ember Rollup", "Fathom"],
  );
});

Deno.test("plotGrowth refuses unknown windows and frames of several measures", () => {
  assert.throws(
    () => plotGrowth(growthSample(), { order_by: "2d" as "1d" }),
    /order_by: must be one of 1d, 7d/,
  );
  const windows = Object.fromEntries(
    ["1d", "7d", "30d", "90d", "180d", "365d"].map((window) => [window, [1, 2]]),
  );
  const two = frameOf({ chain_id: ["a", "a"], measure: ["fees", "tvl"], ...windows });
  assert.throws(() => plotGrowth(two), /the frame must hold one measure: fees, tvl/);
});

Deno.test("plotGrowth has a legend whose steps are as wide as their ranges of the ratio, where there is room", async () => {
  const widthsOf = (svg: Parameters<typeof marksOf>[0]) =>
    marksOf(svg, "color legend", "rect").map((step) => Number(step.getAttribute("width")));
  const wide = await drawnSvg(plotGrowth(growthSample()));
  const widths = widthsOf(wide);
  const edges = textsOf(wide, "color legend edge");
  const ratios = edges.slice(-3).map((text) => 1 + Number(text.replace(/[+%]/g, "")) / 100);
  const ranges = [Math.log(ratios[1]! / ratios[0]!), Math.log(ratios[2]! / ratios[1]!)];
  assert.ok(Math.abs(widths[7]! / widths[6]! - ranges[1]! / ranges[0]!) < 0.01, String(edges));
  // Loss is the mirror of growth.
  for (const step of [0, 1, 2, 3]) assert.ok(Math.abs(widths[step]! - widths[8 - step]!) < 0.02);
  const narrow = await drawnSvg(plotGrowth(growthSample(), { width: 320 }));
  assert.equal(new Set(widthsOf(narrow).map(Math.round)).size, 1);
  assert.ok(textsOf(narrow, "color legend edge").length < 8);
});
