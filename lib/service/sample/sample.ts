import { resolve } from "node:path";
import { type Database, openDuckdb, quoteText } from "../engine/duckdb.ts";
import { FACT_LAYOUT, FACT_TABLES, type FactTable } from "../facts/fact_layout.ts";
import { SAMPLE_ACTIVITY, SAMPLE_DAILY_VALUES, SAMPLE_EVENTS } from "./facts.ts";
import { loadSampleEntities, SAMPLE_DIMENSIONS, SAMPLE_MACROS } from "./entities.ts";

/**
 * Fills the schema `facts` with the sample: invented names, figures by chance from a fixed seed,
 * the same to the byte each time. `scale` multiplies the users.
 */
export async function loadSampleFacts(database: Database, scale = 1): Promise<void> {
  await database.run(FACT_TABLES);
  await loadSampleEntities(database);
  await database.run(SAMPLE_MACROS + SAMPLE_DIMENSIONS);
  await database.run(SAMPLE_ACTIVITY, { scale });
  await database.run(SAMPLE_DAILY_VALUES + SAMPLE_EVENTS);
}

/** How the sample facts are written. */
export interface SampleOptions {
  /** The folder to write to; it is made when it is not there. */
  out: string;
  /**
   * How many times the users of the sample there are.
   * @default 1
   */
  scale?: number;
  /**
   * What the files are.
   * @default "parquet"
   */
  format?: SampleFormat;
}

/** What the files of the sample may be: Parquet, or CSV to look at and to start from. */
export type SampleFormat = "parquet" | "csv";

const COPY_OPTIONS: Readonly<Record<SampleFormat, string>> = {
  parquet: "FORMAT parquet, COMPRESSION zstd",
  csv: "FORMAT csv, HEADER",
};

function expression(column: string): string {
  // Fees have as many decimals as a millionth of a dollar needs, and fit 64 bits with them.
  if (column === "fees_usd" || column === "revenue_usd") {
    return `CAST(${column.slice(0, -4)} AS DECIMAL(18, 6))`;
  }
  if (column.endsWith("_usd")) return `CAST(${column.slice(0, -4)} AS DECIMAL(18, 2))`;
  // Whoever reads them sees addresses; the build only needs them to differ.
  if (column === "user_address") {
    return "concat('0x', md5(concat('user', user_no)), left(md5(concat(user_no)), 8))";
  }
  return column;
}

function select({ name, columns, key }: FactTable): string {
  const list = columns.map(({ name }) => `${expression(name)} AS ${name}`).join(", ");
  const from = name === "activity"
    ? "numbered_activity JOIN facts.contract_keys USING (contract)"
    : name;
  return `SELECT ${list} FROM facts.${from} ORDER BY ${key.join(", ")}`;
}

/**
 * Writes the sample facts as files, in the layout that a build reads. Returns the paths written.
 *
 * @throws {RangeError} for a scale that is no positive number, and for another format.
 * @throws {Error} when one of the files is there already.
 */
export async function writeSample(options: SampleOptions): Promise<string[]> {
  const { out, scale = 1, format = "parquet" } = options;
  if (!(scale > 0 && scale <= 1000)) {
    throw new RangeError(
      `Cannot write the sample: scale must be above 0, up to 1000; got ${scale}`,
    );
  }
  if (!Object.hasOwn(COPY_OPTIONS, format)) {
    throw new RangeError(
      `Cannot write the sample: format must be one of parquet, csv; got ${format}`,
    );
  }
  const paths = FACT_LAYOUT.map(({ name }) => `${out}/${name}.${format}`);
  for (const path of paths) {
    const there = await Deno.stat(path).then(() => true, () => false);
    if (there) throw new Error(`Cannot write the sample: ${path} is there already`);
  }
  await Deno.mkdir(out, { recursive: true });
  const database = await openDuckdb();
  try {
    await loadSampleFacts(database, scale);
    for (const [index, table] of FACT_LAYOUT.entries()) {
      await database.run(
        `COPY (${select(table)}) TO ${quoteText(resolve(paths[index]!))} (${COPY_OPTIONS[format]})`,
      );
    }
  } finally {
    database.close();
  }
  return paths;
}
