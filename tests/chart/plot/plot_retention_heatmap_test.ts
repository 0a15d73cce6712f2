import assert from "node:assert/strict";
import { pooledRetention } from "../../../lib/analysis/retention/pooled_retention.ts";
import { pl } from "../../../lib/table/columns/polars.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import { withSource } from "../../../lib/table/track/with_source.ts";
import { plotRetentionHeatmap } from "../../../lib/chart/retention_heatmap.ts";
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

Deno.test("plotRetentionHeatmap colors a cell by its share, as in the legend", async () => {
  const chart = plotRetentionHeatmap(frameOf(triangle));
  const svg = await drawnSvg(chart);
  const legend = marksOf(svg, "color legend", "rect").map((step) => step.getAttribute("fill"));
  assert.equal(textsOf(svg, "color legend edge")[6], "60%");
  const fills = marksOf(svg, "cell", "rect").map((cell) => cell.getAttribute("fill"));
  // Cells come row by row: all 100, 40 and 30 percent, January 100, 42 and 30, February 100 and 0; month 0,
  // in which everybody is there, has no color.
  const start = "#e6e9ed";
  assert.deepEqual(fills, [
    ...[start, legend[4], legend[3], start, legend[4], legend[3], start, legend[0]],
  ]);
});

Deno.test("plotRetentionHeatmap leaves out month labels that do not fit, and no cell", async () => {
  const months = Array.from({ length: 20 }, (_, month) => month);
  const frame = frameOf({
    cohort: months.map(() => "2025-01"),
    month: months,
    size: months.map(() => 1000),
    retention: months.map((month) => 1 / (1 + month)),
  });
  const narrow = await drawnSvg(plotRetentionHeatmap(frame, { width: 320 }));
  const wide = await drawnSvg(plotRetentionHeatmap(frame));
  const all = textsOf(wide, "column name");
  assert.deepEqual(all.slice(0, 3), ["0", "1", "2"]);
  assert.deepEqual(textsOf(narrow, "column name"), all.filter((_, month) => month % 2 === 0));
  assert.equal(marksOf(narrow, "cell", "rect").length, marksOf(wide, "cell", "rect").length);
});

Deno.test("plotRetentionHeatmap has no cell for a month that is not over", async () => {
  const cohorts = withSource(
    pl.DataFrame({
      cohort: ["2026-01", "2026-02"],
      initial_cohort_size: [100, 300],
      month_0: [100, 300],
      month_1: [50, 30],
    }),
    { citation: "own", retrievedAt: "2026-03-18" },
  );
  const svg = await drawnSvg(plotRetentionHeatmap(retentionCurves(cohorts)));
  assert.deepEqual(textsOf(svg, "share"), ["100%", "50%", "50%"]);
  assert.equal(marksOf(svg, "running month", "rect").length, 0);
});

Deno.test("plotRetentionHeatmap leaves the cohort of the first month out of the average, with a note", async () => {
  const months = ["2026-01", "2026-02", "2026-03"].flatMap((month) => [month, month]);
  const columns = {
    cohort: months,
    cohort_date: months.map((month) => new Date(month)),
    month: [0, 1, 0, 1, 0, 1],
    size: [5000, 5000, 100, 100, 300, 300],
    retention: [1, 0.9, 1, 0.5, 1, 0.1],
  };
  const frame = frameOf(columns);
  const marked = frame.withColumn(pl.col("size").eq(5000).alias("left_truncated"));
  const svg = await drawnSvg(plotRetentionHeatmap(marked));
  assert.deepEqual(textsOf(svg, "y-axis tick label").slice(0, 2), [
    ...["All later cohorts", "Jan 2026"],
  ]);
  assert.deepEqual(textsOf(svg, "share").slice(0, 3), ["100%", "20%", "90%"]);
  assert.deepEqual(textsOf(svg, "size"), ["400", "5,000", "100", "300"]);
  assert.match(svg.textContent, /Left out of the average: Jan 2026\. The first cohorts/);
  const two = await drawnSvg(plotRetentionHeatmap(marked.head(4)));
  assert.deepEqual(textsOf(two, "size"), ["5,000", "100"]);
  assert.match(
    two.textContent,
    /The first cohorts after tracking began hold older users: Jan 2026\./,
  );
  const unmarked = await drawnSvg(plotRetentionHeatmap(frame));
  assert.deepEqual(textsOf(unmarked, "size")[0], "5,400");
  assert.doesNotMatch(unmarked.textContent, /after tracking began/);
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
  assert.match(svg.textContent, /2 projects pooled, weighted by size\./);
  const one = await drawnSvg(plotRetentionHeatmap(frame.slice(2, 2)));
  assert.deepEqual(textsOf(one, "share"), ["100%", "60%"]);
});

Deno.test("plotRetentionHeatmap draws the last of very many cohorts", async () => {
  const svg = await drawnSvg(plotRetentionHeatmap(curvesSample(60)));
  const labels = textsOf(svg, "y-axis tick label");
  assert.equal(labels.length, 1 + 36);
  assert.match(svg.textContent, /Drawn: the last 36 of 60 cohorts\./);
});

Deno.test("plotRetentionHeatmap averages the cohorts that pooledRetention pools", async () => {
  const months = [1, 2, 3, 4, 5].flatMap((month) => [`2026-0${month}`, `2026-0${month}`]);
  const curves = frameOf({
    project_id: months.map(() => "a"),
    cohort: months,
    cohort_date: months.map((month) => new Date(month)),
    month: months.map((_, row) => row % 2),
    size: [900, 900, 900, 900, 900, 900, 100, 100, 300, 300],
    retention: [1, 0.9, 1, 0.8, 1, 0.7, 1, 0.5, 1, 0.1],
    retained: [900, 810, 900, 720, 900, 630, 100, 50, 300, 30],
    tracked_months: months.map((_, row) => Math.floor(row / 2)),
  });
  const svg = await drawnSvg(plotRetentionHeatmap(curves));
  assert.deepEqual([...pooledRetention(curves).getColumn("retention")], [1, 0.2]);
  assert.deepEqual(textsOf(svg, "share").slice(0, 2), ["100%", "20%"]);
  assert.match(
    svg.textContent,
    /Left out of the average: Jan 2026, Feb 2026, Mar 2026\. The first/,
  );
});
