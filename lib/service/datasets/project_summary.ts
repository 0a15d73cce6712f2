import { type Aggregation, type Window, WINDOWS } from "../../schema/vocabulary.ts";
import { type GroupColumn, groupValues } from "./group_values.ts";
import { type Metric, METRICS } from "./metric.ts";
import { type Span, trailingBounds } from "./window_value.ts";

/** An aggregation that is precomputed for every project. */
interface SummaryAggregation {
  /** Name in responses, such as `7d_sum`. */
  readonly name: string;
  readonly window: Window | "max";
  readonly statistic: Aggregation;
}

function over(statistic: "sum" | "avg" | "change" | "trend"): SummaryAggregation[] {
  return WINDOWS.map((window) => ({ name: `${window}_${statistic}`, window, statistic }));
}

/** Returns the precomputed aggregations of a metric. A flow has sums. Levels and users have averages and changes. */
export function summaryAggregations({ kind }: Metric): readonly SummaryAggregation[] {
  const latest = { name: "latest", window: "1d", statistic: "latest" } as const;
  const max = { name: "max_sum", window: "max", statistic: "sum" } as const;
  return kind === "flow"
    ? [latest, ...over("sum"), max, ...over("trend")]
    : [latest, ...over("avg"), ...over("change"), ...over("trend")];
}

/** Returns the name of the column that stores whether a project has any fact of a metric. */
export function availabilityColumn({ metric_id }: Metric): string {
  return `${metric_id}_available`;
}

/** Returns the name of the column that stores an aggregation of a metric. */
export function summaryColumn({ metric_id }: Metric, { name }: SummaryAggregation): string {
  return `${metric_id}_${name}`;
}

/** Returns SQL with one row per project: each metric's aggregations, and whether the metric is available. */
export function projectSummary(span: Span): string {
  const columns = METRICS.flatMap((metric): GroupColumn[] => [
    {
      name: availabilityColumn(metric),
      metric,
      statistic: "known",
      bounds: trailingBounds("max", span),
    },
    ...summaryAggregations(metric).map((aggregation) => ({
      name: summaryColumn(metric, aggregation),
      metric,
      statistic: aggregation.statistic,
      bounds: trailingBounds(aggregation.window, span),
    })),
  ]);
  return `SELECT data_id AS project_id, * EXCLUDE (data_id, chain_id, product_id)
    FROM (${groupValues({ group_by: "projects" }, columns)}) AS summary`;
}
