import type { Shard } from "./clickhouse.ts";
import type { Cluster } from "./cluster.ts";
import { PART_TABLES } from "./shard_parts.ts";

/** A temporary database of one build. It has the same name on every shard. */
export interface BuildDatabase {
  /** Name of the database. It needs no quoting in SQL. */
  readonly name: string;
  /** Runs a function for all shards in parallel. If it fails for one shard, cancels its statements on all shards. */
  onEvery<T>(task: (shard: Shard) => Promise<T>): Promise<T[]>;
}

// The name of such a database contains the start time of its build and a random id. A database that has no tables yet
// counts as abandoned only if this time is long ago.
const NAME = /^chainframe_build_(\d{10})_[0-9a-f]{12}$/;

/** Name of a table. Its rows have a time at which the build was active, and the name of the database of the facts. */
const ALIVE = "build_alive";
// Tables that a build creates after `build_alive`. If a database has only such tables and no `build_alive`, dropping
// the database was interrupted.
const MADE = ["contract_number", ...PART_TABLES.map(({ name }) => name)];
const ALIVE_EVERY_MS = 5_000;
const DEAD_AFTER_S = 60;
// Maximum time from the creation of the database on the first shard to its creation on the last shard, in seconds.
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

/** A database that was created by a build. The build may have ended. */
interface Suspect {
  readonly name: string;
  /** Whether at least one other shard does not have the database. */
  readonly isAlone: boolean;
}

// Returns whether the build that created a database has ended. The database remains on a shard if the shard does not
// respond when the build ends. A restart of a shard also ends the build, so the build has ended if its last row in
// `build_alive` is older than the start of the server.
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
  // The present, the uptime and the time of a row are whole seconds, so a row can seem one second older than it is.
  return since(row?.latest) > Math.min(DEAD_AFTER_S, Number(row?.up) + 1);
}

// Tries several times to drop the database, because a statement of the ended build can still lock a table.
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
      // Ignores errors, because another build may drop its own database in the meantime.
      if (await isLeftOver(shard, { name, isAlone }, facts).catch(() => false)) {
        await drop(shard, name);
      }
    }
  }));
}

/**
 * Creates a temporary database on every shard, runs a build, and drops these databases when the build ends or fails.
 *
 * First drops databases that remain from killed builds.
 *
 * @throws {ClusterError} when a shard refuses to create the database.
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
