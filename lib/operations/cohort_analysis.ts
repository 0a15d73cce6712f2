import type { Connection } from "../http/connect.ts";
import { ENDPOINTS } from "../schema/endpoints.ts";
import type { Fields } from "../schema/records.ts";
import type { FrameOf } from "../table/columns/polars.ts";
import type { DatasetQuery } from "./dataset_query.ts";
import { fetchFrame } from "./fetch_frame.ts";

/**
 * The query of {@linkcode cohortAnalysis}.
 *
 * @category Operations
 */
export interface CohortAnalysisQuery<OrderBy extends string = never>
  extends DatasetQuery<Fields["cohort_analysis"]["text" | "number"], OrderBy> {
  /** The projects whose cohorts to return. By default, all projects. */
  readonly project_ids?: string | readonly string[];
  /** The market sectors whose cohorts to return. By default, all market sectors. */
  readonly market_sector_ids?: string | readonly string[];
}

/**
 * Returns cohorts. A cohort is the new users of a project in one month. Its values state how many of these users are
 * active in this month and in each of the next eleven months.
 *
 * Columns: `project_name`, `project_id`, `market_sector_id`, `market_sector_name`, `cohort` (String),
 * `initial_cohort_size` (a count of distinct addresses) and `month_0` to `month_11` (Float64). The frame has one row
 * per cohort. The API does not document the unit of `month_n`; `retentionCurves` detects whether the values are
 * fractions, percentages or counts. A null in `month_n` means that the month is not over, or that the service has no
 * value.
 *
 * @example How well does a project keep its users?
 * ```ts
 * import { cohortAnalysis } from "@chainframe/chainframe";
 *
 * const cohorts = await cohortAnalysis({ order_by: "cohort", limit: 6 });
 * console.log(cohorts.select("project_id", "cohort", "month_1", "month_2").toString());
 * ```
 *
 * @throws {QueryError} for a bad argument, before anything is sent.
 * @throws {NotFoundError} for an id without a row, if `onMissing` is `"throw"` and `limit` is not given.
 * @throws {ResponseError} for a response that does not have the documented shape.
 * @throws {ChainframeError} of another class when a request fails.
 * @category Operations
 */
export async function cohortAnalysis<OrderBy extends string = never>(
  query?: CohortAnalysisQuery<OrderBy>,
  connection?: Connection,
): Promise<FrameOf<"cohort_analysis">> {
  return await fetchFrame<FrameOf<"cohort_analysis">>(ENDPOINTS.cohort_analysis, query, connection);
}
