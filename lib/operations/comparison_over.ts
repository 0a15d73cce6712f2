import { defaultConnection } from "../http/connect.ts";
import type { Connection } from "../http/connection.ts";
import { CacheError } from "../http/errors.ts";
import { dateOfDay, dayOf } from "../schema/period.ts";
import { dateColumn } from "../table/columns.ts";
import type { DataFrame } from "../table/polars.ts";
import { provenanceOf } from "../table/provenance.ts";
import { pl } from "../table/remember.ts";
import { show } from "../table/show.ts";
import { blockchainComparison, type BlockchainComparisonQuery } from "./blockchain_comparison.ts";
import { vintagesOf } from "./vintages.ts";

function dated(frame: DataFrame, day: number): DataFrame {
  if (frame.columns.includes("date")) {
    throw new RangeError("comparisonOver: it adds date, which the service's answer already has");
  }
  const days = Array.from({ length: frame.height }, () => dateOfDay(day));
  return frame.withColumns(dateColumn("date", days)).select("date", ...frame.columns);
}

/**
 * The blockchain comparison over time, from an archive: its windows end with the last day of the data, and
 * no question leads to those of another day, so only answers that were kept can say what they were.
 *
 * Columns: `date` (Date), then those of `blockchainComparison`, of all answers together. `date` is the last
 * day of the data, as the service states it, else the day on which the answer came; of several answers of
 * one day the last. One row per day and chain, by `date`, and in each as the service sent them.
 *
 * @example Total value locked, as it was reported night by night
 * ```ts ignore
 * import { comparisonOver, connect } from "@chainframe/chainframe";
 *
 * const archive = connect({ cache: { dir: "answers", mode: "offline" } });
 * const chains = await comparisonOver({ chain_ids: ["alder", "basalt"] }, archive);
 * console.log(chains.select("date", "chain_id", "ecosystem_tvl_latest").toString());
 * ```
 *
 * @param query what was asked each time: the archive knows answers by their questions
 * @param connection a connection with a cache; nothing is asked over it
 * @throws {QueryError} for a bad query.
 * @throws {ConfigurationError} for a connection without a cache.
 * @throws {CacheError} where the archive keeps no answer of this query that can be read.
 * @category Operations
 */
export async function comparisonOver(
  query: BlockchainComparisonQuery = {},
  connection: Connection = defaultConnection(),
): Promise<DataFrame> {
  const days = new Map<number, DataFrame>();
  const asked = {
    asker: "comparisonOver",
    operation: blockchainComparison,
    query,
    connection,
  };
  for await (const { moment, frame } of vintagesOf(asked)) {
    if (frame === null) continue;
    days.set(dayOf(provenanceOf(frame).data_through ?? moment), frame);
  }
  if (days.size === 0) {
    throw new CacheError("comparisonOver: the cache keeps no answer that can be read");
  }
  const frames = [...days].sort(([a], [b]) => a - b).map(([day, frame]) => dated(frame, day));
  return show(pl.concat(frames, { how: "diagonal" }));
}
