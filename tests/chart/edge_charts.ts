import type { Chart } from "../../lib/chart/chart.ts";
import { plotComparison } from "../../lib/chart/comparison.ts";
import { plotCohortTrend } from "../../lib/chart/cohort_trend.ts";
import { plotContractFlows } from "../../lib/chart/contract_flows.ts";
import { plotContributions } from "../../lib/chart/contributions.ts";
import { plotCounterfactual } from "../../lib/chart/counterfactual.ts";
import { plotDifference } from "../../lib/chart/difference.ts";
import { plotEventStudy } from "../../lib/chart/event_study.ts";
import { plotLayers } from "../../lib/chart/layers.ts";
import { plotUserFlows } from "../../lib/chart/user_flows.ts";
import { plotGrowth } from "../../lib/chart/growth.ts";
import { plotRetention } from "../../lib/chart/retention.ts";
import { plotRetentionHeatmap } from "../../lib/chart/retention_heatmap.ts";
import { plotTimeline } from "../../lib/chart/timeline.ts";
import { plotScatter } from "../../lib/chart/scatter.ts";
import { type DataFrame, pl } from "../../lib/table/columns/polars.ts";
import { type FrameMakers, frames, hostileName, longName, type ValueAt } from "./edge_frames.ts";

const FIELDS = ["ecosystem_fees_30d_sum", "ecosystem_tvl_30d_change"];

const CHARTS: readonly [
  name: string,
  frame: keyof FrameMakers,
  draw: (frame: DataFrame) => Chart,
][] = [
  ["plotRetention by cohort", "curves", (frame) => plotRetention(frame.limit(8 * 12))],
  ["plotRetention by project", "pooled", plotRetention],
  ["plotRetentionHeatmap", "curves", plotRetentionHeatmap],
  ["plotComparison", "comparison", (frame) => plotComparison(frame, { field: FIELDS })],
  ["plotGrowth", "growth", plotGrowth],
  ["plotContractFlows", "flows", plotContractFlows],
  ["plotComparison of metrics", "metrics", plotComparison],
  ["plotContributions", "parts", plotContributions],
  ["plotLayers", "layers", plotLayers],
  ["plotUserFlows", "gains", plotUserFlows],
  ["plotDifference", "pairs", plotDifference],
  ["plotCohortTrend", "trends", plotCohortTrend],
  ["plotCohortTrend as lines", "trends", (frame) => plotCohortTrend(frame, { as: "lines" })],
  ["plotEventStudy", "effects", plotEventStudy],
  ["plotCounterfactual", "gaps", plotCounterfactual],
  ["plotTimeline", "timeline", plotTimeline],
  [
    "plotTimeline of an index",
    "timeline",
    (frame) => plotTimeline(frame.rename({ fees_sum: "fees_sum_index" }), { source: frame }),
  ],
  ["plotTimeline of ranks", "timeline", (frame) => plotTimeline(frame, { as: "rank" })],
  ["interactive timeline", "timeline", (frame) => plotTimeline(frame).interactive()],
  ["plotTimeline of any frame", "pooled", (frame) => {
    return plotTimeline(frame, {
      x: "month",
      field: "retention",
      by: "project_id",
      label: "project_name",
    });
  }],
  ["plotScatter", "comparison", (frame) => {
    return plotScatter(frame, { x: FIELDS[0]!, y: FIELDS[1]!, label: "chain_name" });
  }],
  ["plotScatter with a trend", "comparison", (frame) => {
    const [x, y] = [FIELDS[0]!, FIELDS[1]!];
    return plotScatter(frame, { x, y, label: "chain_name", trend: true, width: 320 });
  }],
  ["plotComparison with a reference", "comparison", (frame) => {
    const reference = { value: 1e3, label: "a thousand" };
    return plotComparison(frame, {
      field: FIELDS[0]!,
      label: "chain_name",
      reference,
      height: 600,
    });
  }],
  [
    "plotComparison with bounds",
    "comparison",
    (frame) => {
      const value = pl.col(FIELDS[0]!);
      const bounded = frame.withColumns(value.alias("low"), value.mul(2).alias("high"));
      return plotComparison(bounded, { field: FIELDS[0]!, lower: "low", upper: "high" });
    },
  ],
  ["interactive retention", "pooled", (frame) => plotRetention(frame).interactive()],
  ["interactive heat map", "curves", (frame) => plotRetentionHeatmap(frame).interactive()],
  [
    "interactive comparison",
    "comparison",
    (frame) => plotComparison(frame, { field: FIELDS }).interactive(),
  ],
];

const plain: ValueAt = (group, step) => 0.9 / (1 + step) + 0.001 * (group % 50);
const nothing: ValueAt = () => null;
const wild: ValueAt = (group, step) => {
  if ((group + step) % 4 === 0) return null;
  return (group % 2 === 0 ? -1 : 1) * 10 ** ((group * 7 + step * 3) % 25 - 6);
};

const EDGES: readonly [name: string, make: (frame: keyof FrameMakers) => DataFrame][] = [
  ["no rows", (frame) => frames[frame](0, plain)],
  ["one row", (frame) => frames[frame](1, plain).limit(1)],
  ["all null", (frame) => frames[frame](3, nothing)],
  ["one group", (frame) => frames[frame](1, plain)],
  ["200 groups", (frame) => frames[frame](200, plain)],
  ["names of 60 characters", (frame) => frames[frame](9, plain, longName)],
  ["names with markup and quotes", (frame) => frames[frame](5, plain, hostileName)],
  ["negative and huge values", (frame) => frames[frame](8, wild)],
];

/** The functions whose charts the edges are drawn with. */
export const edgeFunctions: readonly string[] = [
  ...new Set(CHARTS.map(([name]) => name.split(" ")[0]!).filter((name) => name.startsWith("plot"))),
];

/** Every chart over every edge frame. */
export const edgeCharts: readonly { name: string; edge: string; draw: () => Chart }[] = CHARTS
  .flatMap(
    ([name, frame, draw]) =>
      EDGES.map(([edge, make]) => ({ name, edge, draw: () => draw(make(frame)) })),
  );
