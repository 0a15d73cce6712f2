import { GROUP_BYS } from "../../schema/vocabulary.ts";
import { groupingsOf, METRICS } from "../datasets/metric.ts";
import { availabilityColumn } from "../datasets/project_summary.ts";
import type { Database } from "../engine/duckdb.ts";

/** A project record (INTERFACE 2.7). */
interface ProjectItem {
  readonly name: string;
  readonly project_id: string;
  readonly symbol: string | null;
  readonly description: { what: string | null; how: string | null; who: string | null };
  readonly market_sectors: string[];
  readonly chains: string[];
  readonly links: { summary: string; url: string }[];
  readonly aggregate_by_options: Record<string, readonly string[]>;
  readonly metric_availability: Record<string, boolean>;
  readonly metric_definitions: { metric_id: string; definition: string }[];
  readonly metric_sources: { metric_id: string; definition: string }[];
}

/** Result of looking up a project id: the project, its new id, or null. */
type FoundProject = { project: ProjectItem } | { renamed_to: string } | null;

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
      name: String(row.project_name),
      project_id,
      symbol: row.symbol as string | null,
      description: {
        what: row.description_what as string | null,
        how: row.description_how as string | null,
        who: row.description_who as string | null,
      },
      market_sectors: [String(row.market_sector_id)],
      chains: chains.map(({ chain_id }) => String(chain_id)),
      links: links.map(({ summary, url }) => ({ summary: String(summary), url: String(url) })),
      aggregate_by_options: Object.fromEntries(
        available.map((metric) => [metric.metric_id, groupingsOf(metric, GROUP_BYS)]),
      ),
      metric_availability: Object.fromEntries(
        METRICS.map((metric) => [metric.metric_id, available.includes(metric)]),
      ),
      metric_definitions: available.map(({ metric_id, definition }) => ({ metric_id, definition })),
      metric_sources: available.map(({ metric_id, source }) => ({ metric_id, definition: source })),
    },
  };
}
