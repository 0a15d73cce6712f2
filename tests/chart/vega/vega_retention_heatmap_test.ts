import assert from "node:assert/strict";
import { vegaRetentionHeatmap } from "../../../lib/chart/retention_heatmap.ts";
import { drawnSvg } from "../drawn_svg.ts";
import { asSample, frameOf } from "../sample_frames.ts";

const days = ["2026-01-01", "2026-01-01", "2026-01-01", "2026-02-01", "2026-02-01"];
const frame = frameOf({
  cohort: days.map((day) => day.slice(0, 7)),
  cohort_date: days.map((day) => new Date(day)),
  month: [0, 1, 2, 0, 1],
  size: [1200, 1200, 1200, 50, 50],
  retention: [1, 0.42, 0.3, 1, null],
});
const march = asSample(frame, "cohort_analysis", "service", new Date("2026-03-17"));

Deno.test("vegaRetentionHeatmap has a row for each cell, and for each month that is not over", async () => {
  const chart = vegaRetentionHeatmap(frame, { source: march });
  const { data } = await chart.spec;
  const { values } = data as { values: Record<string, unknown>[] };
  const names = ["row", "month", "retention", "users", "active", "running"];
  assert.deepEqual(values.map((row) => names.flatMap((name) => row[name] ?? []).join(" ")), [
    // March is not over, and not in the average.
    ...["All cohorts · 1,250 0 1 1250 1250", "All cohorts · 1,250 1 0.42 1200 504"],
    ...["Jan 2026 · 1,200 0 1 1200 1200", "Jan 2026 · 1,200 1 0.42 1200 504"],
    ...["Jan 2026 · 1,200 2 0.3 1200 360 true", "Feb 2026 · 50 0 1 50 50"],
    "Feb 2026 · 50 1 true",
  ]);
  const svg = await drawnSvg(chart);
  assert.equal([...svg.querySelectorAll(".cells_marks path")].length, 6);
  const outlined = [...svg.querySelectorAll('path[stroke-dasharray="2,2"]')];
  assert.equal(outlined.length, 2);
  const texts = [...svg.querySelectorAll(".mark-text.role-mark text")];
  assert.deepEqual(texts.slice(0, -1).map(({ textContent }) => textContent), [
    ...["42%", "42%", "30%"],
  ]);
});
