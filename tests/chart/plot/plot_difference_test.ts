import assert from "node:assert/strict";
import { compareRetention } from "../../../lib/analysis/retention/compare_retention.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import { plotDifference } from "../../../lib/chart/difference.ts";
import { cohortFrame } from "../../analysis/cohort_frame.ts";
import { drawnSvg, marksOf, textsOf } from "../drawn_svg.ts";

const curves = retentionCurves(
  cohortFrame(["a", "b", "c"].map((project, at) => ({
    ...{ project, size: 1000 },
    months: [1, 0.5 - 0.2 * at, 0.4 - 0.1 * at, null, 0.2, 0.1 + 0.1 * at ** 2],
  }))),
  { since: null },
);
const options = { cluster: "none", washout: 0 } as const;

Deno.test("plotDifference names the groups of a pair, and joins the bounds of successive months", async () => {
  const pair = compareRetention(curves, { ...options, groups: ["a", "b"], month: [1, 2, 5] });
  const chart = plotDifference(pair);
  const { title, subtitle, caption } = await chart.spec;
  assert.equal(title, "Retention of The a minus that of The b, months 1 to 5");
  assert.match(subtitle, /above 0: The a keeps more$/);
  assert.match(caption[0]!, /^Smallest adjusted p < 0\.001\./);
  const svg = await drawnSvg(chart);
  const [band] = marksOf(svg, "confidence band", "path");
  // Months 1 and 2 have a band, and month 5 stands alone.
  assert.equal(band!.getAttribute("d")!.match(/Z/g)!.length, 2);
  assert.equal(marksOf(svg, "interval", "line").length, 1);
  assert.equal(marksOf(svg, "no difference", "line").length, 1);
});

Deno.test("plotDifference fills the dots of pairs whose common interval excludes 0", async () => {
  const svg = await drawnSvg(plotDifference(compareRetention(curves, { ...options, month: 5 })));
  assert.deepEqual(textsOf(svg, "y-axis tick label"), [
    ...["The c − The a", "The c − The b", "The b − The a"],
  ]);
  const fills = marksOf(svg, "value dot", "circle").map((dot) => dot.getAttribute("fill"));
  assert.deepEqual(fills.map((fill) => fill === "#ffffff"), [false, false, false]);
  const near = await drawnSvg(plotDifference(compareRetention(curves, { ...options, month: 4 })));
  const hollow = marksOf(near, "value dot", "circle").map((dot) => dot.getAttribute("fill"));
  assert.deepEqual(hollow, ["#ffffff", "#ffffff", "#ffffff"]);
});

Deno.test("plotDifference of pairs has an axis with zero, however large the differences", async () => {
  const far = retentionCurves(
    cohortFrame(["a", "b", "c"].map((project, at) => ({
      ...{ project, size: 100_000 },
      months: [1, 0.9 - 0.4 * at],
    }))),
    { since: null },
  );
  const pairs = compareRetention(far, { ...options, month: 1, groups: ["a", "b", "c"] });
  const { panels: [panel] } = await plotDifference(pairs).spec;
  const [low, high] = [...panel!.x!.domain!].map(Number);
  assert.equal(low, 0);
  assert.ok(high! > 0.8);
});
