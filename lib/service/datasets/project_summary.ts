import { type Window, WINDOWS } from "../../schema/window.ts";
import type { Span } from "./span.ts";
import { dailyValues } from "./daily_values.ts";
import { GROUPINGS } from "./grouping.ts";
import { type Metric, METRICS, perUnit } from "./metric.ts";
import { trailingBounds } from "./trailing_bounds.ts";
import { windowValues } from "./window_values.ts";

/** One of the aggregations of a metric that are computed beforehand for every project. */
export interface SummaryAggregation {
  /** The name on the wire: the window, then what it says. */
  readonly name: string;
  readonly window: Window | "max";
  readonly statistic: "latest" | "sum" | "avg" | "change" | "trend";
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
  const columns = METRICS.flatMap((metric) => [
    `count(${metric.metric_id}) > 0 AS ${availabilityColumn(metric)}`,
    ...summaryAggregations(metric).map((aggregation) => {
      const column = { name: metric.metric_id, kind: metric.kind, per: perUnit(metric) };
      const bounds = trailingBounds(aggregation.window, span);
      const sql = windowValues(column, bounds)[aggregation.statistic];
      return `${sql} AS ${summaryColumn(metric, aggregation)}`;
    }),
  ]);
  const daily = dailyValues(GROUPINGS.projects, METRICS, {
    cells: "data.cell",
    entities: "data.project",
  });
  return `
SELECT project_id,
  ${columns.join(",\n  ")}
FROM data.project
LEFT JOIN (
  SELECT data_id AS project_id, day, ${METRICS.map(({ metric_id }) => metric_id).join(", ")}
  FROM (${daily}) AS daily
) AS days USING (project_id)
GROUP BY project_id
`;
}
