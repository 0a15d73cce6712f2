import { shown, terminalText } from "../../platform/terminal.ts";
import { type DataFrame, type Frame, pl } from "../columns/polars.ts";
import { track, tracked } from "./track.ts";
import { columnsOfQuery } from "./units_after_steps.ts";
import { requireColumns } from "../read/requirements.ts";
import { checkedQuery } from "./sql_query.ts";

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
  const checked = checkedQuery(query);
  // For a query that fails, polars returns an error as the member `_ldf`.
  const lazy = pl.SQLContext(Object.fromEntries(tables)).execute(checked) as unknown as {
    readonly _ldf: unknown;
    collectSync(): DataFrame;
  };
  try {
    if (lazy._ldf instanceof Error) throw lazy._ldf;
    const name = `sql: ${query.trim().replace(/\s+/g, " ")}`;
    return tracked(lazy.collectSync(), tables.map(([, frame]) => frame), {
      name,
      columns: () => columnsOfQuery(checked, Object.fromEntries(tables)),
    }) as Frame;
  } catch (error) {
    // The message gives a place in the rebuilt query, and can end with a syntax tree of many lines.
    const [reason = ""] = (error as Error).message.slice(0, 300).split(/\n| at Line/);
    throw new RangeError(`sql: ${terminalText(reason)}; got ${shown(query)}`);
  }
}
