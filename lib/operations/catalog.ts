import type { Connection } from "../http/connection.ts";
import { carry } from "../table/show.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { blockchainComparison } from "./blockchain_comparison.ts";
import { cohortAnalysis } from "./cohort_analysis.ts";
import { defaultConnection } from "../http/connect.ts";
import { metricAggregations } from "./metric_aggregations.ts";
import { projectContracts } from "./project_contracts.ts";

/**
 * What there is to ask for, as frames, each sorted by id.
 *
 * @category Operations
 */
export interface Catalog {
  /**
   * `project_id`, `project_name`, `market_sector_id`, `market_sector_name` (String). The sector is null
   * for a project with neither cohorts nor contracts.
   */
  readonly projects: DataFrame;
  /** `metric_id` (String), `projects` (Float64): for how many projects the service has it. */
  readonly metrics: DataFrame;
  /** `chain_id`, `chain_name` (String). */
  readonly chains: DataFrame;
  /** `market_sector_id`, `market_sector_name` (String), `projects` (Float64): how many are in it. */
  readonly market_sectors: DataFrame;
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
  return {
    projects: carry(aggregations, projects, "catalog"),
    metrics: carry(aggregations, counted(aggregations, "metric_id"), "catalog"),
    chains: carry(comparison, distinct(comparison, "chain_id", "chain_name"), "catalog"),
    market_sectors: carry(
      cohorts,
      counted(placed, "market_sector_id", "market_sector_name"),
      "catalog",
    ),
  };
}

/**
 * The projects, metrics, chains and market sectors that there are, as frames.
 *
 * The interface lists none of them, so they are put together from what the operations return: four
 * requests, once per connection. After that the warning about an id that was not found names the
 * nearest known one.
 *
 * @example Which chains are there?
 * ```ts
 * import { catalog } from "@chainframe/chainframe";
 *
 * const { chains, metrics } = await catalog();
 * console.log(chains.toString(), metrics.toString());
 * ```
 *
 * @throws {ChainframeError} for a failed request; the next call asks again.
 * @category Operations
 */
export function catalog(connection: Connection = defaultConnection()): Promise<Catalog> {
  const fetched = catalogs.get(connection);
  if (fetched !== undefined) return fetched;
  const fetching = fetchCatalog(connection);
  catalogs.set(connection, fetching);
  fetching.catch(() => catalogs.delete(connection));
  return fetching;
}
