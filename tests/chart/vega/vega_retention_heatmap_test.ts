import assert from "node:assert/strict";
import { vegaRetentionHeatmap } from "../../../lib/chart/retention_heatmap.ts";
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
  assert.equal([...svg.querySelectorAll(".cells_marks path")].length, 4 + 3);
  const texts = [...svg.querySelectorAll(".mark-text.role-mark text")].map((text) =>
    text.textContent
  );
  // The row of all cohorts, then the two cohorts.
  assert.deepEqual(texts.slice(0, -1), ["42%", "30%", "42%", "30%"]);
  const rows = [...svg.querySelectorAll(".role-axis-label text")].map((text) => text.textContent);
  assert.deepEqual(rows.slice(-3), ["All cohorts · 1,250", "2026-01 · 1,200", "2026-02 · 50"]);
  assert.match(svg.textContent, /Empty: not yet observed \(1 of 5\)\./);
});

Deno.test("vegaRetentionHeatmap frames a running month with dashes, without a color", async () => {
  const running = (value: unknown): unknown[] =>
    typeof value !== "object" || value === null
      ? []
      : JSON.stringify((value as { transform?: unknown }).transform) ===
          '[{"filter":"datum.running"}]'
      ? [(value as { mark?: unknown }).mark]
      : Object.values(value).flatMap(running);
  const [mark, ...others] = running(await vegaRetentionHeatmap(frame).spec) as Record<
    string,
    unknown
  >[];
  assert.deepEqual([mark!.filled, mark!.strokeDash, others], [false, [2, 2], []]);
});

Deno.test("vegaRetentionHeatmap has the number of active users", async () => {
  const { data } = await vegaRetentionHeatmap(frame).spec;
  const { values } = data as { values: Record<string, unknown>[] };
  const second = values.find(({ cohort, month }) => cohort === "2026-01" && month === 1);
  assert.deepEqual([second!.retention, second!.users, second!.active], [0.42, 1200, 504]);
});

Deno.test("vegaRetentionHeatmap averages each month over the users observed in it", async () => {
  const { data } = await vegaRetentionHeatmap(frame).spec;
  const { values } = data as { values: Record<string, unknown>[] };
  const average = values.filter(({ cohort }) => cohort === "All cohorts");
  assert.deepEqual(average.map(({ month, users, active }) => [month, users, active]), [
    [0, 1250, 1250],
    [1, 1200, 504],
    [2, 1200, 360],
  ]);
});
