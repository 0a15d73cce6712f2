import assert from "node:assert/strict";
import { pngOf } from "../../lib/chart/page/png.ts";
import { edgeCharts, edgeFunctions } from "./edge_charts.ts";
import { publicCharts } from "./public_charts.ts";

Deno.test("every public chart is drawn over the edges", () => {
  assert.deepEqual(edgeFunctions.toSorted(), publicCharts());
});

for (const { name, edge, draw } of edgeCharts) {
  Deno.test(`${name} draws a frame with ${edge}`, async () => {
    const svg = await draw().svg();
    assert.doesNotMatch(
      svg,
      /NaN|Infinity|undefined|\[object|currentColor|foreignObject|<script|var\(--/,
    );
    assert.match(
      svg,
      /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]* role="img" aria-label="[^"]+"/,
    );
    // resvg reads strict XML only: an unescaped name is an error here.
    const png = await pngOf(svg, { dpi: 24 });
    assert.deepEqual([...png.slice(1, 4)], [...new TextEncoder().encode("PNG")]);
    if (edge === "no rows") assert.match(svg, /No data: the frame has no rows/);
    if (edge === "all null") assert.match(svg, /No data: every value is null/);
  });
}
