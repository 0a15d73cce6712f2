import type { Connection } from "../http/connect.ts";
import { ENDPOINTS } from "../schema/endpoints.ts";
import type { Frame } from "../table/columns/polars.ts";
import { fetchFrame } from "./fetch_frame.ts";

/**
 * The query of {@linkcode metricBreakdown}.
 *
 * @category Operations
 */
export interface MetricBreakdownQuery {
  /** The metrics to break down, at least one. */
  readonly metric_ids: string | readonly string[];
  /**
   * The interval. Required unless `start` or `end` is given. The API does not say whether the interval or the dates
   * apply if both are given: such a query is sent with a warning. A live service may accept further words for
   * `interval` and `group_by`, which are sent with a warning.
   *
   * @default {"max", if `start` or `end` is given}
   */
  readonly interval?:
    | "24h"
    | "7d"
    | "30d"
    | "90d"
    | "180d"
    | "365d"
    | "ytd"
    | "max"
    | (string & Record<never, never>);
  /** The kind of entity that each row describes. */
  readonly group_by:
    | "projects"
    | "chains"
    | "chain-project"
    | "chain-product"
    | "chain-market-sector"
    | "market-sector"
    | "product"
    | (string & Record<never, never>);
  /** The projects to include. By default, all projects. */
  readonly project_ids?: string | readonly string[];
  /** The products to include. By default, all products. */
  readonly product_ids?: string | readonly string[];
  /** The chains to include. By default, all chains. */
  readonly chain_ids?: string | readonly string[];
  /** The market sectors to include. By default, all market sectors. */
  readonly market_sector_ids?: string | readonly string[];
  /** The first day, `YYYY-MM-DD`. If only one of `start` and `end` is given, the service chooses the other. */
  readonly start?: string;
  /** The last day, `YYYY-MM-DD`. */
  readonly end?: string;
}

/**
 * Breaks metrics down by project, chain, product or market sector.
 *
 * Columns: `data_id`, `chain_id`, `product_id` (String), then Float64 columns for each metric, in the order of the
 * query. If the service sent a number, the column is `<metric>`. If it sent an object, the columns are
 * `<metric>_<aggregation>`, such as `fees_sum` and `fees_trend`. A metric without values is a column of nulls. If the
 * object has members that are not aggregations, such as a unit, they become columns with the dtype of their values,
 * such as `fees_unit`. If rows are projects or market sectors, a column `project_id` or `market_sector_id` with the ids
 * of `data_id` follows, for joins with other frames; chainframe adds it. The frame has one row per group. Money is in
 * US dollars. Null means that the service has no value.
 *
 * @example Fees of two chains, one of which does not exist
 * ```ts
 * import { errorsOf, metricBreakdown } from "@chainframe/chainframe";
 *
 * const fees = await metricBreakdown({
 *   metric_ids: ["fees"],
 *   interval: "30d",
 *   group_by: "chains",
 *   chain_ids: ["alder", "nowhere"],
 * });
 * console.log(fees.toString());
 * console.log(errorsOf(fees).toString()); // NOT_FOUND, chain_ids, nowhere
 * ```
 *
 * @throws {QueryError} for a bad argument, before anything is sent.
 * @throws {NotFoundError} for an unknown entity, if `onMissing` is `"throw"`.
 * @throws {ResponseError} for a response that does not have the documented shape.
 * @throws {ChainframeError} of another class when a request fails.
 * @category Operations
 */
export async function metricBreakdown(
  query: MetricBreakdownQuery,
  connection?: Connection,
): Promise<Frame> {
  return await fetchFrame(ENDPOINTS.metric_breakdown, query, connection);
}
