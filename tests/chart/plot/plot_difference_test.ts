import assert from "node:assert/strict";
import { compareRetention } from "../../../lib/analysis/compare_retention.ts";
import { plotDifference } from "../../../lib/chart/difference.ts";
import { drawnSvg, marksOf, textsOf } from "../drawn_svg.ts";
import { curvesSample, frameOf } from "../sample_frames.ts";

const pairs = frameOf({
  group_a: ["a", "a", "a", "a", "b", "b"],
  group_b: ["b", "b", "c", "c", "c", "c"],
  month: [1, 3, 1, 3, 1, 3],
  difference: [0.1, 0.05, -0.2, null, 0.02, 0.01],
  lower: [0.02, -0.03, -0.3, null, -0.05, -0.04],
  upper: [0.18, 0.13, -0.1, null, 0.09, 0.06],
  confidence: [0.95, 0.95, 0.95, 0.95, 0.95, 0.95],
});

Deno.test("plotDifference draws a line for each pair, whiskers, and a line at zero", async () => {
  const chart = plotDifference(pairs);
  const svg = await drawnSvg(chart);
  assert.equal(marksOf(svg, "value", "path").length, 5);
  assert.equal(marksOf(svg, "interval", "line").length, 5);
  assert.equal(marksOf(svg, "no difference", "line").length, 1);
  assert.deepEqual(textsOf(svg, "legend"), ["a − c", "95% interval"]);
  assert.match(svg.textContent, /Whiskers: 95% intervals\./);
  assert.match(svg.textContent, /Empty: no value \(1 of 6\)\./);
  const { rows, label } = await chart.spec;
  assert.deepEqual(rows[0], { group: "a − c", month: 1, value: -0.2, lower: -0.3, upper: -0.1 });
  assert.match(label, /a − c −20 in month 1/);
});

Deno.test("plotDifference draws bands of up to two pairs, and the pairs that differ most", async () => {
  const two = await drawnSvg(plotDifference(pairs.drop("confidence"), { limit: 2 }));
  assert.equal(marksOf(two, "confidence band", "path").length > 0, true);
  assert.match(two.textContent, /Drawn: the 2 pairs with the largest differences of 3\./);
  assert.match(two.textContent, /Shaded: confidence intervals\./);
  // A single pair is named above, as no line has a name.
  assert.match(plotDifference(pairs.head(2)).title, / − /);
});

Deno.test("plotDifference draws what compareRetention returns, and refuses other frames", async () => {
  const frame = compareRetention(curvesSample(), { month: [1, 3], washout: 0 } as never);
  const { panels } = await plotDifference(frame).spec;
  assert.equal(panels.length, 1);
  assert.throws(() => plotDifference(frameOf({ month: [1] })), /group_a/);
  assert.match(
    (await drawnSvg(plotDifference(pairs.head(0)))).textContent,
    /No data: the frame has no rows/,
  );
});
