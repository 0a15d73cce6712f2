import { basename } from "node:path";
import { FRAME_ENDINGS } from "../../lib/output/encode.ts";
import type { OwnSource } from "../../lib/output/recipe.ts";
import { statOf } from "../../lib/platform/file.ts";
import { nameFlags } from "../../lib/platform/statement.ts";
import { type DataFrame, openFrame } from "../../mod.ts";
import { connectionOf } from "./connection.ts";
import { optionsFrom, pairOf } from "./option_values.ts";
import { type Arguments, option, type OptionGroup, several, UsageError } from "./script.ts";

/** The options of scripts that take a table in place of an operation. */
export const TABLE_OPTIONS: OptionGroup = {
  title: "Own table (in place of an operation and its query)",
  options: [
    option("table", "FILE", "A table: .csv, .parquet, .json, .ndjson, .arrow, or its address."),
    {
      ...option("citation", "TEXT", "The source of the table, by default the name of the file."),
      alias: "cite",
    },
    option("license", "TEXT", "The license of the table."),
    several("column-unit", "COLUMN=UNIT", "The unit of a column, such as tvl=usd."),
    several("entity", "COLUMN", "The column that names the entities (default: found)."),
    option("date", "COLUMN", "The column of dates (default: found)."),
  ],
};

function columnsOf(given: Arguments): Record<string, { unit: string }> {
  return Object.fromEntries(
    given.all("column-unit").map((pair) => {
      const [name, unit = ""] = pairOf(pair) ?? [];
      if (name !== undefined && unit !== "") return [name, { unit }];
      throw new UsageError(`--column-unit: must be COLUMN=UNIT, such as tvl=usd; got "${pair}"`);
    }),
  );
}

/** The flags of options of `openFrame` and `withSource`. */
const FLAGS: Readonly<Record<string, string>> = {
  columns: "column-unit",
  entity: "entity",
  date: "date",
};

/** Calls a function that opens a table, and names the option in its `RangeError`. */
export async function onTable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof RangeError || cause instanceof TypeError)) throw cause;
    const [, option] = /^\w+: (?:cannot read \w+: )?(columns|entity|date): /.exec(cause.message) ??
      [];
    const text = cause.message.replace(/^\w+: (?:path: |entity: |date: )?/, "");
    const name = option === undefined ? "table" : FLAGS[option]!;
    throw new UsageError(`--${name}: ${text}`, { cause });
  }
}

/**
 * Returns the table of `--table` as the source of a recipe. Undefined without this option.
 *
 * @param query The options of the query, which a table does not have.
 * @throws {UsageError} when there is no such file, or options contradict each other.
 */
export async function tableSource(
  given: Arguments,
  query: readonly string[],
): Promise<OwnSource | undefined> {
  const path = given.one("table");
  if (path === undefined) {
    const names = ["citation", "license", "column-unit", "entity", "date"];
    const lost = names.find((name) => given.has(name));
    if (lost !== undefined) throw new UsageError(`--${lost}: needs --table FILE`);
    return undefined;
  }
  const other = query.find((name) => given.has(name));
  if (other !== undefined) {
    throw new UsageError(`--${other}: is an option of the service; give it or --table`);
  }
  const isAddress = /^https?:/.test(path);
  if (!isAddress) await checkTable(path, "--table");
  if (isAddress && !given.has("citation")) {
    throw new UsageError("--table: an address needs --citation TEXT");
  }
  const columns = columnsOf(given);
  const options = {
    ...optionsFrom("openFrame", given, ["citation", "license", "entity", "date"]),
    ...Object.keys(columns).length > 0 && { columns },
  };
  return isAddress ? { address: path, options } : { file: basename(path), options };
}

/** Throws if there is no such file, or if its ending is not that of a table. */
export async function checkTable(path: string, name: string): Promise<void> {
  const stats = await statOf(path);
  if (stats === null) throw new UsageError(`${name}: no such file: ${path}`);
  if (!stats.isFile()) throw new UsageError(`${name}: must be a file: ${path}`);
  const endings = FRAME_ENDINGS.filter((each) => each !== ".md" && each !== ".xlsx");
  if (endings.some((ending) => path.toLowerCase().endsWith(ending))) return;
  const hint = /\.(?:tsv|tab|txt|dat)$/i.test(path)
    ? "; if it is CSV with any separator, name it .csv"
    : /\.(?:xlsx?|ods|numbers)$/i.test(path)
    ? "; save the sheet as .csv"
    : "";
  throw new UsageError(`${name}: must end in ${endings.join(", ")}; got "${path}"${hint}`);
}

/** Reads the table of `--table`: see {@linkcode tableSource}. */
export async function ownTable(
  given: Arguments,
  query: readonly string[],
  signal: AbortSignal,
): Promise<DataFrame | undefined> {
  const source = await tableSource(given, query);
  if (source === undefined) return undefined;
  const connection = await connectionOf(given, signal);
  nameFlags();
  return await onTable(() => openFrame(given.one("table")!, source.options as never, connection));
}
