import assert from "node:assert/strict";
import { plotMetrics } from "../../../lib/chart/metrics.ts";
import { drawnSvg, marksOf, textsOf } from "../drawn_svg.ts";
import { frameOf, metricsSample } from "../sample_frames.ts";

Deno.test("plotMetrics draws a panel for each metric and a bar for each value", async () => {
  const chart = plotMetrics(metricsSample());
  const { panels } = await chart.spec;
  assert.deepEqual(panels.map(({ title }) => title), [
    ...["Fees, sum", "Fees against the window before", "Active users", undefined],
  ]);
  const svg = await drawnSvg(chart);
  assert.equal(marksOf(svg, "bar", "rect").length, 5 + 4 + 6);
  assert.equal(textsOf(svg, "missing").length, 1 + 2);
  // Each metric stands in a row of its own, with the names at its left.
  const names = ["Alder", "Basalt", "Cinder", "Dune", "Ember Rollup", "Fathom"];
  assert.deepEqual(textsOf(svg, "y-axis tick label"), [...names, ...names]);
});

Deno.test("plotMetrics draws columns that hold values, of all metrics, and names the others", async () => {
  const { panels, caption } = await plotMetrics(frameOf({
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
  assert.match(
    caption[0]!,
    /^Not drawn \(pass them as fields\): fees_change, fees_trend, users_sum, users_trend\.$/,
  );
});

Deno.test("plotMetrics tells items apart by as few ids as it takes", async () => {
  const svg = await drawnSvg(plotMetrics(frameOf({
    data_id: ["swap", "swap", "lend"],
    chain_id: ["alder", "basalt", "alder"],
    product_id: ["", "", ""],
    fees: [3, 2, 1],
  })));
  assert.deepEqual(textsOf(svg, "y-axis tick label"), [
    "Swap · Alder",
    "Swap · Basalt",
    "Lend · Alder",
  ]);
});

Deno.test("plotMetrics refuses frames in long form and frames without numbers", () => {
  const long = frameOf({ data_id: ["a"], metric_id: ["fees"], value: [1] });
  assert.throws(() => plotMetrics(long), /this frame is in long form/);
  assert.throws(
    () => plotMetrics(frameOf({ data_id: ["a"] })),
    /no numeric column; it has: data_id/,
  );
});

Deno.test("plotMetrics refuses an item that is there twice, and points to the series", () => {
  const twice = frameOf({ data_id: ["a", "a"], chain_id: ["x", "x"], fees_sum: [1, 2] });
  assert.throws(() => plotMetrics(twice), {
    name: "RangeError",
    message: 'plotMetrics: each row must be another item, and "a · x" is there 2 times; ' +
      "for a series over time there is plotTimeline",
  });
});
