import { checkOptions } from "../platform/check_options.ts";
import { defaultConnection } from "../http/connect.ts";
import { aMoment, type Connection } from "../http/settings.ts";
import { dateColumn, float64, momentColumn, utf8 } from "../table/columns.ts";
import type { DataFrame } from "../table/polars.ts";
import { provenanceOf } from "../table/provenance.ts";
import { carry, show } from "../table/show.ts";
import type { AskedOperation } from "./vintages.ts";
import { CacheError } from "../http/errors.ts";
import { dateOfDay, dayOf } from "../schema/period.ts";
import { pl } from "../table/remember.ts";
import { blockchainComparison, type BlockchainComparisonQuery } from "./blockchain_comparison.ts";

/** What reads an archive as of each moment, opened when one is read. */
export const vintages = (): Promise<typeof import("./vintages.ts")> =>
  import(new URL("./vintages.ts", import.meta.url).href);

/**
 * Options of {@linkcode answersOf}.
 *
 * @category Operations
 */
export interface AnswersOptions {
  /**
   * Only what was known at this moment, and what came later: a Date, an ISO timestamp with its zone, or a day
   * (its end, UTC).
   *
   * @default {everything that the archive keeps}
   */
  readonly since?: Date | string;
}

/** A row of the answer. */
interface Kept {
  readonly moment: Date;
  readonly sha256: string | null;
  readonly rows: number | null;
  readonly data_through: Date | null;
  readonly changed: boolean | null;
}

/**
 * What an archive keeps of one query, answer by answer, the oldest first: one row for each moment at which
 * an answer came.
 *
 * | column | dtype | |
 * |---|---|---|
 * | `retrieved_at` | Datetime (ms, UTC) | when it came; `asOf` this moment gives the frame |
 * | `sha256` | String | of its bytes, in hex; of a query of several requests, of their digests in order |
 * | `rows` | Int64 | how many rows the frame has |
 * | `data_through` | Date | the last day of its data; null where the service did not say |
 * | `changed` | Boolean | whether its bytes differ from those of the row above; null in the first row |
 *
 * An answer that is damaged or not of the promised shape has null in `sha256` and `rows`. The newest answer
 * is there even where its bytes are those of the one before. Where a query needs several requests, as
 * `timeline` does, the first row is that of the moment at which all of them had been answered.
 *
 * @example What did the archive learn about the chains?
 * ```ts ignore
 * import { answersOf, blockchainComparison, connect } from "@chainframe/chainframe";
 *
 * const archive = connect({ cache: { dir: "answers", mode: "offline" } });
 * console.log(await answersOf(blockchainComparison, {}, archive));
 * ```
 *
 * @param operation one of the six operations, or `timeline`: the function itself
 * @param query its query
 * @param connection a connection with a cache; nothing is asked over it
 * @throws {QueryError} for a bad query.
 * @throws {ConfigurationError} for a connection without a cache.
 * @throws {CacheError} where the archive keeps no answer.
 * @category Operations
 */
export async function answersOf<Query>(
  operation: AskedOperation<Query>,
  query: Query,
  connection: Connection = defaultConnection(),
  options: AnswersOptions = {},
): Promise<DataFrame> {
  const asker = "answersOf";
  const { since } = checkOptions(options, { since: aMoment }, asker);
  const rows: Kept[] = [];
  let newest: DataFrame | null = null;
  const asked = { asker, operation, query, connection, since };
  const { vintagesOf } = await vintages();
  for await (const { moment, frame } of vintagesOf(asked)) {
    const { sha256 = null, data_through = null } = frame === null ? {} : provenanceOf(frame);
    const before = rows.at(-1);
    const changed = before === undefined ? null : sha256 !== before.sha256;
    rows.push({ moment, sha256, rows: frame?.height ?? null, data_through, changed });
    newest = frame ?? newest;
  }
  const made = pl.DataFrame([
    momentColumn("retrieved_at", rows.map(({ moment }) => moment)),
    utf8("sha256", rows.map(({ sha256 }) => sha256)),
    float64("rows", rows.map(({ rows }) => rows)).cast(pl.Int64),
    dateColumn("data_through", rows.map(({ data_through }) => data_through)),
    pl.Series("changed", rows.map(({ changed }) => changed) as boolean[], pl.Bool),
  ]);
  return newest === null ? show(made) : carry(newest, made, asker);
}

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
  const { vintagesOf } = await vintages();
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
