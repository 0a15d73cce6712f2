import type { Connection } from "../http/connect.ts";
import { ENDPOINTS } from "../schema/endpoints.ts";
import type { FrameOf } from "../table/columns/polars.ts";
import { fetchFrame } from "./fetch_frame.ts";

/**
 * The query of {@linkcode metricAggregations}.
 *
 * @category Operations
 */
export interface MetricAggregationsQuery {
  /**
   * The projects to return.
   *
   * @default {["all"]}
   */
  readonly project_ids?: string | readonly string[];
  /** The metrics whose aggregations to return. By default, all metrics. */
  readonly metric_ids?: string | readonly string[];
}

/**
 * Returns the aggregations of the metrics of projects, in one frame in long form.
 *
 * Columns: `project_name`, `project_id`, `metric_id`, `metric_aggregation_name`, `value` (String, as the service wrote
 * it), and `value_number` (Float64). `value_number` is the value as a number, or null if the value is not a finite
 * number (such as `"NaN"`, `"-"` or `""`). The frame has one row per project, metric and aggregation.
 *
 * @example What is known about a project?
 * ```ts
 * import { metricAggregations } from "@chainframe/chainframe";
 *
 * const fees = await metricAggregations({ metric_ids: ["fees"] });
 * console.log(fees.head(5).toString());
 * ```
 *
 * @throws {QueryError} for a bad argument, before anything is sent.
 * @throws {NotFoundError} for an unknown entity, if `onMissing` is `"throw"`.
 * @throws {ResponseError} for a response that does not have the documented shape.
 * @throws {ChainframeError} of another class when a request fails.
 * @category Operations
 */
export async function metricAggregations(
  query?: MetricAggregationsQuery,
  connection?: Connection,
): Promise<FrameOf<"metric_aggregations">> {
  return await fetchFrame<FrameOf<"metric_aggregations">>(
    ENDPOINTS.metric_aggregations,
    query,
    connection,
  );
}
