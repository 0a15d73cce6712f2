import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  anything,
  boolean,
  checkOptions,
  func,
  number,
  required,
  type Rule,
  string,
} from "../../platform/check_options.ts";
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

const aDay: Rule<string> = (value, refuse) =>
  Number.isNaN(dayOf(String(value)))
    ? refuse("must be a calendar day (YYYY-MM-DD)")
    : String(value);

const RULES = {
  facts: required(string),
  shards: required(string),
  from: aDay,
  prune: boolean,
  memory: string,
  spill: string,
  signal: anything,
  onProgress: func,
  patience: number(1),
};

// Node's `tmpdir` reads the environment, for which Deno would need a permission.
function temporaryFolder(dir?: string): Promise<string> {
  const prefix = "chainframe-load-";
  return "Deno" in globalThis
    ? Deno.makeTempDir({ prefix, ...(dir === undefined ? {} : { dir }) })
    : mkdtemp(join(dir ?? tmpdir(), prefix));
}

async function enterFacts(
  cluster: Cluster,
  { database, rows }: { database: Database; rows: readonly DayRows[] },
  options: Parameters<typeof loadShards>[0],
): Promise<Omit<Awaited<ReturnType<typeof loadShards>>, "rounded">> {
  const since = options.from ?? "1970-01-01";
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
 * Loads the activity of a folder of facts into the shards of a cluster.
 *
 * First checks all facts by the rules of a build. All rows of a user go to one shard. A loaded day replaces the rows of
 * that day on the shards. If a load is interrupted, load the same facts again. Until then, builds from these shards
 * fail. A repeated load does not duplicate any row.
 *
 * @throws {FactsError} when the facts are invalid. The shards are then unchanged.
 * @throws {ClusterError} when the list of shards is invalid, or a shard fails.
 * @throws {RangeError} for an unknown option, or when `from` is not a day.
 */
export async function loadShards(options: {
  /** Folder of the facts. */
  facts: string;
  /** File that lists the shards. */
  shards: string;
  /**
   * First day to load, `YYYY-MM-DD`. Earlier days on the shards are kept.
   * @default the first day of the facts
   */
  from?: string;
  /**
   * Whether to remove days that are on the shards but not in the facts. Days before `from` are kept.
   * @default false
   */
  prune?: boolean;
  /**
   * Memory limit, such as `"2GB"`. Data beyond the limit spills to disk.
   * @default half of the machine's memory
   */
  memory?: string;
  /**
   * Folder in which a temporary folder is created, for data that does not fit into memory.
   * @default the folder for temporary files
   */
  spill?: string;
  /** A signal that aborts the load. */
  signal?: AbortSignal;
  /** Called with the number of rows that are loaded so far, and the total number of rows to load. */
  onProgress?: (rows: number, of: number) => void;
  /**
   * Maximum time without a response from a shard, in milliseconds. After this time, the load fails.
   * @default 16 000
   */
  patience?: number;
}): Promise<{
  /** Number of rows sent to the shards. */
  readonly rows: number;
  /** Number of days that the shards did not have. */
  readonly added: number;
  /** Number of days that were replaced, because their rows differ or an earlier load was interrupted. */
  readonly restated: number;
  /** Number of days whose rows were already on the shards. */
  readonly unchanged: number;
  /** Days, not before `from`, that are on the shards but not in the facts. If `prune` is true, they were removed. */
  readonly others: readonly string[];
  /** Number of amounts that were rounded to nine decimals, because they had more. */
  readonly rounded: number;
}> {
  checkOptions(options, RULES, "loadShards");
  const { facts, shards, memory = "half", signal, patience } = options;
  const list = await readShardList(shards);
  const waiting = {
    ...(signal === undefined ? {} : { signal }),
    ...(patience === undefined ? {} : { patience }),
  };
  // Checks access to the shards first, because reading the facts takes longer.
  await withCluster(list, checkTables, waiting);
  const spill = await temporaryFolder(options.spill);
  // An abort removes the folder at once, because the process may end before the database is closed.
  const tidy = () => void rm(spill, { recursive: true }).catch(() => {});
  signal?.addEventListener("abort", tidy);
  const database = await openDuckdb({ temporaryFolder: spill, memory });
  try {
    const some = options.from === undefined ? undefined : { lastDay: null, since: options.from };
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
    await rm(spill, { recursive: true }).catch(() => {});
  }
}
