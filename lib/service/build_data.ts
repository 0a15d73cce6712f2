import { open, rename, rm } from "node:fs/promises";
import {
  anything,
  checkOptions,
  integer,
  required,
  type Rule,
  string,
} from "../platform/check_options.ts";
import { shardActivity } from "./cluster/read_shards.ts";
import { buildDatasets, describeData } from "./datasets/build_datasets.ts";
import { METRICS } from "./datasets/metric.ts";
import { type Database, openDuckdb } from "./engine/duckdb.ts";
import { loadFacts } from "./facts/load_facts.ts";
import { isSample } from "./facts/read_facts.ts";
import { jsonBody, prepareResponse } from "./query/prepared_response.ts";
import { readAggregations } from "./query/read_aggregations.ts";
import { DATASETS } from "./query/read_dataset.ts";

type Options = Parameters<typeof buildData>[0];

async function countRows(database: Database): Promise<Record<string, number>> {
  const counts = DATASETS.map(({ name }) => `(SELECT count(*) FROM data.${name}) AS ${name}`);
  const [row = {}] = await database.rows(`SELECT ${counts.join(", ")}`);
  return row as Record<string, number>;
}

async function sync(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

// Ignores errors, because an error here would replace the error that ended the build.
async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true }).catch(() => {});
}

const aMemory: Rule<string> = (value, refuse) =>
  /^\d+(\.\d+)? ?(MB|GB|TB)$/.test(String(value))
    ? String(value)
    : refuse("must be an amount such as 2GB");

const RULES = {
  facts: required(string),
  out: required(string),
  carryDays: integer(0, 366),
  memory: aMemory,
  shards: string,
  signal: anything,
};

/** Fills the database with facts and datasets. If `shards` is given, the activity is read from the shards. */
async function fillData(database: Database, options: Options, spill: string) {
  const { facts, carryDays = 3, shards, signal } = options;
  const there = shards === undefined
    ? undefined
    : await shardActivity(shards, { signal, folder: spill });
  await loadFacts(database, facts, there?.lastDay);
  return await buildDatasets(database, { carryDays, readActivity: there?.readActivity });
}

/**
 * Builds a data file from facts: checks the facts, computes the datasets, and writes a temporary file. A complete file
 * replaces `out`. If the build fails, an existing file `out` is unchanged.
 *
 * @throws {FactsError} when the facts are invalid.
 * @throws {ClusterError} when the list of shards is invalid, or a shard fails.
 * @throws {RangeError} for an unknown option, or when `carryDays` or `memory` is out of range.
 */
export async function buildData(options: {
  /** The folder of the facts. */
  facts: string;
  /** The data file to write. */
  out: string;
  /**
   * On days without a fact, the last known level (deposits, loans, market capitalization, developers) is used, for at
   * most this number of days. After these days, the product, project or chain counts as ended.
   * @default 3
   */
  carryDays?: number;
  /**
   * Memory limit of the build, such as `"2GB"`. Data beyond the limit is stored next to `out`.
   * @default four fifths of the machine's memory
   */
  memory?: string;
  /**
   * The file that lists the ClickHouse shards that store the activity. The shards aggregate their activity, and
   * activity in the folder `facts` is ignored. The data file is the same as if the activity were in this folder.
   * @default the activity is read from the folder
   */
  shards?: string;
  /** A signal that aborts the build. */
  signal?: AbortSignal;
}): Promise<{
  /** The first day of the data, `YYYY-MM-DD`. */
  readonly first_day: string;
  /** The last day of the data, `YYYY-MM-DD`. */
  readonly last_day: string;
  /** The number of rows of each dataset. */
  readonly rows: Readonly<Record<string, number>>;
}> {
  const { out, memory } = checkOptions(options, RULES, "buildData");
  const unique = `${out}.${crypto.randomUUID().slice(0, 8)}`;
  const [fresh, spill] = [`${unique}.new`, `${unique}.spill`];
  const database = await openDuckdb({ built: fresh, temporaryFolder: spill, memory });
  try {
    const span = await fillData(database, options, spill);
    options.signal?.throwIfAborted();
    const rows = await countRows(database);
    const aggregations = jsonBody(readAggregations(database, METRICS, null));
    await prepareResponse(database, aggregations, options.signal);
    await describeData(database, await isSample(options.facts));
    await database.run("CHECKPOINT built; DETACH built");
    database.close();
    await sync(fresh);
    await rename(fresh, out);
    return { ...span, rows };
  } finally {
    database.close();
    for (const path of [fresh, `${fresh}.wal`, spill]) await remove(path);
  }
}
