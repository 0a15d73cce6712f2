import type { Chart } from "../../lib/chart/chart.ts";
import { plotComparison } from "../../lib/chart/comparison.ts";
import { plotContractFlows } from "../../lib/chart/contract_flows.ts";
import { plotGrowth } from "../../lib/chart/growth.ts";
import { plotMetrics } from "../../lib/chart/metrics.ts";
import { plotRetention } from "../../lib/chart/retention.ts";
import { plotRetentionHeatmap } from "../../lib/chart/retention_heatmap.ts";
import { vegaComparison } from "../../lib/chart/comparison.ts";
import { vegaRetention } from "../../lib/chart/retention.ts";
import { vegaRetentionHeatmap } from "../../lib/chart/retention_heatmap.ts";
import { plotRanks } from "../../lib/chart/ranks.ts";
import { plotTimeline, vegaTimeline } from "../../lib/chart/timeline.ts";
import type { DataFrame } from "../../lib/table/polars.ts";
import { type FrameMakers, frames, hostileName, longName, type ValueAt } from "./edge_frames.ts";

const FIELDS = ["ecosystem_fees_30d_sum", "ecosystem_tvl_30d_change"];

const CHARTS: readonly [
  name: string,
  frame: keyof FrameMakers,
  draw: (frame: DataFrame) => Chart,
][] = [
  ["plotRetention by cohort", "curves", plotRetention],
  ["plotRetention by project", "pooled", plotRetention],
  ["plotRetentionHeatmap", "curves", plotRetentionHeatmap],
  ["plotComparison", "comparison", (frame) => plotComparison(frame, { fields: FIELDS })],
  ["plotGrowth", "growth", plotGrowth],
  ["plotContractFlows", "flows", plotContractFlows],
  ["plotMetrics", "metrics", plotMetrics],
  ["plotTimeline", "timeline", plotTimeline],
  [
    "plotTimeline of an index",
    "timeline",
    (frame) => plotTimeline(frame.rename({ fees_sum: "fees_sum_index" }), { from: frame }),
  ],
  ["plotRanks", "timeline", plotRanks],
  ["vegaTimeline", "timeline", vegaTimeline],
  ["vegaRetention", "pooled", vegaRetention],
  ["vegaRetentionHeatmap", "curves", vegaRetentionHeatmap],
  ["vegaComparison", "comparison", (frame) => vegaComparison(frame, { fields: FIELDS })],
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

/** Every chart over every edge frame. */
export const edgeCharts: readonly { name: string; edge: string; draw: () => Chart }[] = CHARTS
  .flatMap(
    ([name, frame, draw]) =>
      EDGES.map(([edge, make]) => ({ name, edge, draw: () => draw(make(frame)) })),
  );
