import { PARTS_AT_ONCE } from "../datasets/aggregation_text.ts";
import type { Metric } from "../datasets/metric.ts";
import {
  availabilityColumn,
  summaryAggregations,
  summaryColumn,
} from "../datasets/project_summary.ts";
import type { Cell, Database, Row } from "../engine/duckdb.ts";

/** One item of the metric aggregations (INTERFACE 2.3). */
type AggregationItem = {
  readonly project_name: string;
  readonly project_id: string;
  readonly metric_id: string;
  readonly metric_aggregation_name: string;
  readonly value: string;
};

const PROJECTS_AT_ONCE = 50;

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

/** How many items there are for each project. */
export function itemsPerProject(metrics: readonly Metric[]): number {
  return metrics.reduce((count, metric) => count + summaryAggregations(metric).length, 0);
}

/** Reads the aggregations of metrics for some projects, or for all when `project_ids` is null. */
export async function* readAggregations(
  database: Database,
  metrics: readonly Metric[],
  project_ids: readonly string[] | null,
): AsyncGenerator<AggregationItem[], void> {
  const rows = database.batches(
    `SELECT project_name, summary.*
     FROM data.project_summary AS summary JOIN data.project USING (project_id)
     ${project_ids === null ? "" : "WHERE list_contains($project_ids, project_id)"}
     ORDER BY project_id`,
    project_ids === null ? {} : { project_ids },
  );
  for await (const batch of rows) {
    // As many projects at a time as make a megabyte or two.
    for (let first = 0; first < batch.length; first += PROJECTS_AT_ONCE) {
      yield batch.slice(first, first + PROJECTS_AT_ONCE).flatMap((row) => items(row, metrics));
    }
  }
}

/** Reads all aggregations of all projects, as the text that a build of a file keeps. */
export async function* readAggregationText(
  database: Database,
): AsyncGenerator<Uint8Array<ArrayBuffer>[], void> {
  const [row] = await database.rows("SELECT count(*) AS parts FROM data.aggregation_text");
  const statements: string[] = [];
  for (let first = 0; first < Number(row?.parts); first += PARTS_AT_ONCE) {
    // In the order in which they were kept: to sort texts again takes as long as to read them.
    const past = first + PARTS_AT_ONCE;
    statements.push(
      `SELECT text FROM data.aggregation_text WHERE part >= ${first} AND part < ${past}`,
    );
  }
  yield* database.blobs(statements);
}
