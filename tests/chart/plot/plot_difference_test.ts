import assert from "node:assert/strict";
import { compareRetention } from "../../../lib/analysis/compare_retention.ts";
import { plotDifference } from "../../../lib/chart/difference.ts";
import { drawnSvg, marksOf, textsOf } from "../drawn_svg.ts";
import { curvesSample, frameOf } from "../sample_frames.ts";

const months = [1, 2, 3, 5];
const pair = frameOf({
  group_a: months.map(() => "a"),
  group_b: months.map(() => "b"),
  month: months,
  difference: [0.1, 0.05, -0.02, null],
  lower: [0.02, -0.03, -0.3, null],
  upper: [0.18, 0.13, 0.1, null],
  p_adjusted: [0.031, 0.2, 0.7, null],
  confidence: months.map(() => 0.95),
});

function pairsOf(count: number) {
  const of = <Value>(value: (at: number) => Value) =>
    Array.from({ length: count }, (_, at) => value(at));
  return frameOf({
    group_a: of((at) => `g${at}`),
    group_b: of(() => "z"),
    month: of(() => 3),
    difference: of((at) => 0.2 - 0.2 * at),
    lower: of((at) => at === 2 ? null : 0.1 - 0.2 * at),
    upper: of((at) => at === 2 ? null : 0.3 - 0.2 * at),
    lower_all: of((at) => at === 2 ? null : 0.05 - 0.2 * at),
    upper_all: of((at) => at === 2 ? null : 0.35 - 0.2 * at),
    p_adjusted: of((at) => at === 2 ? null : 0.0001),
    confidence: of(() => 0.95),
  });
}

Deno.test("plotDifference draws one pair over its months, with a band between tested months", async () => {
  const chart = plotDifference(pair);
  const { title, subtitle, caption, rows, label } = await chart.spec;
  assert.equal(title, "Retention of a minus that of b, months 1 to 5");
  assert.equal(
    subtitle,
    "In percentage points; above 0: a keeps more; smallest adjusted p 0.031",
  );
  assert.equal(
    caption[0],
    "Shaded: 95% intervals. No interval, not tested: 1 of 4. Empty: no value (1 of 4).",
  );
  assert.deepEqual(rows.map(({ month, value }) => [month, value]), [
    ...[[1, 0.1], [2, 0.05], [3, -0.02], [5, null]],
  ]);
  assert.match(label, /a − b −2 in month 3/);
  const svg = await drawnSvg(chart);
  assert.equal(marksOf(svg, "confidence band", "path").length, 1);
  assert.equal(marksOf(svg, "no difference", "line").length, 1);
  // Months that do not follow each other have whiskers in place of a band.
  const apart = await drawnSvg(plotDifference(pair.gatherEvery(2)));
  assert.equal(marksOf(apart, "interval", "line").length, 2);
});

Deno.test("plotDifference draws all pairs of one month, filled if their common interval excludes 0", async () => {
  const chart = plotDifference(pairsOf(4));
  const { title, subtitle, caption, rows } = await chart.spec;
  assert.equal(title, "Difference in retention of 4 pairs, month 3");
  assert.match(subtitle, /above 0: the first group keeps more; smallest adjusted p < 0\.001$/);
  assert.equal(
    caption[0],
    "Lines: 95% intervals of all pairs together. Filled: the interval excludes 0. " +
      "No interval, not tested: 1 of 4.",
  );
  assert.equal(rows.length, 4);
  const svg = await drawnSvg(chart);
  assert.deepEqual(textsOf(svg, "y-axis tick label").slice(0, 2), ["g0 − z", "g1 − z"]);
  const dots = marksOf(svg, "value dot", "circle").map((dot) => dot.getAttribute("fill"));
  assert.deepEqual(dots.map((fill) => fill === "#ffffff"), [false, true, true, false]);
});

Deno.test("plotDifference refuses what it cannot draw, and draws what compareRetention returns", async () => {
  const frame = compareRetention(curvesSample(), { month: 3, washout: 0 } as never);
  assert.equal((await plotDifference(frame).spec).panels.length, 1);
  const other = pair.withColumn(pair.getColumn("group_b").rename("group_a"));
  for (
    const [given, message] of [
      [pairsOf(46), /groups: the frame has 46 pairs, at most 45/],
      [pair.vstack(other), /month: the frame has 2 pairs and 4 months/],
      [frameOf({ month: [1] }), /group_a/],
    ] as const
  ) assert.throws(() => plotDifference(given), message);
  const empty = await drawnSvg(plotDifference(pair.head(0)));
  assert.match(empty.textContent, /No data: the frame has no rows/);
});
