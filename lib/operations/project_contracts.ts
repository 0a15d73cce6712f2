import type { Connection } from "../http/connect.ts";
import { ENDPOINTS } from "../schema/endpoints.ts";
import type { Fields } from "../schema/records.ts";
import type { FrameOf } from "../table/columns/polars.ts";
import type { DatasetQuery } from "./dataset_query.ts";
import { fetchFrame } from "./fetch_frame.ts";

/**
 * The query of {@linkcode projectContracts}.
 *
 * @category Operations
 */
export interface ProjectContractsQuery<OrderBy extends string = never>
  extends DatasetQuery<Fields["project_contracts"]["text" | "number"], OrderBy> {
  /** The projects whose contracts to return. By default, all projects. */
  readonly project_ids?: string | readonly string[];
  /** The chains whose contracts to return. By default, all chains. */
  readonly chain_ids?: string | readonly string[];
  /** The market sectors whose contracts to return. By default, all market sectors. */
  readonly market_sector_ids?: string | readonly string[];
}

/**
 * Returns the contracts of projects, with the activity of each contract on the last day.
 *
 * The activity is gas, transactions, active addresses, inflows, outflows, trends, and the most frequent event and
 * asset.
 *
 * The frame has 12 String columns and 16 Float64 columns, with one row per contract. Flows are in US dollars. The
 * column `outfows_1d_sum_trend` keeps its misspelled name from the API. Null means that the service has no value.
 *
 * @example The busiest contracts of a chain
 * ```ts
 * import { projectContracts } from "@chainframe/chainframe";
 *
 * const busiest = await projectContracts({
 *   chain_ids: ["alder"],
 *   order_by: "transaction_count_1d_sum",
 *   order_direction: "desc",
 *   limit: 10,
 * });
 * console.log(busiest.select("account_title", "transaction_count_1d_sum").toString());
 * ```
 *
 * @throws {QueryError} for a bad argument, before anything is sent.
 * @throws {NotFoundError} for an id without a row, if `onMissing` is `"throw"` and `limit` is not given.
 * @throws {ResponseError} for a response that does not have the documented shape.
 * @throws {ChainframeError} of another class when a request fails.
 * @category Operations
 */
export async function projectContracts<OrderBy extends string = never>(
  query?: ProjectContractsQuery<OrderBy>,
  connection?: Connection,
): Promise<FrameOf<"project_contracts">> {
  return await fetchFrame<FrameOf<"project_contracts">>(
    ENDPOINTS.project_contracts,
    query,
    connection,
  );
}
