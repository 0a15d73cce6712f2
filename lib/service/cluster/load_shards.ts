import { dayOf } from "../../schema/period.ts";
import { type Database, openDuckdb } from "../engine/duckdb.ts";
import { loadFacts } from "../facts/load_facts.ts";
import { type DayRows, sortRows } from "./activity_rows.ts";
import { type Cluster, withCluster } from "./cluster.ts";
import { enterDays } from "./enter_days.ts";
import { lastStep, readCounted } from "./manifest.ts";
import { planLoad } from "./plan_load.ts";
import { readShardList } from "./shard_list.ts";
import { checkTables, makeTables } from "./shard_tables.ts";

/** What is loaded, and where to. */
export interface LoadOptions {
  /** The folder of the facts. */
  facts: string;
  /** The file that lists the shards. */
  shards: string;
  /**
   * The first day to load, `YYYY-MM-DD`; earlier ones stay on the shards as they are.
   * @default the first day of the facts
   */
  since?: string;
  /**
   * Whether days that the shards have, from `since` on, and the facts have not, are removed.
   * @default false
   */
  prune?: boolean;
  /**
   * How much memory the load may hold here, such as `"2GB"`; what does not fit spills.
   * @default half of the machine's
   */
  memory?: string;
  /**
   * The folder in which a folder for what spills is made, and removed in the end.
   * @default that for temporary files
   */
  spill?: string;
  /** Ends the load. */
  signal?: AbortSignal;
  /** Is called with how many rows are in, of how many that are to be. */
  onProgress?: (rows: number, of: number) => void;
  /**
   * After how many milliseconds without a sign of life a shard fails the load.
   * @default 16 000
   */
  patience?: number;
}

/** What was loaded. */
export interface LoadResult {
  /** How many rows were sent to the shards. */
  readonly rows: number;
  /** How many days the shards did not have. */
  readonly added: number;
  /** How many days were replaced, because their rows are others, or an earlier load was not finished. */
  readonly restated: number;
  /** How many days the shards had already, row by row. */
  readonly unchanged: number;
  /** The days that the shards have, from `since` on, and these facts do not: removed, with `prune`. */
  readonly others: readonly string[];
  /** How many amounts had more than nine decimals, and were rounded to nine. */
  readonly rounded: number;
}

function sinceOf(day = "1970-01-01"): string {
  if (!Number.isNaN(dayOf(day))) return day;
  throw new RangeError(`Cannot load: since must be a calendar day (YYYY-MM-DD); got ${day}`);
}

async function enterFacts(
  cluster: Cluster,
  { database, rows }: { database: Database; rows: readonly DayRows[] },
  options: LoadOptions,
): Promise<Omit<LoadResult, "rounded">> {
  const since = sinceOf(options.since);
  await makeTables(cluster);
  const { days, others, ...counts } = planLoad(rows, await readCounted(cluster), since);
  const of = days.flatMap(({ on }) => on).reduce((sum, { rows }) => sum + rows, 0);
  let sent = 0;
  const gone = options.prune === true ? others : [];
  if (days.length + gone.length > 0) {
    const load = crypto.randomUUID().replaceAll("-", "").slice(0, 12);
    const step = Math.max(await lastStep(cluster) + 1, Date.now());
    await enterDays(
      {
        cluster,
        database,
        load,
        step,
        onDays: (entered) => {
          sent += entered.flatMap(({ on }) => on).reduce((sum, { rows }) => sum + rows, 0);
          options.onProgress?.(sent, of);
        },
      },
      days,
      gone,
    );
  }
  return { rows: of, ...counts, others };
}

/**
 * Loads the activity of a folder of facts into the shards of a cluster: checks all facts as a build
 * does, sends each user's rows to one shard, and has every day enter as a whole, in the place of what
 * the shards have of it. A load that ended in the middle is finished by the same load, and counts
 * everything once; until then no build reads the shards.
 *
 * @throws {FactsError} when something is wrong with the facts; the shards stay as they are.
 * @throws {ClusterError} when something is wrong with the list of shards, or with a shard.
 * @throws {RangeError} for a day that is none.
 */
export async function loadShards(options: LoadOptions): Promise<LoadResult> {
  const { facts, shards, memory = "half", signal, patience } = options;
  const since = sinceOf(options.since);
  const list = await readShardList(shards);
  const waiting = {
    ...(signal === undefined ? {} : { signal }),
    ...(patience === undefined ? {} : { patience }),
  };
  // Who is not let in learns it before the facts are read.
  await withCluster(list, checkTables, waiting);
  const spill = await Deno.makeTempDir({
    prefix: "chainframe-load-",
    ...(options.spill === undefined ? {} : { dir: options.spill }),
  });
  // Whoever ends the load may end the process before the database comes to an end.
  const tidy = () => void Deno.remove(spill, { recursive: true }).catch(() => {});
  signal?.addEventListener("abort", tidy);
  const database = await openDuckdb({ temporaryFolder: spill, memory });
  try {
    const some = options.since === undefined ? undefined : { lastDay: null, since };
    const rounded = await loadFacts(database, facts, some);
    signal?.throwIfAborted();
    const rows = await sortRows(database, list.urls.length);
    const loaded = await withCluster(
      list,
      (cluster) => enterFacts(cluster, { database, rows }, options),
      waiting,
    );
    return { ...loaded, rounded };
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", tidy);
    database.close();
    await Deno.remove(spill, { recursive: true }).catch(() => {});
  }
}
