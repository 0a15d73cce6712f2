import type { Metric } from "../datasets/metric.ts";
import {
  availabilityColumn,
  summaryAggregations,
  summaryColumn,
} from "../datasets/project_summary.ts";
import type { Cell, Database, Row } from "../engine/duckdb.ts";

/** One item of the metric aggregations (INTERFACE 2.3). */
interface AggregationItem {
  readonly project_name: string;
  readonly project_id: string;
  readonly metric_id: string;
  readonly metric_aggregation_name: string;
  readonly value: string;
}

// "-" says that the project has no such metric, "NaN" that this figure cannot be computed.
function valueText(value: Cell | undefined, available: boolean): string {
  if (!available) return "-";
  return typeof value === "number" ? String(value) : "NaN";
}

function items(row: Row, metrics: readonly Metric[]): AggregationItem[] {
  const project = { project_name: String(row.project_name), project_id: String(row.project_id) };
  return metrics.flatMap((metric) => {
    const available = row[availabilityColumn(metric)] === true;
    return summaryAggregations(metric).map((aggregation) => ({
      ...project,
      metric_id: metric.metric_id,
      metric_aggregation_name: aggregation.name,
      value: valueText(row[summaryColumn(metric, aggregation)], available),
    }));
  });
}

/** Reads the aggregations of metrics for some projects, or for all when `project_ids` is null. */
export async function readAggregations(
  database: Database,
  metrics: readonly Metric[],
  project_ids: readonly string[] | null,
): Promise<AggregationItem[]> {
  const rows = await database.rows(
    `SELECT project_name, summary.*
     FROM data.project_summary AS summary JOIN data.project USING (project_id)
     ${project_ids === null ? "" : "WHERE list_contains($project_ids, project_id)"}
     ORDER BY project_id`,
    project_ids === null ? {} : { project_ids },
  );
  return rows.flatMap((row) => items(row, metrics));
}
