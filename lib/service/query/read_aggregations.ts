import type { Metric } from "../datasets/metric.ts";
import {
  availabilityColumn,
  summaryAggregations,
  summaryColumn,
} from "../datasets/project_summary.ts";
import type { Cell, Database, Row } from "../engine/duckdb.ts";

/** One item of the metric aggregations (INTERFACE 2.3). */
type AggregationItem = Readonly<Record<string, string>>;

const PROJECTS_AT_ONCE = 20;

// Returns "-" if the project does not have the metric, and "NaN" if the value cannot be computed.
function valueText(value: Cell | undefined, available: boolean): string {
  if (!available) return "-";
  return typeof value === "number" ? String(value) : "NaN";
}

function items(row: Row, metrics: readonly Metric[]): AggregationItem[] {
  const project = { project_name: String(row.project_name), project_id: String(row.project_id) };
  const [available, values] = [row.available as Cell[], row.values as Cell[]];
  let at = 0;
  return metrics.flatMap((metric, index) =>
    summaryAggregations(metric).map((aggregation) => ({
      ...project,
      metric_id: metric.metric_id,
      metric_aggregation_name: aggregation.name,
      value: valueText(values[at++], available[index] === true),
    }))
  );
}

/** Returns the number of items per project. */
export function itemsPerProject(metrics: readonly Metric[]): number {
  return metrics.reduce((count, metric) => count + summaryAggregations(metric).length, 0);
}

/** Reads the aggregations of some projects, or of all projects if `project_ids` is null. */
export async function* readAggregations(
  database: Database,
  metrics: readonly Metric[],
  project_ids: readonly string[] | null,
): AsyncGenerator<AggregationItem[], void> {
  // Two lists: DuckDB reserves 2 048 values for each column of a result, so hundreds of columns take megabytes.
  const available = metrics.map(availabilityColumn);
  const values = metrics.flatMap((metric) =>
    summaryAggregations(metric).map((aggregation) => summaryColumn(metric, aggregation))
  );
  const rows = database.batches(
    `SELECT project_name, project_id, [${available.join(", ")}] AS available,
       [${values.map((name) => `${name}::DOUBLE`).join(", ")}] AS values
     FROM data.project_summary AS summary JOIN data.project USING (project_id)
     ${project_ids === null ? "" : "WHERE list_contains($project_ids, project_id)"}
     ORDER BY project_id`,
    project_ids === null ? {} : { project_ids },
  );
  for await (const batch of rows) {
    // Yields the items of a few projects at a time, because the items of 20 projects take half a megabyte.
    for (let first = 0; first < batch.length; first += PROJECTS_AT_ONCE) {
      yield batch.slice(first, first + PROJECTS_AT_ONCE).flatMap((row) => items(row, metrics));
    }
  }
}
