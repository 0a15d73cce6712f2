import assert from "node:assert/strict";
import { plotComparison } from "../../../lib/chart/comparison.ts";
import { drawnSvg, marksOf, textsOf } from "../drawn_svg.ts";
import { frameOf, metricsSample } from "../sample_frames.ts";

Deno.test("plotComparison of metrics draws a panel for each metric and a bar for each value", async () => {
  const chart = plotComparison(metricsSample());
  const { panels } = await chart.spec;
  assert.deepEqual(panels.map(({ title }) => title), [
    ...["Fees, sum", "Fees against the window before", "Active users", undefined],
  ]);
  const svg = await drawnSvg(chart);
  assert.equal(marksOf(svg, "bar", "rect").length, 5 + 4 + 6);
  assert.equal(textsOf(svg, "missing").length, 1 + 2);
  // Each metric has its own row, with the names at its left.
  const names = ["alder", "basalt", "cinder", "dune", "ember-rollup", "fathom"];
  assert.deepEqual(textsOf(svg, "y-axis tick label"), [...names, ...names]);
});

Deno.test("plotComparison of metrics draws columns with values, and names the others", async () => {
  const { panels, caption } = await plotComparison(frameOf({
    data_id: ["x"],
    ...Object.fromEntries(
      ["sum", "avg", "latest", "change", "trend"].map((name) => [`fees_${name}`, [1]]),
    ),
    users_sum: [null],
    ...Object.fromEntries(
      ["avg", "latest", "change", "trend"].map((name) => [`users_${name}`, [2]]),
    ),
  })).spec;
  assert.deepEqual(panels.map(({ title }) => title), [
    ...["Fees, sum", "Fees, average", "Fees, latest"],
    ...["Users, average", "Users, latest", "Users, change"],
  ]);
  assert.match(caption[0]!, /^Not drawn: 4 other columns\.$/);
});

Deno.test("plotComparison of metrics labels items with as few ids as needed", async () => {
  const svg = await drawnSvg(plotComparison(frameOf({
    data_id: ["swap", "swap", "lend"],
    chain_id: ["alder", "basalt", "alder"],
    product_id: ["", "", ""],
    fees: [3, 2, 1],
  })));
  assert.deepEqual(textsOf(svg, "y-axis tick label"), [
    "swap · alder",
    "swap · basalt",
    "lend · alder",
  ]);
});

Deno.test("plotComparison of metrics refuses frames in long form and frames without numbers", () => {
  const long = frameOf({ data_id: ["a"], metric_id: ["fees"], value: [1] });
  assert.throws(() => plotComparison(long), /the frame is in long form/);
  assert.throws(
    () => plotComparison(frameOf({ data_id: ["a"] })),
    /the frame has no column of numbers; it has data_id/,
  );
});

Deno.test("plotComparison of metrics refuses duplicate items, and names plotTimeline", () => {
  const twice = frameOf({ data_id: ["a", "a"], chain_id: ["x", "x"], fees_sum: [1, 2] });
  assert.throws(() => plotComparison(twice), {
    name: "RangeError",
    message:
      'plotComparison: each row must be a different item; got "a" 2 times. plotTimeline draws values over time',
  });
});
