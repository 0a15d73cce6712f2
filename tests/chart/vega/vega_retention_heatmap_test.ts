import assert from "node:assert/strict";
import { vegaRetentionHeatmap } from "../../../lib/chart/vega/vega_retention_heatmap.ts";
import { drawnSvg } from "../drawn_svg.ts";
import { frameOf } from "../sample_frames.ts";

const frame = frameOf({
  cohort: ["2026-01", "2026-01", "2026-01", "2026-02", "2026-02"],
  month: [0, 1, 2, 0, 1],
  size: [1200, 1200, 1200, 50, 50],
  retention: [1, 0.42, 0.3, 1, null],
});

Deno.test("vegaRetentionHeatmap draws a cell for each share and none for null", async () => {
  const svg = await drawnSvg(vegaRetentionHeatmap(frame));
  assert.equal([...svg.querySelectorAll(".mark-rect.role-mark path")].length, 4);
  const texts = [...svg.querySelectorAll(".mark-text.role-mark text")].map((text) =>
    text.textContent
  );
  assert.deepEqual(texts.toSorted(), ["1.2K users", "100%", "100%", "30%", "42%", "50 users"]);
  assert.match(svg.textContent, /1 of 5 values not observed: left empty, which is not zero\./);
});

Deno.test("vegaRetentionHeatmap tells how many are still active", () => {
  const { values } = vegaRetentionHeatmap(frame).spec.data as { values: Record<string, unknown>[] };
  const [, second] = values;
  assert.deepEqual([second!.share, second!.users, second!.active], ["42%", "1.2K users", "504"]);
});
