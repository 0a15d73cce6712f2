import { statOf } from "../../lib/platform/file.ts";
import { nameFlags } from "../../lib/platform/stated_in.ts";
import { type DataFrame, openFrame } from "../../mod.ts";
import { connectionOf } from "./connection.ts";
import { type Arguments, option, type OptionGroup, several, UsageError } from "./script.ts";

/** The options of scripts that take a table in place of an operation. */
export const TABLE_OPTIONS: OptionGroup = {
  title: "Own table (in place of an operation and its query)",
  options: [
    option("table", "FILE", "A table: .csv, .parquet, .json, .ndjson, .arrow, or its address."),
    option("cite", "TEXT", "The source of the table, by default the name of the file."),
    option("license", "TEXT", "The license of the table."),
    several("column-unit", "COLUMN=UNIT", "The unit of a column, such as tvl=usd."),
    several("entity", "COLUMN", "The column that names the entities (default: found)."),
    option("date", "COLUMN", "The column of dates (default: found)."),
  ],
};

function columnsOf(given: Arguments): Record<string, { unit: string }> {
  return Object.fromEntries(
    given.all("column-unit").map((pair) => {
      const at = pair.indexOf("=");
      if (at > 0 && at < pair.length - 1) {
        return [pair.slice(0, at), { unit: pair.slice(at + 1) }];
      }
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

/** Calls a function, and names the option in its `RangeError`. */
async function onOption<Result>(work: () => Promise<Result>) {
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
 * Reads the table of `--table`, with its source and units. Undefined without this option.
 *
 * @param query The options of the query, which a table does not have.
 * @throws {UsageError} when the table cannot be read, or options contradict each other.
 */
export async function ownTable(
  given: Arguments,
  query: readonly string[],
  signal: AbortSignal,
): Promise<DataFrame | undefined> {
  const path = given.one("table");
  if (path === undefined) {
    const lost = ["cite", "license", "column-unit", "entity", "date"].find((name) =>
      given.has(name)
    );
    if (lost !== undefined) throw new UsageError(`--${lost}: needs --table FILE`);
    return undefined;
  }
  const other = query.find((name) => given.has(name));
  if (other !== undefined) {
    throw new UsageError(`--${other}: is an option of the service; give it or --table`);
  }
  const isAddress = /^https?:/.test(path);
  if (!isAddress && await statOf(path) === null) {
    throw new UsageError(`--table: no such file: ${path}`);
  }
  const citation = given.one("cite");
  if (isAddress && citation === undefined) {
    throw new UsageError("--table: an address needs --cite TEXT");
  }
  const connection = await connectionOf(given, signal);
  const license = given.one("license");
  const columns = columnsOf(given);
  const [entity, date] = [given.all("entity"), given.one("date")];
  const source = {
    ...citation === undefined ? {} : { citation },
    ...Object.keys(columns).length === 0 ? {} : { columns },
    ...license === undefined ? {} : { license },
    ...entity.length === 0 ? {} : { entity },
    ...date === undefined ? {} : { date },
  };
  nameFlags();
  return await onOption(() => openFrame(path, source, connection));
}
