import { ClusterError, type Shard } from "./clickhouse.ts";
import type { Cluster } from "./cluster.ts";

/**
 * State of a day on a shard:
 *
 * - `entering`: a load has begun. The shard may have the old rows or the new rows.
 * - `whole`: all rows of the load are present.
 * - `removed`: the day has no rows.
 */
export type DayState = "entering" | "whole" | "removed";

/** State of a day on a shard. A day is complete if, on all shards, `state` is `whole` and `load` is the same name. */
export interface ShardDay {
  readonly day: string;
  readonly state: DayState;
  /** Name of the load. */
  readonly load: string;
  /** Number of rows on the shard. */
  readonly rows: number;
  /** Sum of the hashes of the rows that the shard has for this day. */
  readonly digest: string;
}

/** Current state of each day of a shard. */
export type ShardDays = ReadonlyMap<string, ShardDay>;

// All shards share one numbering of steps, so the latest row of a day has the largest step.
async function daysOf({ rows }: Shard, database: string): Promise<ShardDays> {
  const found = await rows(
    `SELECT day, argMax(state, step) AS last_state, argMax(load, step) AS last_load,
       argMax(rows, step) AS last_rows, argMax(digest, step) AS last_digest
     FROM ${database}.manifest GROUP BY day ORDER BY day`,
  );
  return new Map(found.map((row) => [String(row.day), {
    day: String(row.day),
    state: String(row.last_state) as DayState,
    load: String(row.last_load),
    rows: Number(row.last_rows),
    digest: String(row.last_digest),
  }]));
}

/** Reads the states of the days on each shard. The result has the order of the list of shards. */
export function readManifest({ shards, database }: Cluster): Promise<ShardDays[]> {
  return Promise.all(shards.map((shard) => daysOf(shard, database)));
}

/** Returns the number of the latest step on the shards, or 0 if there are no steps. */
export async function lastStep({ shards, database }: Cluster): Promise<number> {
  const steps = await Promise.all(
    shards.map((shard) => shard.rows(`SELECT max(step) AS latest FROM ${database}.manifest`)),
  );
  return Math.max(...steps.flat().map(({ latest }) => Number(latest)));
}

/** Writes one row per day to the manifest of a shard. Days, states, digests and ids need no escaping. */
export async function writeManifest(
  shard: Shard,
  database: string,
  { step, days }: { readonly step: number; readonly days: readonly ShardDay[] },
): Promise<void> {
  if (days.length === 0) return;
  const lines = days.map(({ day, load, state, rows, digest }) =>
    [day, step, load, state, rows, digest].join("\t")
  );
  await shard.run(
    `INSERT INTO ${database}.manifest (day, step, load, state, rows, digest) FORMAT TabSeparated\n` +
      lines.join("\n"),
  );
}

/** Counts the rows of a table for each day from `first` to `last`. */
export async function countDays(
  { rows }: Shard,
  table: string,
  [first, last]: readonly [string, string] = ["1970-01-01", "2099-12-31"],
): Promise<Map<string, number>> {
  const counted = await rows(
    `SELECT day, count(*) AS n FROM ${table} WHERE day BETWEEN '${first}' AND '${last}' GROUP BY day`,
  );
  return new Map(counted.map(({ day, n }) => [String(day), Number(n)]));
}

/** Returns how many rows a shard must have for a day, according to the manifest. */
function promised(known: ShardDay | undefined): number {
  return known?.state === "whole" ? known.rows : 0;
}

/**
 * Reads the states of the days from the manifest, and counts the rows of each day.
 *
 * If a shard does not have as many rows of a day as the manifest states, the state that is returned is `entering`.
 */
export async function readCounted(cluster: Cluster): Promise<ShardDays[]> {
  const manifest = await readManifest(cluster);
  return await Promise.all(cluster.shards.map(async (shard, index) => {
    const found = await countDays(shard, `${cluster.database}.activity`);
    return new Map([...manifest[index]!].map(([day, known]): [string, ShardDay] => {
      const isThere = (found.get(day) ?? 0) === promised(known);
      return [day, isThere ? known : { ...known, state: "entering" }];
    }));
  }));
}

function days(list: readonly string[]): string {
  const more = list.length - 1;
  return `${list[0]}${more === 0 ? "" : ` (and of ${more} more day${more === 1 ? "" : "s"})`}`;
}

/**
 * Returns two lists of days. `whole` has the days that one load completed on all shards. `broken` has all other days,
 * except days that one load removed from all shards.
 */
export function sortDays(
  manifest: readonly ShardDays[],
): { readonly whole: string[]; readonly broken: string[] } {
  const all = [...new Set(manifest.flatMap((shard) => [...shard.keys()]))].sort();
  const states = all.map((day) => ({ day, on: manifest.map((shard) => shard.get(day)) }));
  const same = states.filter(({ on }) =>
    on.every((each) =>
      each !== undefined && each.load === on[0]!.load && each.state === on[0]!.state
    )
  );
  const isOf = (state: DayState) =>
    same.filter(({ on }) => on[0]!.state === state).map(({ day }) => day);
  const [whole, removed] = [isOf("whole"), isOf("removed")];
  return { whole, broken: all.filter((day) => !whole.includes(day) && !removed.includes(day)) };
}

/**
 * Returns, for each day, the name of the load that wrote this day. Each day must be `whole` and from one load on all
 * shards, and must have as many rows as the manifest states.
 *
 * To detect a load during a build, call this function before and after reading activity, and compare the results.
 *
 * @throws {ClusterError} when there are no days, a load was not finished, or rows are missing.
 */
export async function requireWhole(cluster: Cluster): Promise<ReadonlyMap<string, string>> {
  const manifest = await readManifest(cluster);
  const { whole, broken } = sortDays(manifest);
  if (broken.length > 0) {
    throw new ClusterError(
      `the load of ${days(broken)} is incomplete on some shards; load the same facts again`,
    );
  }
  if (whole.length === 0) throw new ClusterError("the shards have no days; load facts first");
  await Promise.all(cluster.shards.map(async (shard, index) => {
    const found = await countDays(shard, `${cluster.database}.activity`);
    const expected = (day: string) => promised(manifest[index]!.get(day));
    const wrong = [...new Set([...whole, ...found.keys()])].sort()
      .filter((day) => (found.get(day) ?? 0) !== expected(day));
    if (wrong.length === 0) return;
    throw new ClusterError(
      `shard ${shard.url}: has ${found.get(wrong[0]!) ?? 0} rows of ${days(wrong)}, and ` +
        `${expected(wrong[0]!)} were loaded: load the same facts again`,
    );
  }));
  return new Map(whole.map((day) => [day, manifest[0]!.get(day)!.load]));
}
