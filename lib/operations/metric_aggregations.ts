import type { Connection } from "../http/settings.ts";
import { METRIC_AGGREGATIONS_RECORD, type MetricAggregationsField } from "../schema/records.ts";
import { listOfRows } from "../table/columns.ts";
import type { FrameOf } from "../table/polars.ts";
import { defaultConnection } from "../http/connect.ts";
import { answering, checkQuery, idList } from "./query.ts";

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
  /** The metrics whose aggregations to return; all of them when it is not given. */
  readonly metric_ids?: string | readonly string[];
}

const RULES = { project_ids: idList, metric_ids: idList };

/**
 * Every aggregation of every metric of projects, in one long frame.
 *
 * Columns: `project_name`, `project_id`, `metric_id`, `metric_aggregation_name`, `value` (String, as
 * the service wrote it), and `value_number` (Float64): the value where it is a finite number, else
 * null (`"NaN"`, `"-"`, `""`). One row per project, metric and aggregation.
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
 * @throws {NotFoundError} for an unknown entity, when the connection says `onMissing: "throw"`.
 * @throws {ResponseError} for an answer that is not of the promised shape.
 * @throws {ChainframeError} of another class for a failed request.
 * @category Operations
 */
export async function metricAggregations(
  query: MetricAggregationsQuery = {},
  connection: Connection = defaultConnection(),
): Promise<FrameOf<MetricAggregationsField, "value_number">> {
  const operation = "metric_aggregations";
  const checked = checkQuery(operation, query, RULES);
  const given = structuredClone(query);
  const params = { ...checked, project_ids: checked.project_ids ?? ["all"] };
  const path = "/v2/metric-aggregations";
  const { ask, answeredFrame, readAggregations } = await answering();
  const answers = await ask({ operation, method: "GET", path, params, body: null }, connection);
  const order = { fields: METRIC_AGGREGATIONS_RECORD, keys: ["project_id"] };
  return answeredFrame(
    { operation, query: given, connection, answers, order },
    listOfRows,
    readAggregations,
  );
}
