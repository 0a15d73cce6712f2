import type { Connection } from "../http/connect.ts";
import { ENDPOINTS } from "../schema/endpoints.ts";
import type { GROUP_BYS, INTERVALS } from "../schema/vocabulary.ts";
import type { DataFrame } from "../table/polars.ts";
import { fetchFrame } from "./fetch_frame.ts";

/**
 * The query of {@linkcode metricBreakdown}.
 *
 * @category Operations
 */
export interface MetricBreakdownQuery {
  /** The metrics to break down, at least one. */
  readonly metric_ids: string | readonly string[];
  /** The interval. It is required unless `start` and `end` are both given. With dates, it must be `"max"`. */
  readonly interval?: typeof INTERVALS[number];
  /** The kind of entity that each row describes. */
  readonly group_by: typeof GROUP_BYS[number];
  /** Only these projects. */
  readonly project_ids?: string | readonly string[];
  /** Only these products. */
  readonly product_ids?: string | readonly string[];
  /** Only these chains. */
  readonly chain_ids?: string | readonly string[];
  /** Only these market sectors. */
  readonly market_sector_ids?: string | readonly string[];
  /** The first day, `YYYY-MM-DD`. If only one of `start` and `end` is given, `interval: "max"` is required. */
  readonly start?: string;
  /** The last day, `YYYY-MM-DD`. */
  readonly end?: string;
}

/**
 * Breaks metrics down by project, chain, product or market sector.
 *
 * Columns: `data_id`, `chain_id`, `product_id` (String), then Float64 columns for each metric in the order of the
 * query: `<metric>` if the service sent a number, `<metric>_<aggregation>` if it sent an object (`fees_sum`,
 * `fees_trend`). A metric without values is a column of nulls. Other members of an object, such as a unit, are columns
 * of their own type (`fees_unit`). One row per group. Money is in US dollars. Null means that the service has no
 * value.
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
 * @throws {NotFoundError} for an unknown entity, with `onMissing: "throw"`.
 * @throws {ResponseError} for a response that does not have the documented shape.
 * @throws {ChainframeError} of another class when a request fails.
 * @category Operations
 */
export async function metricBreakdown(
  query: MetricBreakdownQuery,
  connection?: Connection,
): Promise<DataFrame> {
  return await fetchFrame(ENDPOINTS.metric_breakdown, query, connection);
}
