import assert from "node:assert/strict";
import { plotComparison } from "../../../lib/chart/comparison.ts";
import { drawnSvg, marksOf, placeOf, textsOf } from "../drawn_svg.ts";
import { comparisonSample, frameOf } from "../sample_frames.ts";

Deno.test("plotComparison draws a bar for each value, largest first, and reports missing values", async () => {
  const svg = await drawnSvg(plotComparison(comparisonSample()));
  assert.deepEqual(
    textsOf(svg, "y-axis tick label"),
    ["Alder", "Basalt", "Cinder", "Dune", "Ember Rollup", "Fathom"],
  );
  const widths = marksOf(svg, "bar", "rect").map((bar) => Number(bar.getAttribute("width")));
  assert.equal(widths.length, 5);
  assert.ok(Math.abs(widths[1]! / widths[0]! - 18.9 / 41.2) < 0.001);
  assert.deepEqual(textsOf(svg, "value"), [
    ...["$41.2M · 59.3%", "$18.9M · 27.2%", "$6.2M · 9.0%", "$2.3M · 3.3%", "$820K · 1.2%"],
  ]);
  assert.deepEqual(textsOf(svg, "missing"), ["no value"]);
  assert.match(svg.textContent, /Without a value: 1 of 6\./);
  assert.match(
    svg.textContent,
    /SAMPLE DATA, invented: not facts about the world\. Source: blockchain comparison, retrieved 31 Mar 2026\./,
  );
});

Deno.test("plotComparison draws dots on a logarithmic axis for values of different magnitudes", async () => {
  const frame = frameOf({ chain_id: ["a", "b", "c"], fees: [5, 5_000, 5_000_000] });
  const svg = await drawnSvg(plotComparison(frame, { field: ["fees"], scale: "log" }));
  assert.equal(marksOf(svg, "bar", "rect").length, 0);
  const across = marksOf(svg, "value dot", "circle").map((dot) => Number(dot.getAttribute("cx")));
  assert.equal(across.length, 3);
  assert.ok(Math.abs((across[0]! - across[1]!) - (across[1]! - across[2]!)) < 0.1);
  assert.match(svg.textContent, /log scale/);
  // Bars always begin at zero.
  const linear = await drawnSvg(plotComparison(frame, { field: ["fees"] }));
  assert.equal(marksOf(linear, "bar", "rect").length, 3);
});

Deno.test("plotComparison writes values in a column if grid lines or bars would cross them", async () => {
  const frame = frameOf({
    chain_id: ["a", "b", "c"],
    fees: [5, 5_000, 5_000_000],
    tvl_change: [0.1, -0.25, 0.02],
  });
  const chart = plotComparison(frame, { field: ["fees", "tvl_change"], scale: "log" });
  const [logarithmic, signed] = (await chart.spec).panels;
  const svg = await drawnSvg(chart);
  const values = marksOf(svg, "value", "text");
  assert.equal(values.length, 6);
  const ends = values.map((text) => placeOf(text).x);
  assert.equal(new Set(ends.slice(0, 3)).size, 1);
  assert.equal(new Set(ends.slice(3)).size, 1);
  // No line of the grid reaches them, and bars to both sides have the room between.
  for (const panel of [logarithmic!, signed!]) {
    const frameEnd = panel.width! - panel.marginRight!;
    const grid = marksOf(svg, "x-grid", "line").map((line) => Number(line.getAttribute("x1")));
    assert.ok(grid.every((x) => x <= Math.max(frameEnd, logarithmic!.width!)));
  }
  assert.equal(signed!.marginLeft, 0);
  const { domain } = signed!.x as { domain: [number, number] };
  assert.deepEqual(domain.map((edge) => Math.round(edge * 1000) / 1000), [-0.25, 0.1]);
  const ticks = textsOf(svg, "x-axis tick label").slice(-2);
  assert.ok(ticks.includes("0%"), String(ticks));
});

Deno.test("plotComparison refuses unknown columns and scales", () => {
  assert.throws(
    () => plotComparison(comparisonSample(), { field: ["fees"] }),
    /missing: fees/,
  );
  assert.throws(
    () => plotComparison(comparisonSample(), { scale: "sqrt" as "log" }),
    /scale: must be one of auto, linear, log/,
  );
});
