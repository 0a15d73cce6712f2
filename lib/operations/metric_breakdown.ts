import type { Connection } from "../http/connect.ts";
import { ENDPOINTS } from "../schema/endpoints.ts";
import type { GroupBy, Interval } from "../schema/vocabulary.ts";
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
  /** The span of time: required without `start` and `end`. Beside them it must be `"max"` or left out. */
  readonly interval?: Interval;
  /** What a row stands for. */
  readonly group_by: GroupBy;
  /** Only these projects. */
  readonly project_ids?: string | readonly string[];
  /** Only these products. */
  readonly product_ids?: string | readonly string[];
  /** Only these chains. */
  readonly chain_ids?: string | readonly string[];
  /** Only these market sectors. */
  readonly market_sector_ids?: string | readonly string[];
  /** The first day, `YYYY-MM-DD`. With `start` alone, or `end` alone, give `interval: "max"`. */
  readonly start?: string;
  /** The last day, `YYYY-MM-DD`. */
  readonly end?: string;
}

/**
 * Breaks metrics down by project, chain, product or market sector.
 *
 * Columns: `data_id`, `chain_id`, `product_id` (String), then Float64 columns for each metric in the
 * order asked for: `<metric>` where the service sent a number, `<metric>_<aggregation>` where it sent
 * an object (`fees_sum`, `fees_trend`). A metric that no row has a value for is a column of nulls; what
 * else an object holds, such as a unit, is a column of its own type (`fees_unit`). One row per group.
 * Money is in US dollars. null means that the service has no value, and is never 0.
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
 * @throws {NotFoundError} for an unknown entity, when the connection says `onMissing: "throw"`.
 * @throws {ResponseError} for an answer that is not of the promised shape.
 * @throws {ChainframeError} of another class for a failed request.
 * @category Operations
 */
export async function metricBreakdown(
  query: MetricBreakdownQuery,
  connection?: Connection,
): Promise<DataFrame> {
  return await fetchFrame(ENDPOINTS.metric_breakdown, query, connection);
}
