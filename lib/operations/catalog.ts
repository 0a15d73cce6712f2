import { withProvenance } from "../table/show/show.ts";
import { type DataFrame, type Frame, pl } from "../table/columns/polars.ts";
import { blockchainComparison } from "./blockchain_comparison.ts";
import { cohortAnalysis } from "./cohort_analysis.ts";
import { type Connection, defaultConnection, settingsOf } from "../http/connect.ts";
import { metricAggregations } from "./metric_aggregations.ts";
import { projectContracts } from "./project_contracts.ts";

/**
 * Frames of the available projects, metrics, chains and market sectors. Each frame is sorted by id.
 *
 * @category Operations
 */
export interface Catalog {
  /**
   * `project_id`, `project_name`, `market_sector_id`, `market_sector_name` (String). The sector is null if the project
   * has neither cohorts nor contracts.
   */
  readonly projects: Frame;
  /** `metric_id` (String), `projects` (Float64): the number of projects that have the metric. */
  readonly metrics: Frame;
  /** `chain_id`, `chain_name` (String). */
  readonly chains: Frame;
  /** `market_sector_id`, `market_sector_name` (String), `projects` (Float64): the number of projects in the sector. */
  readonly market_sectors: Frame;
}

const INSPECT = [Symbol.for("Deno.customInspect"), Symbol.for("nodejs.util.inspect.custom")];

/** Prints each table below its name, so that headers stand above their columns. */
function printed(this: Catalog): string {
  return Object.entries(this).map(([name, frame]) => `${name}\n${frame}`).join("\n\n");
}

const catalogs = new WeakMap<Connection, Promise<Catalog>>();

function distinct(frame: DataFrame, ...columns: string[]): DataFrame {
  return frame.select(...columns).filter(pl.col(columns[0]!).isNotNull())
    .unique({ subset: [columns[0]!], keep: "first", maintainOrder: true }).sort(columns[0]!);
}

function counted(frame: DataFrame, id: string, ...names: string[]): DataFrame {
  return frame.filter(pl.col(id).isNotNull()).groupBy(id).agg(
    ...names.map((name) => pl.col(name).first()),
    pl.col("project_id").nUnique().cast(pl.Float64).alias("projects"),
  ).sort(id);
}

async function fetchCatalog(connection: Connection): Promise<Catalog> {
  const [aggregations, comparison, cohorts, contracts] = await Promise.all([
    metricAggregations({}, connection),
    blockchainComparison({}, connection),
    cohortAnalysis({}, connection),
    projectContracts({}, connection),
  ]);
  const sectorOf = ["project_id", "project_name", "market_sector_id", "market_sector_name"];
  const placed = pl.concat([cohorts.select(...sectorOf), contracts.select(...sectorOf)]);
  const sectors = distinct(placed.filter(pl.col("market_sector_id").isNotNull()), ...sectorOf);
  const names = pl.concat([
    aggregations.select("project_id", "project_name"),
    placed.select("project_id", "project_name"),
  ]);
  const projects = distinct(names, "project_id", "project_name")
    .join(sectors.drop("project_name"), { on: "project_id", how: "left" }).sort("project_id");
  const made: Catalog = {
    projects: withProvenance(aggregations, projects, { fn: "catalog" }),
    metrics: withProvenance(aggregations, counted(aggregations, "metric_id"), { fn: "catalog" }),
    chains: withProvenance(
      comparison,
      distinct(comparison, "chain_id", "chain_name"),
      { fn: "catalog" },
    ),
    market_sectors: withProvenance(
      cohorts,
      counted(placed, "market_sector_id", "market_sector_name"),
      { fn: "catalog" },
    ),
  };
  for (const key of INSPECT) Object.defineProperty(made, key, { value: printed });
  return made;
}

/**
 * Lists the available projects, metrics, chains and market sectors, as frames.
 *
 * The API has no such lists, so the frames are made from the responses to four requests. These requests are sent once
 * per connection. Afterwards, warnings about missing ids suggest the nearest known id, and tables and charts of all
 * frames of the connection show names in place of ids.
 *
 * @example Which chains are there?
 * ```ts
 * import { catalog } from "@chainframe/chainframe";
 *
 * const { chains, metrics } = await catalog();
 * console.log(chains.toString(), metrics.toString());
 * ```
 *
 * @throws {ChainframeError} when a request fails; the next call sends the requests again.
 * @category Operations
 */
export async function catalog(connection: Connection = defaultConnection()): Promise<Catalog> {
  settingsOf(connection);
  const fetched = catalogs.get(connection);
  if (fetched !== undefined) return await fetched;
  const fetching = fetchCatalog(connection);
  catalogs.set(connection, fetching);
  fetching.catch(() => catalogs.delete(connection));
  return await fetching;
}
