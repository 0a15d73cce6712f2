import type { Database } from "../engine/duckdb.ts";
import { textOfRows } from "./activity_rows.ts";
import { ClusterError, type Shard } from "./clickhouse.ts";
import type { Cluster } from "./cluster.ts";
import { countDays, type DayState, lastStep, type ShardDay, writeManifest } from "./manifest.ts";
import { batchesOf, piecesOf, type PlannedDay } from "./plan_load.ts";
import { ACTIVITY_COLUMNS, createActivity } from "./shard_tables.ts";

/** A load: one call of `loadShards`, which copies days of activity from a DuckDB database to the shards. */
interface Entry {
  readonly cluster: Cluster;
  /** The DuckDB database. Its table `load.activity` has the rows to copy. */
  readonly database: Database;
  /** Name of the load: letters and digits. */
  readonly load: string;
  /** Number of the first step of this load in the manifest, in which steps are numbered over all loads. */
  readonly step: number;
  /** Called once per batch, after all shards have replaced the days of the batch. */
  readonly onDays: (days: readonly PlannedDay[]) => void;
}

const STAGING = "staging_";
const [AT_ONCE, MOST_COMMANDS] = [4, 100];

type Act = (shard: Shard, index: number, goesOn: () => boolean) => Promise<void>;

/**
 * Runs a function on a few shards at a time, because the text of the rows of all shards would use too much memory.
 *
 * If one shard fails, the other shards finish their current statement. Then the error is thrown.
 */
async function onEach({ shards }: Cluster, act: Act): Promise<void> {
  const failures: unknown[] = [];
  const goesOn = () => failures.length === 0;
  for (let from = 0; from < shards.length && goesOn(); from += AT_ONCE) {
    const acts = shards.slice(from, from + AT_ONCE).map((shard, index) =>
      act(shard, from + index, goesOn).catch((error) => failures.push(error))
    );
    await Promise.all(acts);
  }
  if (!goesOn()) throw failures[0];
}

// Drops the staging tables of earlier loads. An earlier load that is still running then fails.
async function sweep({ shards, name: facts, database }: Cluster): Promise<void> {
  for (const shard of shards) {
    const left = await shard.rows(
      `SELECT name FROM system.tables
       WHERE database = '${facts}' AND name LIKE '${STAGING}%'`,
    );
    for (const { name } of left) await shard.run(`DROP TABLE IF EXISTS ${database}.\`${name}\``);
  }
}

// Throws if a shard does not have the expected number of rows for some day. Compares only the days in `wanted`, because
// the table can also contain days that lie between them.
function compare(
  { url }: Shard,
  found: ReadonlyMap<string, number>,
  wanted: readonly ShardDay[],
): void {
  for (const { day, rows } of wanted) {
    const there = found.get(day) ?? 0;
    if (there === rows) continue;
    throw new ClusterError(`shard ${url}: ${rows} rows of ${day} were sent, and ${there} arrived`);
  }
}

/** Returns the rows to write to the manifest of one shard: one row per day, all with the state `state`. */
function stepOf(
  { load }: Entry,
  state: DayState,
  { days, index }: { days: readonly PlannedDay[]; index: number },
): ShardDay[] {
  return days.map(({ day, on }) => {
    const { rows, digest } = on[index]!;
    return { day, load, state, rows, digest };
  });
}

async function stage(entry: Entry, days: readonly PlannedDay[], table: string): Promise<void> {
  const columns = Object.keys(ACTIVITY_COLUMNS).join(", ");
  await onEach(entry.cluster, async (shard, index, goesOn) => {
    await shard.run(createActivity(table));
    for (const piece of piecesOf(days, index)) {
      if (!goesOn()) return;
      const text = await textOfRows(entry.database, piece);
      await shard.run(`INSERT INTO ${table} (${columns}) FORMAT TabSeparated\n${text}`);
    }
    compare(shard, await countDays(shard, table), stepOf(entry, "whole", { days, index }));
  });
}

// Sends one statement for many days, because each statement needs a request and a lock of the table.
async function alter({ run }: Shard, table: string, commands: readonly string[]): Promise<void> {
  for (let from = 0; from < commands.length; from += MOST_COMMANDS) {
    await run(`ALTER TABLE ${table} ${commands.slice(from, from + MOST_COMMANDS).join(", ")}`);
  }
}

async function replace(entry: Entry, days: readonly PlannedDay[], table: string): Promise<void> {
  const { cluster: { database }, step } = entry;
  const activity = `${database}.activity`;
  const span = [days[0]!.day, days.at(-1)!.day] as const;
  await onEach(entry.cluster, async (shard, index) => {
    // If the new day has no rows, drops its partition. New versions of ClickHouse refuse to insert an empty partition.
    const enter = days.map(({ day, on }) =>
      on[index]!.rows === 0 ? `DROP PARTITION '${day}'` : `REPLACE PARTITION '${day}' FROM ${table}`
    );
    await alter(shard, activity, enter);
    const whole = stepOf(entry, "whole", { days, index });
    compare(shard, await countDays(shard, activity, span), whole);
    await writeManifest(shard, database, { step: step + 1, days: whole });
    await shard.run(`DROP TABLE IF EXISTS ${table}`);
  });
}

function emptyDays(load: string, state: DayState, days: readonly string[]): ShardDay[] {
  return days.map((day) => ({ day, load, state, rows: 0, digest: "0" }));
}

async function remove({ cluster, load, step }: Entry, days: readonly string[]): Promise<void> {
  const { database } = cluster;
  await onEach(cluster, async (shard) => {
    await alter(shard, `${database}.activity`, days.map((day) => `DROP PARTITION '${day}'`));
    await writeManifest(shard, database, {
      step: step + 1,
      days: emptyDays(load, "removed", days),
    });
  });
}

/**
 * Replaces `days` on the shards, and removes the days in `gone`.
 *
 * First marks the days in both lists as `entering` on every shard, so that an interrupted load can be detected. Then
 * loads `days` in batches: all shards receive the new rows of a batch in a staging table and count them, and then
 * replace the days of the batch.
 *
 * @throws {ClusterError} when a shard fails, or another load begins. The staging tables are then dropped.
 */
export async function enterDays(
  entry: Entry,
  days: readonly PlannedDay[],
  gone: readonly string[],
): Promise<void> {
  const { cluster, load, step, onDays } = entry;
  const { shards, database } = cluster;
  const table = `${database}.${STAGING}${load}`;
  try {
    await onEach(cluster, async (shard, index) => {
      const entering = stepOf(entry, "entering", { days, index });
      const leaving = emptyDays(load, "entering", gone);
      await writeManifest(shard, database, { step, days: [...entering, ...leaving] });
    });
    await sweep(cluster);
    for (const batch of batchesOf(days)) {
      await stage(entry, batch, table);
      if (await lastStep(cluster) > step + 1) {
        throw new ClusterError("another load started on these shards and ended this one");
      }
      await replace(entry, batch, table);
      onDays(batch);
    }
    await remove(entry, gone);
  } catch (error) {
    await Promise.all(shards.map((shard) => shard.cleanUp(`DROP TABLE IF EXISTS ${table}`)));
    throw error;
  }
}
