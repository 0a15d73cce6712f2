import assert from "node:assert/strict";
import { plotGrowth } from "../../../lib/chart/plot/plot_growth.ts";
import { drawnSvg, marksOf, textsOf } from "../drawn_svg.ts";
import { frameOf, growthSample } from "../sample_frames.ts";

Deno.test("plotGrowth draws a panel for each window, to both sides of zero, without nulls", async () => {
  const chart = plotGrowth(growthSample());
  const svg = await drawnSvg(chart);
  assert.equal(chart.title, "Ecosystem TVL: change over six windows");
  assert.equal((await chart.spec).panels.length, 6);
  assert.equal(marksOf(svg, "bar", "rect").length, 36 - 4);
  assert.deepEqual(textsOf(svg, "missing"), ["no value", "no value", "no value", "no value"]);
  assert.deepEqual(
    textsOf(svg, "y-axis tick label").slice(0, 6),
    ["Ember Rollup", "Cinder", "Fathom", "Alder", "Dune", "Basalt"],
  );
  assert.match(
    svg.textContent,
    /90 days, 1 of 6 chains; 180 days, 1 of 6 chains; 365 days, 2 of 6 chains/,
  );
});

Deno.test("plotGrowth colours growth and loss, to the right and to the left of zero", async () => {
  const svg = await drawnSvg(plotGrowth(growthSample()));
  const [zero] = marksOf(svg, "rule", "line").map((line) => Number(line.getAttribute("x1")));
  const bars = marksOf(svg, "bar", "rect").slice(0, 6).map((bar) => ({
    fill: bar.getAttribute("fill"),
    right: Number(bar.getAttribute("x")) + Number(bar.getAttribute("width")),
  }));
  assert.deepEqual(bars.map(({ fill }) => fill), [
    ...["#0072b2", "#0072b2", "#0072b2", "#0072b2", "#d55e00", "#d55e00"],
  ]);
  assert.deepEqual(bars.map(({ right }) => right > zero! + 1), [
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
});

Deno.test("plotGrowth ranks by the window that is asked for, nulls last", async () => {
  const svg = await drawnSvg(plotGrowth(growthSample(), { order_by: "365d" }));
  assert.deepEqual(
    textsOf(svg, "y-axis tick label").slice(0, 6),
    ["Cinder", "Alder", "Dune", "Basalt", "Ember Rollup", "Fathom"],
  );
});

Deno.test("plotGrowth refuses unknown windows and frames of several measures", () => {
  assert.throws(
    () => plotGrowth(growthSample(), { order_by: "2d" as "1d" }),
    /order_by must be "1d" or "7d"/,
  );
  const windows = Object.fromEntries(
    ["1d", "7d", "30d", "90d", "180d", "365d"].map((window) => [window, [1, 2]]),
  );
  const two = frameOf({ chain_id: ["a", "a"], measure: ["fees", "tvl"], ...windows });
  assert.throws(() => plotGrowth(two), /the frame must hold one measure: fees, tvl/);
});
