import { rmSync } from "node:fs";
import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import {
  anything,
  checkOptions,
  number,
  oneOf,
  required,
  string,
} from "../../platform/check_options.ts";
import { type Database, openDuckdb, quoteText } from "../engine/duckdb.ts";
import { FACT_LAYOUT, FACT_TABLES, type FactTable, SAMPLE_MARK } from "../facts/fact_layout.ts";
import { loadSampleEntities } from "./entities.ts";
import { loadSampleActivity, SAMPLE_DAILY_VALUES, SAMPLE_EVENTS, SAMPLE_MARKET } from "./facts.ts";

/** The seed of the sample: one of few for which the planted effects are near the middle of their intervals. */
const SAMPLE_SEED = 20;

/**
 * Fills the schema `facts` with the sample: invented names, and random values from a fixed seed.
 */
export async function loadSampleFacts(database: Database, seed = SAMPLE_SEED): Promise<void> {
  await database.run(FACT_TABLES);
  await loadSampleEntities(database, { seed, scale: 1 });
  await database.run(SAMPLE_MARKET);
  // Each statement uses only one core, so the statements run in parallel.
  await Promise.all([
    loadSampleActivity(database, { scale: 1, parts: 2, atOnce: true }),
    database.run(SAMPLE_DAILY_VALUES),
  ]);
  await database.run(SAMPLE_EVENTS);
}

// Memory limit of DuckDB. Data beyond the limit is stored on disk, next to the files.
const MEMORY = "640MB";

// Maximum of `parts`, the number of groups of months: one group per month. It is used if the sample has many users.
const MOST_PARTS = 30;

const COPY_OPTIONS = {
  parquet: "FORMAT parquet, COMPRESSION zstd",
  csv: "FORMAT csv, HEADER",
} as const;

/** The bounds of the option `scale`. */
const [SMALLEST, LARGEST] = [0.0001, 1_000];

const RULES = {
  out: required(string),
  scale: number(SMALLEST, LARGEST),
  format: oneOf(["parquet", "csv"]),
  signal: anything,
};

const MARK_TEXT =
  `These facts are sample data with invented names: they say nothing about the world.
A file of data that is built from this folder is marked as sample data, and so is every response.
Delete this file once the facts are your own.
`;

function expression(column: string): string {
  // Fees and revenue have only six decimals, so they fit into 64 bits.
  if (column === "fees_usd" || column === "revenue_usd") {
    return `CAST(${column.slice(0, -4)} AS DECIMAL(18, 6))`;
  }
  if (column.endsWith("_usd")) return `CAST(${column.slice(0, -4)} AS DECIMAL(18, 2))`;
  return column;
}

// These expressions avoid joins, because a join would not keep the order of the rows, which are already sorted.
const ACTIVITY_COLUMNS: Readonly<Record<string, string>> = {
  chain_id: "split_part(CAST(contract AS VARCHAR), ',', 1)",
  account_address: "split_part(CAST(contract AS VARCHAR), ',', 2)",
  // This text looks like an address. A build requires only that each user has a different text.
  user_address: "concat('0x', md5(concat('user', user_no)), left(md5(concat(user_no)), 8))",
};

function select({ name, columns, key }: FactTable): string {
  const own = name === "activity" ? ACTIVITY_COLUMNS : {};
  const list = columns.map(({ name }) => `${own[name] ?? expression(name)} AS ${name}`).join(", ");
  return name === "activity"
    ? `SELECT ${list} FROM facts.numbered_activity`
    : `SELECT ${list} FROM facts.${name} ORDER BY ${key.join(", ")}`;
}

/**
 * Writes the sample facts as files in the layout that `buildData` reads. If this fails, no file remains. Returns the
 * paths of the files.
 *
 * @throws {RangeError} for a scale that is not from 0.0001 to 1000, an unknown format, and an unknown option.
 * @throws {Error} when a file already exists.
 */
export async function writeSample(options: {
  /** The folder of the files. It is created if it is missing. */
  out: string;
  /**
   * Factor for the number of users of the sample.
   * @default 1
   */
  scale?: number;
  /**
   * Format of the files.
   * @default "parquet"
   */
  format?: "parquet" | "csv";
  /**
   * A signal that aborts writing. The files that are already written are then removed.
   * @default {none}
   */
  signal?: AbortSignal;
}): Promise<string[]> {
  const { out, scale = 1, format = "parquet" } = checkOptions(options, RULES, "writeSample");
  const { signal } = options;
  const names = [...FACT_LAYOUT.map(({ name }) => `${name}.${format}`), SAMPLE_MARK];
  const paths = names.map((name) => `${out}/${name}`);
  for (const path of paths) {
    const there = await stat(path).then(() => true, () => false);
    if (there) throw new Error(`Cannot write the sample: ${path} exists already`);
  }
  await mkdir(out, { recursive: true });
  const fresh = `${out}/.${crypto.randomUUID().slice(0, 8)}.new`;
  await mkdir(fresh);
  const remove = () => rmSync(fresh, { recursive: true });
  signal?.addEventListener("abort", remove);
  const database = await openDuckdb({ temporaryFolder: `${fresh}/spill`, memory: MEMORY });
  try {
    await database.run(FACT_TABLES);
    await loadSampleEntities(database, { seed: SAMPLE_SEED, scale });
    await database.run(SAMPLE_MARKET);
    const parts = Math.min(MOST_PARTS, Math.ceil(scale / 2));
    await loadSampleActivity(database, { scale, parts, atOnce: false });
    await database.run(SAMPLE_DAILY_VALUES + SAMPLE_EVENTS);
    for (const [index, table] of FACT_LAYOUT.entries()) {
      const path = quoteText(resolve(fresh, names[index]!));
      await database.run(`COPY (${select(table)}) TO ${path} (${COPY_OPTIONS[format]})`);
    }
    await writeFile(`${fresh}/${SAMPLE_MARK}`, MARK_TEXT);
    for (const name of names) await rename(`${fresh}/${name}`, `${out}/${name}`);
  } finally {
    signal?.removeEventListener("abort", remove);
    database.close();
    await rm(fresh, { recursive: true }).catch(() => {});
  }
  return paths;
}
