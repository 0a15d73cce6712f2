import assert from "node:assert/strict";
import type { VegaChart } from "../../../lib/chart/chart.ts";
import { plotComparison } from "../../../lib/chart/comparison.ts";
import { loadVega, loadVegaLite } from "../../../lib/chart/vega/render_vega.ts";
import { plotRetention } from "../../../lib/chart/retention.ts";
import { plotRetentionHeatmap } from "../../../lib/chart/retention_heatmap.ts";
import { plotTimeline } from "../../../lib/chart/timeline.ts";
import { frames } from "../edge_frames.ts";
import { edgeCharts } from "../edge_charts.ts";
import { comparisonSample, curvesSample, forecastSample, pooledSample } from "../sample_frames.ts";

/** What Vega-Lite warns of, compiling a spec that Vega can read. */
async function warningsOf(chart: VegaChart): Promise<string[]> {
  const warnings: string[] = [];
  const warn = (...args: unknown[]) => {
    warnings.push(args.join(" "));
    return logger;
  };
  const silent = () => logger;
  const logger = { level: () => 1, warn, error: warn, info: silent, debug: silent };
  const [vega, { compile }] = await Promise.all([loadVega(), loadVegaLite()]);
  const options = { logger: logger as never };
  const { spec } = compile(await chart.spec as unknown as Parameters<typeof compile>[0], options);
  vega.parse(spec);
  return warnings;
}

const FIELDS = ["ecosystem_fees_30d_sum", "ecosystem_tvl_30d_change"];
const CHARTS: readonly [string, VegaChart][] = [
  ["the interactive plotRetention", plotRetention(pooledSample()).interactive()],
  ["the interactive plotRetention with a forecast", plotRetention(forecastSample()).interactive()],
  ["the interactive plotRetention by cohort", plotRetention(curvesSample(8)).interactive()],
  ["the interactive plotRetentionHeatmap", plotRetentionHeatmap(curvesSample()).interactive()],
  [
    "the interactive plotComparison",
    plotComparison(comparisonSample(), { field: FIELDS }).interactive(),
  ],
  [
    "the interactive plotTimeline",
    plotTimeline(frames.timeline(5, (group, step) => 10 + group * step)).interactive(),
  ],
];

for (const [name, chart] of CHARTS) {
  Deno.test(`${name} compiles without a warning`, async () => {
    assert.deepEqual(await warningsOf(chart), []);
  });
}

Deno.test("interactive charts of edge frames compile without a warning", async () => {
  for (
    const { name, edge, draw } of edgeCharts.filter(({ name }) => name.startsWith("interactive"))
  ) {
    assert.deepEqual(await warningsOf(draw() as VegaChart), [], `${name}, ${edge}`);
  }
});
