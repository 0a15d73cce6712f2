import { didYouMean } from "../../platform/check_options.ts";
import { shown, terminalText } from "../../platform/terminal.ts";
import { type DataFrame, type Frame, pl } from "../build/polars.ts";
import { setColumns } from "./descriptions.ts";
import { noteStep } from "./provenance.ts";
import { track } from "./track.ts";
import { columnsOfQuery } from "./units_after_steps.ts";
import { requireColumns } from "../read/requirements.ts";
import { checkedQuery } from "./sql_query.ts";

/** Maximum length of the message of polars in an error. */
const MOST_SHOWN = 300;

/** Returns the error for a query that polars does not run. */
function errorOf({ message }: Error, query: string, tables: readonly string[]): RangeError {
  const table = /relation '(.*)' was not found/.exec(message)?.[1];
  if (table !== undefined) return new RangeError(`sql: table ${didYouMean(table, tables)}`);
  const column = /unable to find column "(.*?)"; valid columns: \[(.*)\]/.exec(message);
  if (column !== null) {
    const names = [...column[2]!.matchAll(/"([^"]*)"/g)].map(([, name]) => name!);
    return new RangeError(`sql: column ${didYouMean(column[1]!, names)}`);
  }
  // The message gives a column of the rebuilt query, and can end with a syntax tree of many lines.
  const reason = terminalText(message.slice(0, MOST_SHOWN).split("\n")[0]!)
    .replace(/ at Line: (\d+), Column: \d+/, " in line $1");
  return new RangeError(`sql: ${reason}; got ${shown(query)}`);
}

/** Runs a query. */
function execute(query: string, frames: Readonly<Record<string, DataFrame>>): Frame {
  const checked = checkedQuery(query);
  // For a query that fails, polars returns an error as the member `_ldf`.
  const lazy = pl.SQLContext(frames).execute(checked) as unknown as {
    readonly _ldf: unknown;
    collectSync(): DataFrame;
  };
  try {
    if (lazy._ldf instanceof Error) throw lazy._ldf;
    return setColumns(track(lazy.collectSync()), columnsOfQuery(checked, frames));
  } catch (error) {
    throw errorOf(error as Error, query, Object.keys(frames));
  }
}

/**
 * Runs an SQL query over frames and returns its result as a frame.
 *
 * The keys of `frames` are the names of the tables. The SQL dialect is that of polars. The provenance of the result
 * contains the provenance of all frames, and the query as a step. The query must be a single `SELECT` or `WITH`
 * statement, and must not call functions that read files.
 *
 * @example
 * ```ts
 * import { blockchainComparison, sql } from "@chainframe/chainframe";
 *
 * const chains = await blockchainComparison();
 * const query = `
 *   select chain_name, ecosystem_fees_30d_sum as fees
 *   from chains where ecosystem_tvl_latest > 0 order by fees desc limit 3`;
 * console.log(sql(query, { chains }));
 * ```
 *
 * @throws {RangeError} for any other statement, for an unknown table or column, and for a function that reads files.
 * @category Frames
 */
export function sql(query: string, frames: Readonly<Record<string, DataFrame>>): Frame {
  const isObject = typeof frames === "object" && frames !== null && !Array.isArray(frames);
  if (!isObject || pl.DataFrame.isDataFrame(frames)) {
    throw new RangeError(
      `sql: frames: must be an object of frames, such as { chains }; got ${shown(frames)}`,
    );
  }
  const tables = Object.entries(frames).map(([name, frame]): [string, Frame] => {
    requireColumns(frame, { fn: `sql: frames: ${name}`, source: "a DataFrame" });
    return [name, track(frame)];
  });
  const result = execute(query, Object.fromEntries(tables));
  noteStep(tables.map(([, frame]) => frame), result, {
    name: `sql: ${query.trim().replace(/\s+/g, " ")}`,
  });
  return result;
}
