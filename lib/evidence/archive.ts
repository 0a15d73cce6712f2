import { boolean, checkOptions, oneOf } from "../platform/check_options.ts";
import { type Connection, defaultConnection } from "../http/connect.ts";
import { dateColumn, float64, momentColumn, utf8 } from "../table/columns/cell_values.ts";
import { computedColumns } from "../table/track/descriptions.ts";
import { type DataFrame, type Frame, pl as polars } from "../table/columns/polars.ts";
import { responseOf } from "../table/track/provenance.ts";
import { show, withProvenance } from "../table/show/show.ts";
import { ARCHIVE_RULES, storedVersions } from "./stored_versions.ts";
import { CacheError } from "../http/errors.ts";
import { dateOfDay, dayOf } from "../schema/period.ts";
import { trackedPolars } from "../table/track/tracked_polars.ts";

const RULES = { ...ARCHIVE_RULES, values: boolean, vintage: oneOf(["first", "last"]) };

/** Returns the rows of a stored version, after its last day of data and its time of arrival. */
function dated(frame: DataFrame, day: number, retrieved: Date): DataFrame {
  const taken = ["date", "retrieved_at"].find((name) => frame.columns.includes(name));
  if (taken !== undefined) {
    throw new RangeError(`answersOf: values: the response already has the column ${taken}`);
  }
  const rows = Array.from({ length: frame.height });
  return frame.withColumns(
    dateColumn("date", rows.map(() => dateOfDay(day))),
    momentColumn("retrieved_at", rows.map(() => retrieved)),
  ).select("date", "retrieved_at", ...frame.columns);
}

/** Returns the rows of one version per last day of data, sorted by this day. */
async function valuesOf(
  versions: ReturnType<typeof storedVersions>,
  vintage: string,
): Promise<Frame> {
  const days = new Map<number, DataFrame>();
  for await (const { moment, frame } of versions) {
    if (frame === null) continue;
    const { data_through, retrieved_at } = responseOf(frame)!;
    const day = dayOf(data_through ?? moment);
    if (vintage === "last" || !days.has(day)) days.set(day, dated(frame, day, retrieved_at));
  }
  if (days.size === 0) throw new CacheError("answersOf: the cache has no readable response");
  const frames = [...days].sort(([a], [b]) => a - b).map(([, frame]) => frame);
  return show(trackedPolars.concat(frames, { how: "diagonal" }));
}

/**
 * Returns the stored versions of the result of a query. The frame has one row for each moment at which a response
 * arrived, oldest first.
 *
 * | column | dtype | |
 * |---|---|---|
 * | `retrieved_at` | Datetime (ms, UTC) | time at which the response arrived; with `asOf` set to this time, the operation returns this version |
 * | `sha256` | String | SHA-256 of the body, in hex. If the query needs several requests, the SHA-256 of the digests of all bodies, in order |
 * | `rows` | Int64 | number of rows of this version |
 * | `data_through` | Date | last day of the data; null if the service did not state it |
 * | `changed` | Boolean | whether the body differs from the body of the row above; null in the first row |
 *
 * A response that is damaged or does not have the documented shape has null in `sha256` and `rows`. The newest response
 * is included even if it equals the previous response. If a query needs several requests, such as a query of
 * `timeline`, the first row has the earliest moment at which the responses of all requests were stored.
 *
 * With `values`, returns the rows of the versions themselves. Columns: `date` (Date), `retrieved_at` (Datetime, ms,
 * UTC), then the columns of the operation from all versions, in the order of the service. `date` is the last day of
 * the data, or the day of arrival if the service did not state it. `retrieved_at` is the time of arrival. If the
 * service confirmed a response later (304), the last day that it then stated has the same rows. So windows that the
 * service no longer returns become a series.
 *
 * @example When did the responses about the chains change?
 * ```ts ignore
 * import { answersOf, blockchainComparison, connect } from "@chainframe/chainframe";
 *
 * const archive = connect({ cache: { dir: "answers", mode: "offline" } });
 * console.log(await answersOf({ operation: blockchainComparison }, archive));
 * const over = await answersOf({ operation: blockchainComparison, values: true }, archive);
 * console.log(over.select("date", "chain_id", "ecosystem_tvl_latest"));
 * ```
 *
 * @param request an operation and its query
 * @param connection a connection with a cache; no request is sent
 * @throws {QueryError} for a bad query.
 * @throws {RangeError} for an invalid `operation` or `from`, for `vintage` without `values`, and for `values` of
 * `timeline`, which has dates.
 * @throws {ConfigurationError} for a connection without a cache.
 * @throws {CacheError} when the archive holds no response to this query.
 * @category Operations
 */
export async function answersOf<
  Call extends (query: never, connection: Connection) => Promise<DataFrame>,
>(
  request: {
    /** The function of one of the six operations, or `timeline`. */
    readonly operation: Call;
    /**
     * The query of the operation.
     *
     * @default {an empty query}
     */
    readonly query?: Parameters<Call>[0];
    /**
     * Returns only the version that was current at this moment, and all later versions. The moment is a Date, an ISO
     * timestamp with its zone, or a day. A day means the start of this day in UTC.
     *
     * @default {none: all stored versions are returned}
     */
    readonly from?: Date | string;
    /**
     * Whether to return the rows of the versions, in place of one row per version.
     *
     * @default {false}
     */
    readonly values?: boolean;
    /**
     * With `values`: which version to use if several have the same last day of data: `"first"`, or `"last"`, which
     * includes all restatements so far.
     *
     * @default {"last"}
     */
    readonly vintage?: "first" | "last";
  },
  connection: Connection = defaultConnection(),
): Promise<Frame> {
  const fn = "answersOf";
  const { operation, query = {}, from, values = false, vintage } = checkOptions(request, RULES, fn);
  if (vintage !== undefined && !values) throw new RangeError(`${fn}: vintage: needs values: true`);
  const call = (at: Connection) => (operation as Call)(query as never, at);
  const versions = storedVersions({ fn, call, connection, from, confirmed: values });
  if (values) return valuesOf(versions, vintage ?? "last");
  const rows: {
    readonly moment: Date;
    readonly sha256: string | null;
    readonly height: number | null;
    readonly data_through: Date | null;
  }[] = [];
  let newest: DataFrame | null = null;
  for await (const { moment, frame } of versions) {
    const { sha256 = null, data_through = null } = (frame && responseOf(frame)) ?? {};
    rows.push({ moment, sha256, height: frame?.height ?? null, data_through });
    newest = frame ?? newest;
  }
  const changed = rows.map(({ sha256 }, row) =>
    row === 0 ? null : sha256 !== rows[row - 1]!.sha256
  );
  const made = polars.DataFrame([
    momentColumn("retrieved_at", rows.map(({ moment }) => moment)),
    utf8("sha256", rows.map(({ sha256 }) => sha256)),
    float64("rows", rows.map(({ height }) => height)).cast(polars.Int64),
    dateColumn("data_through", rows.map(({ data_through }) => data_through)),
    polars.Series("changed", changed as boolean[], polars.Bool),
  ]);
  const columns = computedColumns([
    ["time", "retrieved_at", "data_through"],
    ["count", "rows"],
    ["note", "sha256", "changed"],
  ]);
  return newest === null ? show(made) : withProvenance(newest, made, { fn, columns });
}
