import { ClusterError, type Shard } from "./clickhouse.ts";
import type { Cluster } from "./cluster.ts";

/**
 * The columns of the table `activity` of a shard, with their types in ClickHouse.
 *
 * The product and the project of a contract are not columns of this table. A build adds them by a join, so they can
 * change without a new load.
 */
export const ACTIVITY_COLUMNS: Readonly<Record<string, string>> = {
  day: "Date",
  user_address: "String",
  contract: "String",
  transaction_count: "Int64",
  gas_used: "Nullable(Int64)",
  fees: "Nullable(Decimal(38, 9))",
  revenue: "Nullable(Decimal(38, 9))",
  dex_trading_volume: "Nullable(Decimal(38, 9))",
  inflows: "Nullable(Decimal(38, 9))",
  outflows: "Nullable(Decimal(38, 9))",
};

/** Returns SQL that creates a table of activity. Each day is a partition, so that one statement replaces a day. */
export function createActivity(table: string): string {
  const columns = Object.entries(ACTIVITY_COLUMNS).map(([name, type]) => `${name} ${type}`);
  return `CREATE TABLE IF NOT EXISTS ${table} (${columns.join(", ")})
ENGINE = MergeTree PARTITION BY day ORDER BY (contract, user_address)`;
}

// The version of the columns. Increment it when columns change, because a build refuses tables of other versions.
const LAYOUT = 1;

/** Table that marks a database of chainframe. It has one row: `LAYOUT`, position of the shard, number of shards. */
const MARKER = "chainframe_shard";

/** Columns of the table `manifest`. A row is a state of a day (see manifest.ts). */
const MANIFEST = `(day Date, step UInt64, load String, state String, rows UInt64, digest String)
ENGINE = MergeTree ORDER BY (day, step)`;

async function ownTables({ url, rows }: Shard, name: string): Promise<string[]> {
  const found = await rows(`SELECT name FROM system.tables WHERE database = '${name}'`);
  if (found.length === 0 || found.some((table) => table.name === MARKER)) {
    return found.map((table) => String(table.name));
  }
  throw new ClusterError(
    `shard ${url}: chainframe did not create the database ${name}: it has ${
      found[0]!.name
    } and no table ` +
      `${MARKER}; it was not changed; choose another name`,
  );
}

/** Compares the marker of a shard with its place in the list. Returns false if there is no marker. */
async function checkMarker({ shards, database, name }: Cluster, index: number): Promise<boolean> {
  const { url, rows } = shards[index]!;
  const found = await rows(`SELECT DISTINCT layout, shard, shards FROM ${database}.${MARKER}`);
  if (found.length === 0) return false;
  const [layout, nth, of] = [found[0]!.layout, found[0]!.shard, found[0]!.shards].map(Number);
  if (layout !== LAYOUT) {
    throw new ClusterError(
      `shard ${url}: the tables of ${name} have layout ${layout}, and this version knows ` +
        `${LAYOUT}: load the facts into another database`,
    );
  }
  if (found.length > 1 || nth !== index + 1 || of !== shards.length) {
    throw new ClusterError(
      `shard ${url}: ${name} holds the users of shard ${nth} of ${of}, and is in the ` +
        `list as ${index + 1} of ${shards.length}: keep the order of the list, or load the facts ` +
        "into another database",
    );
  }
  return true;
}

/** Returns whether a shard has the tables of the facts. Throws if they belong to another list of shards. */
async function hasTables(cluster: Cluster, index: number): Promise<boolean> {
  const tables = await ownTables(cluster.shards[index]!, cluster.name);
  return tables.includes(MARKER) && await checkMarker(cluster, index);
}

/**
 * Checks that every shard has the tables of the facts, and that these tables belong to this list of shards.
 *
 * @throws {ClusterError} when a shard does not have these tables, or its database was not created by chainframe.
 */
export async function requireTables(cluster: Cluster): Promise<void> {
  for (const [index, { url }] of cluster.shards.entries()) {
    if (await hasTables(cluster, index)) continue;
    throw new ClusterError(`shard ${url}: there are no facts in ${cluster.name}: load them first`);
  }
}

/**
 * Checks that no shard has other data in the database in which the tables will be created.
 *
 * @throws {ClusterError} when a database was not created by chainframe, or belongs to another list of shards.
 */
export async function checkTables(cluster: Cluster): Promise<void> {
  for (const index of cluster.shards.keys()) await hasTables(cluster, index);
}

/**
 * Creates the database and its tables on every shard, unless they exist. Checks all shards first.
 *
 * @throws {ClusterError} when a database was not created by chainframe, or belongs to another list of shards.
 */
export async function makeTables(cluster: Cluster): Promise<void> {
  await checkTables(cluster);
  const { shards, database } = cluster;
  for (const [index, shard] of shards.entries()) {
    await shard.run(`CREATE DATABASE IF NOT EXISTS ${database}`);
    await shard.run(
      `CREATE TABLE IF NOT EXISTS ${database}.${MARKER} (layout UInt32, shard UInt32, shards UInt32)
       ENGINE = MergeTree ORDER BY shard`,
    );
    // Throws if two addresses lead to one server, because its marker then has the position of the first address.
    if (!await checkMarker(cluster, index)) {
      const place = [LAYOUT, index + 1, shards.length].join(", ");
      await shard.run(`INSERT INTO ${database}.${MARKER} VALUES (${place})`);
    }
    await shard.run(createActivity(`${database}.activity`));
    await shard.run(`CREATE TABLE IF NOT EXISTS ${database}.manifest ${MANIFEST}`);
  }
}
