import { setTimeout } from "node:timers/promises";
import { ClusterError, type Shard } from "./clickhouse.ts";
import type { Cluster } from "./cluster.ts";

/** A temporary database of one build. It has the same name on every shard. */
export interface BuildDatabase {
  /** Name of the database. It needs no quoting in SQL. */
  readonly name: string;
  /** Runs a function for all shards in parallel. If it fails for one shard, cancels its statements on all shards. */
  onEvery<T>(task: (shard: Shard) => Promise<T>): Promise<T[]>;
}

const [DROPPED_WITHIN_MS, AGAIN_MS] = [2_500, 200];

// Tries several times to drop the database, because a statement of an ended build can still lock a table.
async function drop(shard: Shard, name: string): Promise<void> {
  const until = performance.now() + DROPPED_WITHIN_MS;
  while (!await shard.cleanUp(`DROP DATABASE IF EXISTS ${name}`) && performance.now() < until) {
    await setTimeout(AGAIN_MS);
  }
}

/** Returns the databases on a shard whose names begin with `prefix` and end with the random id of a build. */
async function buildsOn({ rows }: Shard, prefix: string): Promise<string[]> {
  const databases = await rows("SELECT name FROM system.databases");
  return databases.map(({ name }) => String(name))
    .filter((name) => name.startsWith(prefix) && /^[0-9a-f]{12}$/.test(name.slice(prefix.length)));
}

/**
 * Creates a temporary database on every shard, runs a build, and drops these databases when the build ends or fails.
 *
 * First drops the databases of earlier builds from the same facts. An earlier build that is still running then fails.
 *
 * @throws {ClusterError} when a shard refuses to create the database, or another build begins.
 */
export async function withBuildDatabase<T>(
  { shards, name: facts }: Cluster,
  build: (database: BuildDatabase) => Promise<T>,
): Promise<T> {
  const prefix = `chainframe_build_${facts}_`;
  const name = prefix + crypto.randomUUID().replaceAll("-", "").slice(-12);
  const onEvery = async <R>(task: (shard: Shard) => Promise<R>) => {
    const tasks = shards.map(task);
    try {
      return await Promise.all(tasks);
    } catch (error) {
      const kill = `KILL QUERY WHERE query LIKE '%${name}%' ASYNC`;
      await Promise.all([
        ...shards.map((shard) => shard.cleanUp(kill)),
        ...tasks.map((task) => task.catch(() => {})),
      ]);
      throw error;
    }
  };
  const isGone = async () => {
    const builds = await Promise.all(shards.map((shard) => buildsOn(shard, prefix)));
    return !builds.every((names) => names.includes(name));
  };
  try {
    await onEvery(async (shard) => {
      for (const old of await buildsOn(shard, prefix)) await drop(shard, old);
      await shard.run(`CREATE DATABASE ${name}`);
    });
    return await build({ name, onEvery });
  } catch (cause) {
    if (!await isGone().catch(() => false)) throw cause;
    throw new ClusterError("another build started on these shards and ended this one", { cause });
  } finally {
    await Promise.all(shards.map((shard) => drop(shard, name)));
  }
}
