import assert from "node:assert/strict";
import { plotRetention } from "../../../lib/chart/plot/plot_retention.ts";
import { drawnSvg, marksOf, textsOf } from "../drawn_svg.ts";
import { frameOf, pooledSample } from "../sample_frames.ts";

Deno.test("plotRetention draws a line, a band and a name for each group", async () => {
  const svg = await drawnSvg(plotRetention(pooledSample()));
  assert.equal(marksOf(svg, "observed", "path").length, 3);
  assert.equal(marksOf(svg, "confidence band", "path").length, 3);
  assert.equal(marksOf(svg, "observed value", "path").length, 36);
  assert.deepEqual(textsOf(svg, "line label"), ["Copperleaf Swap", "Harbor Lend", "Quill Games"]);
  assert.deepEqual(
    textsOf(svg, "x-axis tick label"),
    ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"],
  );
});

Deno.test("plotRetention breaks the line where a month is null", async () => {
  const frame = frameOf({
    month: [0, 1, 2, 3, 4],
    size: [100, 100, 100, 100, 100],
    retention: [1, 0.5, null, 0.3, 0.2],
  });
  const chart = plotRetention(frame);
  const svg = await drawnSvg(chart);
  const [line] = marksOf(svg, "observed", "path");
  assert.equal(line!.getAttribute("d")!.match(/M/g)!.length, 2);
  assert.equal(marksOf(svg, "observed value", "path").length, 4);
  assert.match(svg.textContent, /1 of 5 values not observed: left empty, which is not zero\./);
  assert.match(svg.textContent, /Source not recorded\./);
});

Deno.test("plotRetention names the columns that are missing", () => {
  assert.throws(
    () => plotRetention(frameOf({ a: [1], b: ["x"] })),
    (error) =>
      error instanceof RangeError &&
      /plotRetention: the frame has no column month, retention; pass what .* It has: a, b/.test(
        error.message,
      ),
  );
});
