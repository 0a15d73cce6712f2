import assert from "node:assert/strict";
import { plotComparison } from "../../../lib/chart/comparison.ts";
import { drawnSvg, textsOf } from "../drawn_svg.ts";
import { frameOf } from "../sample_frames.ts";

Deno.test("plotComparison of metrics draws the natural statistic of the first metric", async () => {
  const of = (metric: string) =>
    Object.fromEntries(
      ["sum", "avg", "latest", "change", "trend"].map((name) => [`${metric}_${name}`, [1]]),
    );
  for (
    const [metric, title] of [["fees", "Fees, sum"], ["tvl", "TVL, latest"], [
      "active_users",
      "Active users, average",
    ]]
  ) {
    const frame = frameOf({ data_id: ["x"], ...of(metric!), ...of("other") });
    const { panels, caption, title: said } = await plotComparison(frame).spec;
    assert.equal(panels.length, 1);
    assert.equal(said, `${title}${title!.includes(",") ? ":" : " of"} 1 group`);
    assert.match(caption[0]!, /^Not drawn: 9 other columns\.$/);
  }
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
