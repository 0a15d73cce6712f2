import assert from "node:assert/strict";
import { plotRetentionHeatmap } from "../../../lib/chart/plot/plot_retention_heatmap.ts";
import { drawnSvg, marksOf, textsOf } from "../drawn_svg.ts";
import { curvesSample, frameOf } from "../sample_frames.ts";

const triangle = {
  project_id: ["a", "a", "a", "a", "a", "a"],
  project_name: ["A", "A", "A", "A", "A", "A"],
  cohort: ["2026-02", "2026-02", "2026-02", "2026-01", "2026-01", "2026-01"],
  cohort_date: [...Array(3).fill(new Date("2026-02-01")), ...Array(3).fill(new Date("2026-01-01"))],
  month: [0, 1, 2, 0, 1, 2],
  size: [50, 50, 50, 1200, 1200, 1200],
  retention: [1, 0, null, 1, 0.42, 0.3],
};

Deno.test("plotRetentionHeatmap draws a cell for each share, oldest cohort first, and none for null", async () => {
  const chart = plotRetentionHeatmap(frameOf(triangle));
  const svg = await drawnSvg(chart);
  assert.equal(chart.title, "Retention by cohort: A");
  assert.equal(marksOf(svg, "cell", "rect").length, 5);
  assert.deepEqual(textsOf(svg, "y-axis tick label"), ["Jan 2026", "Feb 2026"]);
  assert.deepEqual(textsOf(svg, "size"), ["1.2K", "50"]);
  assert.deepEqual(textsOf(svg, "share").toSorted(), ["0%", "100%", "100%", "30%", "42%"]);
  assert.match(svg.textContent, /1 of 6 values not observed: left empty, which is not zero\./);
});

Deno.test("plotRetentionHeatmap colours a cell by its share, as the legend says", async () => {
  const chart = plotRetentionHeatmap(frameOf(triangle));
  const { legend } = await chart.spec;
  assert.equal(legend[6]!.label, "60–70%");
  const fills = marksOf(await drawnSvg(chart), "cell", "rect").map((cell) =>
    cell.getAttribute("fill")
  );
  // Cells come row by row: January 100, 42 and 30 percent, February 100 and 0.
  assert.deepEqual(fills, [7, 4, 3, 7, 0].map((step) => legend[step]!.color));
});

Deno.test("plotRetentionHeatmap pools the cohorts of several projects by size", async () => {
  const frame = frameOf({
    project_id: ["a", "a", "b", "b"],
    cohort: ["2026-01", "2026-01", "2026-01", "2026-01"],
    month: [0, 1, 0, 1],
    size: [300, 300, 100, 100],
    retention: [1, 0.2, 1, 0.6],
  });
  const svg = await drawnSvg(plotRetentionHeatmap(frame));
  assert.deepEqual(textsOf(svg, "share"), ["100%", "30%"]);
  assert.deepEqual(textsOf(svg, "size"), ["400"]);
  assert.match(svg.textContent, /2 projects pooled, weighted by cohort size\./);
  const one = await drawnSvg(plotRetentionHeatmap(frame, { project_id: "b" }));
  assert.deepEqual(textsOf(one, "share"), ["100%", "60%"]);
});

Deno.test("plotRetentionHeatmap draws the oldest of very many cohorts as one", async () => {
  const svg = await drawnSvg(plotRetentionHeatmap(curvesSample(60)));
  const labels = textsOf(svg, "y-axis tick label");
  assert.equal(labels.length, 36);
  assert.equal(labels[0], "earlier (25)");
  assert.match(svg.textContent, /60 cohorts: the first 25 are drawn as one/);
});

Deno.test("plotRetentionHeatmap refuses a project that the frame does not have", () => {
  assert.throws(() => plotRetentionHeatmap(frameOf(triangle), { project_id: "z" }), {
    name: "RangeError",
    message: 'plotRetentionHeatmap: the frame has no project_id "z"',
  });
});
