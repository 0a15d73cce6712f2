import { mkdir } from "node:fs/promises";
import { CLICKHOUSE_NAMES } from "../datasets/activity_parts.ts";
import type { ReadActivity } from "../datasets/read_activity.ts";
import type { Database } from "../engine/duckdb.ts";
import { type BuildDatabase, withBuildDatabase } from "./build_database.ts";
import { ClusterError, type Shard } from "./clickhouse.ts";
import { type Cluster, type ClusterOptions, withCluster } from "./cluster.ts";
import { readManifest, requireWhole, type ShardDays } from "./manifest.ts";
import {
  copyPart,
  numberContracts,
  numberedActivity,
  PART_TABLES,
  sendNumbers,
} from "./shard_parts.ts";
import { readShardList } from "./shard_list.ts";
import { requireTables } from "./shard_tables.ts";

/** The activity on the shards, for a build. */
interface ShardActivity {
  /** Last day of the activity. */
  readonly lastDay: string;
  /** Computes a part of each table on each shard, and combines the parts. */
  readonly readActivity: ReadActivity;
}

/** Options for reading activity. */
interface ShardActivityOptions extends ClusterOptions {
  /** Folder for downloaded rows. */
  readonly folder: string;
  /**
   * Maximum number of rows that a query may group. A day with more rows gets a query of its own.
   * @default 5 000 000
   */
  readonly most?: number;
}

const MOST_ROWS = 5_000_000;
const [EVERY_DAY, NO_DAY] = ["1 = 1", "1 = 0"];

// Throws if a row of activity has an unknown contract, because joins would drop such a row without an error.
async function checkContracts({ url, rows }: Shard, activity: string, own: string): Promise<void> {
  const [row] = await rows(
    `SELECT count(*) AS broken, min(contract) AS example FROM ${activity}
     WHERE contract NOT IN (SELECT contract FROM ${own}.contract_number)`,
  );
  const more = Number(row?.broken) - 1;
  if (more < 0) return;
  throw new ClusterError(
    `shard ${url}: activity refers to no known contract: ${row?.example} is not in contracts` +
      (more === 0 ? "" : ` (and so in ${more} more row${more === 1 ? "" : "s"})`),
  );
}

// Splits the days into spans with at most `most` rows, and returns an SQL condition for each span. If there are no
// days, returns a condition that is false, because the first query creates the table.
function turnsOf(days: ShardDays, most: number): string[] {
  if (days.size === 0) return [NO_DAY];
  const turns: { first: string; last: string; rows: number }[] = [];
  for (const { day, rows } of days.values()) {
    const turn = turns.at(-1);
    if (turn === undefined || turn.rows + rows > most) {
      turns.push({ first: day, last: day, rows });
    } else turns.splice(-1, 1, { ...turn, last: day, rows: turn.rows + rows });
  }
  return turns.map(({ first, last }) => `day BETWEEN toDate('${first}') AND toDate('${last}')`);
}

/** The source and the destination of the tables that one shard computes. */
interface Making {
  readonly activity: string;
  /** Database of this build. */
  readonly own: string;
  /** The numbers of the contracts, as blocks of rows in the format JSONEachRow. */
  readonly numbers: readonly string[];
  /** Days to read. */
  readonly days: ShardDays;
  /** Maximum number of rows that a query may group. */
  readonly most: number;
}

async function makeParts(
  shard: Shard,
  { activity, own, numbers, days, most }: Making,
): Promise<void> {
  await sendNumbers(shard, own, numbers);
  await checkContracts(shard, activity, own);
  for (const { name, columns, part } of PART_TABLES) {
    // The cohorts need all months of a user in one query. The other tables can be computed from a few days at a time.
    const turns = name === "cohort_count" ? [EVERY_DAY] : turnsOf(days, most);
    for (const [turn, during] of turns.entries()) {
      const read = numberedActivity(activity, own, { columns, during });
      const select = part(read);
      const into = turn === 0
        ? `CREATE TABLE ${own}.${name} ENGINE = MergeTree ORDER BY tuple() AS`
        : `INSERT INTO ${own}.${name}`;
      await shard.run(`${into} ${select}`);
    }
  }
}

