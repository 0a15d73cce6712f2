import { type Window, WINDOWS } from "../../schema/vocabulary.ts";
import {
  aggregateColumns,
  type Aggregates,
  segments,
  type Span,
  trailingBounds,
  type WindowStatistic,
  windowValue,
} from "./window_value.ts";
import { dailyValues } from "./daily_values.ts";
import { dailyColumn, GROUPINGS, type Metric, METRICS } from "./metric.ts";

/** One of the aggregations of a metric that are computed beforehand for every project. */
interface SummaryAggregation {
  /** The name on the wire: the window, then what it says. */
  readonly name: string;
  readonly window: Window | "max";
  readonly statistic: WindowStatistic;
}

function over(statistic: "sum" | "avg" | "change" | "trend"): SummaryAggregation[] {
  return WINDOWS.map((window) => ({ name: `${window}_${statistic}`, window, statistic }));
}

/** The aggregations that a metric has: what adds up is summed, a level or a count of users is not. */
export function summaryAggregations({ kind }: Metric): readonly SummaryAggregation[] {
  const latest = { name: "latest", window: "1d", statistic: "latest" } as const;
  const max = { name: "max_sum", window: "max", statistic: "sum" } as const;
  return kind === "flow"
    ? [latest, ...over("sum"), max, ...over("trend")]
    : [latest, ...over("avg"), ...over("change"), ...over("trend")];
}

/** The column that keeps whether a project has any fact of a metric. */
export function availabilityColumn({ metric_id }: Metric): string {
  return `${metric_id}_available`;
}

/** The column that keeps an aggregation of a metric. */
export function summaryColumn({ metric_id }: Metric, { name }: SummaryAggregation): string {
  return `${metric_id}_${name}`;
}

/** One row per project with all its aggregations, and which metrics it has at all. */
export function projectSummary(span: Span): string {
  const aggregates: Aggregates = new Map();
  const columns = METRICS.flatMap((metric) => {
    const { metric_id } = metric;
    aggregates.set(`${metric_id}_facts`, `sum(${metric_id}_known)`);
    const values = summaryAggregations(metric).map((aggregation) => {
      const bounds = trailingBounds(aggregation.window, span);
      const sql = windowValue(aggregation.statistic, dailyColumn(metric), bounds, aggregates);
      return `${sql} AS ${summaryColumn(metric, aggregation)}`;
    });
    return [`coalesce(${metric_id}_facts, 0) > 0 AS ${availabilityColumn(metric)}`, ...values];
  });
  const daily = dailyValues(GROUPINGS.projects, METRICS, {
    cells: "data.cell",
    wholeGroups: true,
    entities: "data.project",
  });
  return `
SELECT project_id,
  ${columns.join(",\n  ")}
FROM data.project
LEFT JOIN (
  SELECT data_id AS project_id,
    ${aggregateColumns(aggregates)}
  FROM (${
    segments(
      daily,
      { keys: "data_id", columns: METRICS.map(({ metric_id }) => metric_id) },
      [...WINDOWS, "max" as const].map((window) => trailingBounds(window, span)),
    )
  }) AS segments
  GROUP BY data_id
) AS aggregates USING (project_id)
`;
}
