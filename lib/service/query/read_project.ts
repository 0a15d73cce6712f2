import { groupingsOf, METRICS } from "../datasets/metric.ts";
import { availabilityColumn } from "../datasets/project_summary.ts";
import type { Database } from "../engine/duckdb.ts";

/**
 * The record of a project (INTERFACE 2.7). For the old id of a renamed project, its new id. For an unknown id, null.
 */
type FoundProject = { project: Readonly<Record<string, unknown>> } | { renamed_to: string } | null;

async function renamedTo(database: Database, project_id: string): Promise<FoundProject> {
  const [row] = await database.rows(
    "SELECT project_id FROM data.project_rename WHERE old_project_id = $project_id",
    { project_id },
  );
  return row === undefined ? null : { renamed_to: String(row.project_id) };
}

/** Reads a project record. */
export async function readProject(database: Database, project_id: string): Promise<FoundProject> {
  const [row] = await database.rows(
    `SELECT * FROM data.project JOIN data.project_summary USING (project_id)
     WHERE project_id = $project_id`,
    { project_id },
  );
  if (row === undefined) return await renamedTo(database, project_id);
  const chains = await database.rows(
    "SELECT DISTINCT chain_id FROM data.cell WHERE project_id = $project_id ORDER BY chain_id",
    { project_id },
  );
  const links = await database.rows(
    "SELECT summary, url FROM data.project_link WHERE project_id = $project_id ORDER BY url",
    { project_id },
  );
  const available = METRICS.filter((metric) => row[availabilityColumn(metric)] === true);
  return {
    project: {
      name: row.project_name,
      project_id,
      symbol: row.symbol,
      description: {
        what: row.description_what,
        how: row.description_how,
        who: row.description_who,
      },
      market_sectors: [row.market_sector_id],
      chains: chains.map(({ chain_id }) => chain_id),
      links,
      aggregate_by_options: Object.fromEntries(
        available.map((metric) => [metric.metric_id, groupingsOf(metric)]),
      ),
      metric_availability: Object.fromEntries(
        METRICS.map((metric) => [metric.metric_id, available.includes(metric)]),
      ),
      metric_definitions: available.map(({ metric_id, definition }) => ({ metric_id, definition })),
      metric_sources: available.map(({ metric_id, source }) => ({ metric_id, definition: source })),
    },
  };
}