// A row of activity is one address, contract and day. So the counts of addresses must add up to the number of rows.
async function checkAddresses(
  database: Database,
  shards: readonly Shard[],
  manifest: readonly ShardDays[],
): Promise<void> {
  const sums = await database.rows(
    `SELECT shard, day, sum(addresses)::BIGINT AS counted FROM work.contract_daily_part
     GROUP BY shard, day`,
  );
  const found = new Map(sums.map(({ shard, day, counted }) => [`${shard} ${day}`, counted]));
  for (const [index, { url }] of shards.entries()) {
    for (const { day, rows } of manifest[index]!.values()) {
      const counted = found.get(`${index} ${day}`) ?? 0;
      if (counted === rows) continue;
      throw new ClusterError(`shard ${url}: counted ${counted} of ${rows} rows of ${day}`);
    }
  }
}

// Checks the sums of all rows on the shards. `loadShards` checks only the sums of the rows in its folder.
async function checkCounts(database: Database): Promise<void> {
  const counts = ["transaction_count", "gas_used"];
  const over = counts.map((name) => `sum(${name}_sum) > 9e18 AS ${name}`);
  const [sums] = await database.rows(`SELECT ${over.join(", ")} FROM work.contract_daily_part`);
  const found = counts.find((name) => sums?.[name] === true);
  if (found === undefined) return;
  throw new ClusterError(`activity on the shards: ${found} adds up to more than 9e18`);
}

/** The source and the destination of the tables that a build reads. */
interface Reading {
  readonly cluster: Cluster;
  readonly database: Database;
  readonly folder: string;
  readonly most: number;
}

async function readParts(
  { cluster, database, folder, most }: Reading,
  { name: own, onEvery }: BuildDatabase,
): Promise<void> {
  const { shards, database: facts } = cluster;
  const manifest = await readManifest(cluster);
  const activity = `${facts}.activity`;
  const numbers = await numberContracts(database);
  await onEvery((shard) => {
    const days = manifest[shards.indexOf(shard)]!;
    return makeParts(shard, { activity, own, numbers, days, most });
  });
  await database.run(CLICKHOUSE_NAMES);
  for (const { name: table, sum } of PART_TABLES) {
    for (const [index, shard] of shards.entries()) {
      await copyPart(database, shard, { own, table, folder, shard: index });
    }
    if (table === "contract_daily") {
      await checkAddresses(database, shards, manifest);
      await checkCounts(database);
    }
    await database.run(
      `CREATE TABLE work.${table} AS ${sum(`work.${table}_part`)}; DROP TABLE work.${table}_part`,
    );
  }
}

// Throws if facts were loaded during the build, because only some of the parts would contain these facts.
async function checkUnchanged(
  cluster: Cluster,
  before: ReadonlyMap<string, string>,
): Promise<void> {
  const after = await requireWhole(cluster);
  const days = [...new Set([...before.keys(), ...after.keys()])].sort();
  const changed = days.filter((day) => before.get(day) !== after.get(day));
  if (changed.length === 0) return;
  throw new ClusterError(
    `facts were loaded during the build: ${changed[0]} is from another load; build again`,
  );
}

/**
 * Reads the manifest of the shards. Returns the last day of the activity, and a function that reads the activity.
 *
 * The returned function computes a part of each table on each shard, in a temporary database. It combines the parts in
 * DuckDB.
 *
 * @param shards the file that lists the shards
 * @throws {ClusterError} when a shard cannot be read, or does not have the loaded rows. `readActivity` also throws this
 * error, after dropping the temporary databases.
 */
export async function shardActivity(
  shards: string,
  { folder, most = MOST_ROWS, ...options }: ShardActivityOptions,
): Promise<ShardActivity> {
  const list = await readShardList(shards);
  const lastDay = await withCluster(list, async (cluster) => {
    await requireTables(cluster);
    return [...(await requireWhole(cluster)).keys()].sort().at(-1)!;
  }, options);
  const readActivity: ReadActivity = (database) =>
    withCluster(list, async (cluster) => {
      const loads = await requireWhole(cluster);
      await mkdir(folder, { recursive: true });
      const reading = { cluster, database, folder, most };
      await withBuildDatabase(cluster, (own) => readParts(reading, own));
      await checkUnchanged(cluster, loads);
    }, options);
  return { lastDay, readActivity };
}
