import { checkOptions } from "../platform/check_options.ts";
import { type Connection, defaultConnection } from "../http/connect.ts";
import type { DataFrame, Frame } from "../table/columns/polars.ts";
import { responseOf } from "../table/track/provenance.ts";
import { show, withProvenance } from "../table/show/show.ts";
import { type CellChange, changesBetween, changesFrame, keysOf, rowsBy } from "./changes.ts";
import { ARCHIVE_RULES, storedVersions } from "./stored_versions.ts";

/**
 * Returns the changes between consecutive versions in an archive: restated values, new rows and removed
 * rows, oldest first.
 *
 * | column | dtype | |
 * |---|---|---|
 * | the keys | String, `date` Date | the columns that identify the row: the ids of the operation, and `date` for `timeline` |
 * | `change` | String | `changed` if a value changed, `new` if the row is new, `gone` if the row was removed |
 * | `field` | String | the column whose value changed; null if the row is new or gone |
 * | `before`, `after` | Float64 | the earlier and the later value, if they are numbers; else null |
 * | `before_text`, `after_text` | String | the earlier and the later value, if they are texts; else null |
 * | `when` | Datetime (ms, UTC) | time at which the response with the later value arrived |
 *
 * The columns `until` and `complete` of `timeline` are not compared, because they do not come from the service.
 * Responses that are damaged or do not have the documented shape are skipped.
 *
 * @example Which fees were restated, and by how much?
 * ```ts ignore
 * import { connect, restatements, timeline } from "@chainframe/chainframe";
 *
 * const query = { metric_ids: ["fees"], group_by: "chains", every: "month", from: "2026-01" } as const;
 * const archive = connect({ cache: { dir: "answers", mode: "offline" } });
 * console.log(await restatements({ operation: timeline, query }, archive));
 * ```
 *
 * @param request an operation and its query
 * @param connection a connection with a cache; no request is sent
 * @throws {QueryError} for a bad query.
 * @throws {RangeError} for an invalid field of `request`, or if two rows have the same keys.
 * @throws {ConfigurationError} for a connection without a cache.
 * @throws {CacheError} when the archive holds no response to this query.
 * @category Operations
 */
export async function restatements<
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
     * Returns only changes after this moment: a Date, an ISO timestamp with its zone, or a day. A day means the start of
     * this day in UTC.
     *
     * @default {none: all changes in the archive are returned}
     */
    readonly from?: Date | string;
  },
  connection: Connection = defaultConnection(),
): Promise<Frame> {
  const fn = "restatements";
  const { operation, query = {}, from } = checkOptions(request, ARCHIVE_RULES, fn);
  const changes: CellChange[] = [];
  let names: readonly string[] = [];
  let before: ReturnType<typeof rowsBy> | null = null;
  let last: DataFrame | null = null;
  const call = (at: Connection) => (operation as Call)(query as never, at);
  for await (const { moment, frame } of storedVersions({ fn, call, connection, from })) {
    if (frame === null) continue;
    if (last !== null && responseOf(last)!.sha256 === responseOf(frame)!.sha256) continue;
    last = frame;
    names = keysOf(frame);
    const after = rowsBy(frame, names);
    for (const change of changesBetween(before ?? after, after, moment)) changes.push(change);
    before = after;
  }
  const made = changesFrame(names, changes);
  return last === null ? show(made) : withProvenance(last, made, { fn });
}
