import { type Window, WINDOWS } from "../../schema/vocabulary.ts";
import {
  type Aggregates,
  firstDay,
  type Span,
  trailingBounds,
  type WindowStatistic,
  windowValue,
} from "./window_value.ts";
import { groupValues } from "./group_values.ts";
import { dailyColumn, GROUPINGS, type Metric, METRICS } from "./metric.ts";

/** An aggregation that is precomputed for every project. */
interface SummaryAggregation {
  /** Name in responses: window, underscore, aggregation. */
  readonly name: string;
  readonly window: Window | "max";
  readonly statistic: WindowStatistic;
}

function over(statistic: "sum" | "avg" | "change" | "trend"): SummaryAggregation[] {
  return WINDOWS.map((window) => ({ name: `${window}_${statistic}`, window, statistic }));
}

/** Returns the aggregations of a metric. Flows are summed; levels and users are averaged. */
export function summaryAggregations({ kind }: Metric): readonly SummaryAggregation[] {
  const latest = { name: "latest", window: "1d", statistic: "latest" } as const;
  const max = { name: "max_sum", window: "max", statistic: "sum" } as const;
  return kind === "flow"
    ? [latest, ...over("sum"), max, ...over("trend")]
    : [latest, ...over("avg"), ...over("change"), ...over("trend")];
}

/** Returns the column that stores whether a project has any fact of a metric. */
export function availabilityColumn({ metric_id }: Metric): string {
  return `${metric_id}_available`;
}

/** Returns the column that stores an aggregation of a metric. */
export function summaryColumn({ metric_id }: Metric, { name }: SummaryAggregation): string {
  return `${metric_id}_${name}`;
}

/** Builds one row per project with all aggregations and available metrics. */
export function projectSummary(span: Span): string {
  const aggregates: Aggregates = new Map();
  const columns = METRICS.flatMap((metric) => {
    const { metric_id } = metric;
    const values = summaryAggregations(metric).map((aggregation) => {
      const bounds = trailingBounds(aggregation.window, span);
      const sql = windowValue(aggregation.statistic, dailyColumn(metric), bounds, aggregates);
      return `${sql} AS ${summaryColumn(metric, aggregation)}`;
    });
    return [
      `${firstDay(metric_id, aggregates)} IS NOT NULL AS ${availabilityColumn(metric)}`,
      ...values,
    ];
  });
  const sources = {
    grouping: GROUPINGS.projects,
    cells: "data.cell",
    wholeGroups: true,
    entities: "data.project",
  };
  const windows = [...WINDOWS, "max" as const].map((window) => trailingBounds(window, span));
  return `SELECT data_id AS project_id, * EXCLUDE (data_id, chain_id, product_id)
    FROM (${groupValues(sources, { metrics: METRICS, windows, columns, aggregates })}) AS summary`;
}
