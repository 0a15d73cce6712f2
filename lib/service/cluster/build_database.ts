import type { Shard } from "./clickhouse.ts";
import type { Cluster } from "./cluster.ts";
import { PART_TABLES } from "./shard_parts.ts";

/** A database of one build alone, on every shard. */
export interface BuildDatabase {
  /** Its name, which may stand in SQL as it is. */
  readonly name: string;
  /** Does something on every shard at once. When it fails on one, it is ended on the others. */
  onEvery<T>(task: (shard: Shard) => Promise<T>): Promise<T[]>;
}

// When it was begun, so that nobody takes one that is still empty for left over; and by chance.
const NAME = /^chainframe_build_(\d{10})_[0-9a-f]{12}$/;

/** A table that says which facts a build reads, and when it was last alive. */
const ALIVE = "build_alive";
// What else a build makes, and later: where only these are left, a drop began and came to no end.
const MADE = ["contract_number", ...PART_TABLES.map(({ name }) => name)];
const ALIVE_EVERY_MS = 5_000;
const DEAD_AFTER_S = 60;
// So long may pass from the first shard that has the database to the last one.
const MADE_WITHIN_S = 10;
const [DROPPED_WITHIN_MS, AGAIN_MS] = [2_500, 200];

function freshName(): string {
  const id = crypto.randomUUID().replaceAll("-", "").slice(-12);
  return `chainframe_build_${Math.floor(Date.now() / 1000)}_${id}`;
}

function sayAlive({ run }: Shard, name: string, facts: string): Promise<void> {
  const text = facts.replaceAll("`", "");
  return run(`INSERT INTO ${name}.${ALIVE} SELECT toUInt32(now()) AS at, '${text}' AS facts`);
}

async function buildsOn({ rows }: Shard): Promise<string[]> {
  const databases = await rows("SELECT name FROM system.databases");
  return databases.map((row) => String(row.name)).filter((name) => NAME.test(name));
}

/** A build that may have ended. */
interface Suspect {
  readonly name: string;
  /** Whether another shard has not, or no more, what this one has of it. */
  readonly isAlone: boolean;
}

// A build does not outlive a shard: one whose last sign is older than the server's start has ended. One
// that ended while a shard did not answer has left its database on that one alone.
async function isLeftOver(
  { rows }: Shard,
  { name, isAlone }: Suspect,
  facts: string,
): Promise<boolean> {
  const tables = await rows(`SELECT name FROM system.tables WHERE database = '${name}'`);
  if (tables.length === 0) return Date.now() / 1000 - Number(NAME.exec(name)?.[1]) > DEAD_AFTER_S;
  if (!tables.some((table) => table.name === ALIVE)) {
    return tables.every((table) => MADE.includes(String(table.name)));
  }
  const [row] = await rows(
    `SELECT toUInt32(now()) AS at_present, uptime() AS up, max(at) AS latest, min(at) AS earliest,
       any(facts) AS facts_read
     FROM ${name}.${ALIVE}`,
  );
  const since = (moment: unknown) => Number(row?.at_present) - Number(moment);
  const ours = row?.facts_read === facts.replaceAll("`", "");
  if (ours && isAlone && since(row?.earliest) > MADE_WITHIN_S) return true;
  // Each of the three is cut to whole seconds: a sign as old as the server may look a second older.
  return since(row?.latest) > Math.min(DEAD_AFTER_S, Number(row?.up) + 1);
}

// What was under way when the build ended may still hold its table.
async function drop(shard: Shard, name: string): Promise<void> {
  const until = performance.now() + DROPPED_WITHIN_MS;
  while (!await shard.cleanUp(`DROP DATABASE IF EXISTS ${name}`) && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

async function dropLeftOvers({ shards, database: facts }: Cluster): Promise<void> {
  const builds = await Promise.all(shards.map(buildsOn));
  await Promise.all(shards.map(async (shard, index) => {
    for (const name of builds[index]!) {
      const isAlone = !builds.every((others) => others.includes(name));
      // Another build may drop its own in the meantime.
      if (await isLeftOver(shard, { name, isAlone }, facts).catch(() => false)) {
        await drop(shard, name);
      }
    }
  }));
}

/**
 * Makes a database of its own for a build on every shard, and drops it whole when the build ends,
 * however it does. What a build left over that ended without a word is dropped before.
 *
 * @throws {ClusterError} when a shard refuses it.
 */
export async function withBuildDatabase<T>(
  cluster: Cluster,
  build: (database: BuildDatabase) => Promise<T>,
): Promise<T> {
  const { shards, database: facts } = cluster;
  const name = freshName();
  const cleanUp = (sql: string) => Promise.all(shards.map((shard) => shard.cleanUp(sql)));
  const onEvery = async <R>(task: (shard: Shard) => Promise<R>) => {
    const tasks = shards.map(task);
    try {
      return await Promise.all(tasks);
    } catch (error) {
      const kill = cleanUp(`KILL QUERY WHERE query LIKE '%${name}%' ASYNC`);
      await Promise.all([kill, ...tasks.map((task) => task.catch(() => {}))]);
      throw error;
    }
  };
  let alive: ReturnType<typeof setInterval> | undefined;
  try {
    await dropLeftOvers(cluster);
    await onEvery(async (shard) => {
      await shard.run(`CREATE DATABASE ${name}`);
      await shard.run(
        `CREATE TABLE ${name}.${ALIVE} (at UInt32, facts String) ENGINE = MergeTree ORDER BY at`,
      );
      await sayAlive(shard, name, facts);
    });
    alive = setInterval(() => {
      for (const shard of shards) sayAlive(shard, name, facts).catch(() => {});
    }, ALIVE_EVERY_MS);
    return await build({ name, onEvery });
  } finally {
    clearInterval(alive);
    await Promise.all(shards.map((shard) => drop(shard, name)));
  }
}
