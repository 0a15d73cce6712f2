import { didYouMean } from "../platform/check_options.ts";
import { shown } from "../platform/terminal.ts";
import { type DataFrame, pl } from "./polars.ts";
import { noteStep } from "./provenance.ts";
import { track } from "./track.ts";
import { requireColumns } from "./require_columns.ts";

const PARTS = /'(?:[^']|'')*'|"[^"]*"|`[^`]*`|--[^\n]*|\/\*[^]*?\*\//g;

/** Removes comments and text literals from a query, and replaces quoted names with plain names. */
function skeleton(query: string): string {
  return query.replace(PARTS, (part) => {
    if (part.startsWith("'")) return "''";
    return /^["`]/.test(part) ? part.slice(1, -1).replace(/\W/g, "_") : " ";
  });
}

/** Refuses queries that change tables or read files, because polars reads files without a permission check. */
function checkQuery(query: unknown): asserts query is string {
  const refuse = (rule: string): never => {
    throw new RangeError(`sql: query: ${rule}; got ${shown(query)}`);
  };
  if (typeof query !== "string") return refuse("must be a text");
  const text = skeleton(query).trim().replace(/;$/, "");
  if (!/^(select|with)\b/i.test(text) || text.includes(";")) {
    refuse("must be one SELECT or WITH statement");
  }
  const reader = /\b(?:read|scan)_\w+(?=\s*\()/i.exec(text) ??
    /\b(?:from|join)\s+(?!unnest\b|lateral\b)[\w./]+(?=\s*\()/i.exec(text);
  if (reader !== null) {
    refuse(`must not call ${reader[0].split(/\s+/).at(-1)}, which reads files; use openFrame`);
  }
}

/** Runs a query. Throws errors that polars returns in place of a frame. */
function execute(query: string, frames: Readonly<Record<string, DataFrame>>): DataFrame {
  const lazy = pl.SQLContext(frames).execute(query) as unknown as {
    readonly _ldf: unknown;
    collectSync(): DataFrame;
  };
  if (!(lazy._ldf instanceof Error)) return lazy.collectSync();
  const { message } = lazy._ldf;
  const table = /relation '(.*)' was not found/.exec(message)?.[1];
  if (table !== undefined) {
    throw new RangeError(`sql: table ${didYouMean(table, Object.keys(frames))}`);
  }
  const column = /unable to find column "(.*?)"; valid columns: \[(.*)\]/.exec(message);
  if (column !== null) {
    const names = [...column[2]!.matchAll(/"([^"]*)"/g)].map(([, name]) => name!);
    throw new RangeError(`sql: column ${didYouMean(column[1]!, names)}`);
  }
  throw new RangeError(`sql: ${message}; got ${shown(query)}`);
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
export function sql(query: string, frames: Readonly<Record<string, DataFrame>>): DataFrame {
  checkQuery(query);
  const tables = Object.values(frames).map((frame) => {
    requireColumns(frame, { fn: "sql", source: "frames" });
    return track(frame);
  });
  const result = track(execute(query, frames));
  noteStep(tables, result, `sql: ${query.trim().replace(/\s+/g, " ")}`);
  return result;
}
