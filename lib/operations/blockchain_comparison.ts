import type { Connection } from "../http/connect.ts";
import { ENDPOINTS } from "../schema/endpoints.ts";
import type { Fields } from "../schema/records.ts";
import type { FrameOf } from "../table/columns/polars.ts";
import type { DatasetQuery } from "./dataset_query.ts";
import { fetchFrame } from "./fetch_frame.ts";

/**
 * The query of {@linkcode blockchainComparison}.
 *
 * @category Operations
 */
export interface BlockchainComparisonQuery<OrderBy extends string = never>
  extends DatasetQuery<Fields["blockchain_comparison"]["text" | "number"], OrderBy> {
  /** The chains to return. By default, all chains are returned. */
  readonly chain_ids?: string | readonly string[];
}

/**
 * Compares chains: market caps, users, developers, TVL, loans, transactions, fees, revenue and DEX
 * volume, with their changes and trends over six windows.
 *
 * Columns: `chain_id`, `chain_name` (String), then the 95 numeric fields of the API (Float64). The frame has one row
 * per chain. Money is in US dollars. Users are counts of distinct addresses. Changes and trends are returned as the
 * service sends them; the reference service sends fractions. Null means that the service has no value.
 *
 * @example Which chains earned the most fees in thirty days?
 * ```ts
 * import { blockchainComparison } from "@chainframe/chainframe";
 *
 * const chains = await blockchainComparison({
 *   order_by: "ecosystem_fees_30d_sum",
 *   order_direction: "desc",
 *   limit: 5,
 * });
 * console.log(chains.select("chain_name", "ecosystem_fees_30d_sum").toString());
 * ```
 *
 * @throws {QueryError} for a bad argument, before anything is sent.
 * @throws {NotFoundError} for an id without a row, if `onMissing` is `"throw"` and `limit` is not given.
 * @throws {ResponseError} for a response that does not have the documented shape.
 * @throws {ChainframeError} of another class when a request fails.
 * @category Operations
 */
export async function blockchainComparison<OrderBy extends string = never>(
  query?: BlockchainComparisonQuery<OrderBy>,
  connection?: Connection,
): Promise<FrameOf<"blockchain_comparison">> {
  return await fetchFrame<FrameOf<"blockchain_comparison">>(
    ENDPOINTS.blockchain_comparison,
    query,
    connection,
  );
}
