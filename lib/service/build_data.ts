import { shardActivity } from "./cluster/read_shards.ts";
import { buildDatasets, DATA_LAYOUT } from "./datasets/build_datasets.ts";
import { type Database, openDuckdb, quoteText } from "./engine/duckdb.ts";
import { loadFacts } from "./facts/load_facts.ts";
import { isSample } from "./facts/read_facts.ts";
import { prepareResponse } from "./query/prepared_response.ts";
import { aggregationsBody } from "./query/read_aggregations.ts";
import { dataDigest } from "./snapshot.ts";

/** What is built, and where. */
export interface BuildOptions {
  /** The folder of the facts. */
  facts: string;
  /** The file of data to write, once it is whole. */
  out: string;
  /**
   * For how many days the last level of a product, a project or a chain stands in where there is no
   * fact: deposits, loans, market capitalisation, developers. After that it counts as ended.
   * @default 3
   */
  carryDays?: number;
  /**
   * How much memory the build may hold, such as `"2GB"`, 256 MB at least; what does not fit spills
   * beside the file.
   * @default half of the machine's
   */
  memory?: string;
  /**
   * Whether a file that is there by the time the new one is whole is replaced.
   * @default true
   */
  force?: boolean;
  /**
   * The file that lists the ClickHouse shards that hold the activity: they group it where it is, and
   * what the folder of the facts has of it is not looked at. The same file of data comes out.
   * @default the activity is read from the folder
   */
  shards?: string;
  /** Ends the reading of shards, and leaves nothing there. */
  signal?: AbortSignal;
  /**
   * After how many milliseconds without a sign of life a shard fails the build.
   * @default 16 000
   */
  patience?: number;
}

/** What was built. */
export interface BuildResult {
  /** The first day of the data, `YYYY-MM-DD`. */
  readonly first_day: string;
  /** The last day of the data, `YYYY-MM-DD`. */
  readonly last_day: string;
  /** The rows of each dataset. */
  readonly rows: Readonly<Record<string, number>>;
  /** How many amounts of those that were read had more than nine decimals, and were rounded to nine. */
  readonly rounded: number;
}

const COUNTED = ["blockchain_comparison", "project_contracts", "cohort_analysis"] as const;

async function countRows(database: Database): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of COUNTED) {
    const [row] = await database.rows(`SELECT count(*) AS rows FROM data.${name}`);
    counts[name] = Number(row?.rows);
  }
  return counts;
}

// The tables are in the file already: what is left is to say whose they are, and to end its log.
async function finishData(database: Database, sample: boolean): Promise<void> {
  const digest = await dataDigest(database);
  await database.run(`
    CREATE TABLE data.layout AS
      SELECT ${DATA_LAYOUT} AS layout, ${quoteText(digest)} AS digest, ${sample} AS sample;
    CHECKPOINT built;
    DETACH built;
  `);
}

/** Stores the response to a request for all aggregations. */
async function prepareAggregations(
  database: Database,
  signal: AbortSignal | undefined,
): Promise<void> {
  const untilAborted = async function* () {
    for await (const chunk of aggregationsBody(database)) {
      signal?.throwIfAborted();
      yield chunk;
    }
  };
  await prepareResponse(database, untilAborted());
}

async function sync(path: string): Promise<void> {
  const file = await Deno.open(path, { read: true, write: true });
  try {
    await file.sync();
  } finally {
    file.close();
  }
}

// The bytes are on the disk before the name points to them.
async function swapIn(from: string, { out, force = true }: BuildOptions): Promise<void> {
  if (force) return await Deno.rename(from, out);
  // Linking fails if the file exists, so that the second of two concurrent builds throws.
  await Deno.link(from, out).catch((cause) => {
    if (!(cause instanceof Deno.errors.AlreadyExists)) throw cause;
    throw new Deno.errors.AlreadyExists(`Cannot build ${out}: it is there by now, and is kept`, {
      cause,
    });
  });
}

// A failed cleanup must not hide why a build ended.
async function remove(path: string): Promise<void> {
  await Deno.remove(path, { recursive: true }).catch(() => {});
}

function checkMemory(memory: string): void {
  const [, amount, unit] = /^(\d+(?:\.\d+)?) ?(MB|GB|TB)$/.exec(memory) ?? [];
  const megabytes = Number(amount) * { MB: 1, GB: 1e3, TB: 1e6 }[unit ?? "MB"]!;
  if (megabytes >= 256) return;
  throw new RangeError(
    `Cannot build: memory must be an amount from 256MB on, such as 2GB; got ${memory}`,
  );
}

function checkBounds({ carryDays = 3, memory }: BuildOptions): void {
  if (!Number.isInteger(carryDays) || carryDays < 0 || carryDays > 366) {
    throw new RangeError(
      `Cannot build: carryDays must be a whole number from 0 to 366; got ${carryDays}`,
    );
  }
  if (memory !== undefined) checkMemory(memory);
}

/** Fills the database with facts and datasets. Shards hold the activity where the options name them. */
async function fillData(database: Database, options: BuildOptions, spill: string) {
  const { facts, carryDays = 3, shards } = options;
  const there = shards === undefined
    ? undefined
    : await shardActivity(shards, { ...options, folder: spill });
  const known = there === undefined ? undefined : { lastDay: there.lastDay, since: null };
  const rounded = await loadFacts(database, facts, known);
  const span = await buildDatasets(database, { carryDays, readActivity: there?.readActivity });
  return { span, rounded };
}

/**
 * Builds a file of data from facts: checks them, computes the datasets, and swaps the file in whole.
 * Whatever goes wrong before that leaves a file that is there as it was.
 *
 * @throws {FactsError} when something is wrong with the facts.
 * @throws {ClusterError} when something is wrong with the list of shards, or with a shard.
 * @throws {RangeError} for days to carry that are no whole number from 0 to 366, or less memory than
 * 256MB.
 * @throws {Deno.errors.AlreadyExists} without `force`, when there is a file of that name.
 */
export async function buildData(options: BuildOptions): Promise<BuildResult> {
  const { out, memory = "half" } = options;
  checkBounds(options);
  const unique = `${out}.${crypto.randomUUID().slice(0, 8)}`;
  const [fresh, spill] = [`${unique}.new`, `${unique}.spill`];
  const database = await openDuckdb({ built: fresh, temporaryFolder: spill, memory });
  try {
    const { span, rounded } = await fillData(database, options, spill);
    options.signal?.throwIfAborted();
    const rows = await countRows(database);
    await prepareAggregations(database, options.signal);
    await finishData(database, await isSample(options.facts));
    database.close();
    await sync(fresh);
    await swapIn(fresh, options);
    return { ...span, rows, rounded };
  } finally {
    database.close();
    for (const path of [fresh, `${fresh}.wal`, spill]) await remove(path);
  }
}
