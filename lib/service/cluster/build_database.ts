import type { Shard } from "./clickhouse.ts";
import type { Cluster } from "./cluster.ts";

/** A database of one build alone, on every shard. */
export interface BuildDatabase {
  /** Its name, which may stand in SQL as it is. */
  readonly name: string;
  /** Does something on every shard at once. When it fails on one, it is ended on the others. */
  onEvery<T>(task: (shard: Shard) => Promise<T>): Promise<T[]>;
}

// When it was begun, so that nobody takes one that is still empty for left over; and by chance.
const NAME = /^chainframe_build_(\d{10})_[0-9a-f]{12}$/;

/** A table that says that the database is a build's, and when the build was last alive. */
const ALIVE = "build_alive";
const ALIVE_EVERY_MS = 5_000;
const DEAD_AFTER_S = 60;

function freshName(): string {
  const id = crypto.randomUUID().replaceAll("-", "").slice(-12);
  return `chainframe_build_${Math.floor(Date.now() / 1000)}_${id}`;
}

function sayAlive({ run }: Shard, name: string): Promise<void> {
  return run(`INSERT INTO ${name}.${ALIVE} SELECT toUInt32(now())`);
}

// A build does not outlive a shard: one whose last sign is older than the server's start has ended.
async function isLeftOver({ rows }: Shard, name: string): Promise<boolean> {
  const tables = await rows(`SELECT name FROM system.tables WHERE database = '${name}'`);
  if (tables.length === 0) return Date.now() / 1000 - Number(NAME.exec(name)?.[1]) > DEAD_AFTER_S;
  if (!tables.some((table) => table.name === ALIVE)) return false;
  const [row] = await rows(
    `SELECT toUInt32(now()) AS at_present, uptime() AS up, max(at) AS last FROM ${name}.${ALIVE}`,
  );
  const silent = Number(row?.at_present) - Number(row?.last);
  return silent > Math.min(DEAD_AFTER_S, Number(row?.up));
}

async function dropLeftOver(shard: Shard): Promise<void> {
  const databases = await shard.rows("SELECT name FROM system.databases");
  for (const name of databases.map((row) => String(row.name))) {
    // Another build may drop its own in the meantime.
    if (NAME.test(name) && await isLeftOver(shard, name).catch(() => false)) {
      await shard.cleanUp(`DROP DATABASE IF EXISTS ${name}`);
    }
  }
}

/**
 * Makes a database of its own for a build on every shard, and drops it whole when the build ends,
 * however it does. What a build left over that ended without a word is dropped before.
 *
 * @throws {ClusterError} when a shard refuses it.
 */
export async function withBuildDatabase<T>(
  { shards }: Cluster,
  build: (database: BuildDatabase) => Promise<T>,
): Promise<T> {
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
    await onEvery(async (shard) => {
      await dropLeftOver(shard);
      await shard.run(`CREATE DATABASE ${name}`);
      await shard.run(`CREATE TABLE ${name}.${ALIVE} (at UInt32) ENGINE = MergeTree ORDER BY at`);
      await sayAlive(shard, name);
    });
    alive = setInterval(() => {
      for (const shard of shards) sayAlive(shard, name).catch(() => {});
    }, ALIVE_EVERY_MS);
    return await build({ name, onEvery });
  } finally {
    clearInterval(alive);
    await cleanUp(`DROP DATABASE IF EXISTS ${name}`);
  }
}
