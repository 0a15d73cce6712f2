import { withProvenance } from "../table/show.ts";
import { type DataFrame, type Frame, pl } from "../table/polars.ts";
import { blockchainComparison } from "./blockchain_comparison.ts";
import { cohortAnalysis } from "./cohort_analysis.ts";
import { type Connection, defaultConnection } from "../http/connect.ts";
import { metricAggregations } from "./metric_aggregations.ts";
import { projectContracts } from "./project_contracts.ts";
import type { GroupBy } from "../schema/vocabulary.ts";
import { requireColumns } from "../table/require_columns.ts";
import { responseOf } from "../table/provenance.ts";

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
}

/**
 * Lists the available projects, metrics, chains and market sectors, as frames.
 *
 * The API has no such lists, so the frames are made from the responses to four requests. These requests are sent once
 * per connection. Afterwards, warnings about missing ids suggest the nearest known id.
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
export function catalog(connection: Connection = defaultConnection()): Promise<Catalog> {
  const fetched = catalogs.get(connection);
  if (fetched !== undefined) return fetched;
  const fetching = fetchCatalog(connection);
  catalogs.set(connection, fetching);
  fetching.catch(() => catalogs.delete(connection));
  return fetching;
}

/** The kinds of entities that have names in the catalog, each with its column of ids and its column of names. */
const ENTITIES = {
  projects: { id: "project_id", name: "project_name" },
  chains: { id: "chain_id", name: "chain_name" },
  market_sectors: { id: "market_sector_id", name: "market_sector_name" },
} as const;

type Kind = keyof typeof ENTITIES;

/** The kind of entity in `data_id`, by the value of `group_by`. The catalog has no names of products. */
const DATA_ID: Partial<Record<GroupBy, Kind>> = {
  projects: "projects",
  chains: "chains",
  "chain-project": "projects",
  "chain-market-sector": "market_sectors",
  "market-sector": "market_sectors",
};

/** Returns the columns whose ids have names in the catalog, each with the kind of its entities. */
function idColumns(frame: DataFrame): [column: string, kind: Kind][] {
  const query = responseOf(frame)?.query;
  const groupBy = frame.columns.includes("data_id") ? query?.group_by as GroupBy : undefined;
  const data = groupBy && DATA_ID[groupBy];
  const ids = (Object.keys(ENTITIES) as Kind[]).map((kind): [string, Kind] => [
    ENTITIES[kind].id,
    kind,
  ]).filter(([id]) =>
    frame.columns.includes(id) &&
    // Leaves out `chain_id` in a breakdown that is not by chain, because it is null in every row.
    (groupBy === undefined || id !== "chain_id" || groupBy.startsWith("chain-"))
  );
  return data === undefined ? ids : [["data_id", data], ...ids];
}

/** Adds the names of one kind of entity after the column of their ids. */
function withNames(frame: DataFrame, [column, kind]: [string, Kind], known: Catalog): DataFrame {
  const { id, name } = ENTITIES[kind];
  if (frame.columns.includes(name)) return frame;
  const names = known[kind].select(pl.col(id).alias(column), pl.col(name));
  const columns = frame.columns.flatMap((each) => each === column ? [each, name] : [each]);
  return frame.join(names, { on: column, how: "left" }).select(...columns);
}

/**
 * Adds names to a frame of ids. The columns `project_name`, `chain_name` and `market_sector_name` (String) follow the
 * columns of their ids. Columns that the frame already has are not added. In a breakdown, `group_by` determines the
 * kind of entity in `data_id`. Rows and their order do not change. A name is null if the catalog does not have the id.
 *
 * The names come from {@linkcode catalog}, which sends four requests once per connection.
 *
 * @example Fees by project, with names
 * ```ts
 * import { metricBreakdown, named } from "@chainframe/chainframe";
 *
 * const fees = await metricBreakdown({
 *   metric_ids: ["fees"],
 *   interval: "30d",
 *   group_by: "projects",
 * });
 * console.log((await named(fees)).columns.slice(0, 2)); // [ "data_id", "project_name" ]
 * ```
 *
 * @throws {RangeError} for a frame without a column of project, chain or market sector ids.
 * @throws {ChainframeError} when a request fails.
 * @category Operations
 */
export async function named(
  frame: DataFrame,
  connection: Connection = defaultConnection(),
): Promise<Frame> {
  requireColumns(frame, { fn: "named", source: "a frame" });
  const columns = idColumns(frame);
  if (columns.length === 0) {
    throw new RangeError(
      "named: the frame must have project_id, chain_id, market_sector_id, or the data_id of a " +
        `breakdown by one of them: ${frame.columns.join(", ")}`,
    );
  }
  const known = await catalog(connection);
  const result = columns.reduce((whole, column) => withNames(whole, column, known), frame);
  return withProvenance(frame, result, { fn: "named" });
}
