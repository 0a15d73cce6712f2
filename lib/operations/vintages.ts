import type { Connection } from "../http/connect.ts";
import { moment } from "../http/options.ts";
import { anything, func, required } from "../platform/check_options.ts";
import { type Endpoint, ENDPOINTS } from "../schema/endpoints.ts";
import { blockchainComparison } from "./blockchain_comparison.ts";
import { cohortAnalysis } from "./cohort_analysis.ts";
import { planOf } from "./fetch_frame.ts";
import { metricAggregations } from "./metric_aggregations.ts";
import { metricBreakdown } from "./metric_breakdown.ts";
import { project } from "./project.ts";
import { projectContracts } from "./project_contracts.ts";
import { type StoredQuery, storedVersions } from "./stored_versions.ts";
import { timeline, timelinePlan, type TimelineQuery } from "./timeline.ts";

/** The rules of the fields that the readers of an archive share. */
export const ARCHIVE_RULES = { operation: required(func), query: anything, from: moment("start") };

/** A query, and the stored versions of its result to return. */
interface ArchiveQuery extends Omit<StoredQuery, "plan"> {
  /** The function of one of the six operations, or `timeline`. */
  readonly operation: unknown;
  readonly query: unknown;
}

const ENDPOINT_OF = new Map<unknown, Endpoint>([
  [metricBreakdown, ENDPOINTS.metric_breakdown],
  [metricAggregations, ENDPOINTS.metric_aggregations],
  [blockchainComparison, ENDPOINTS.blockchain_comparison],
  [projectContracts, ENDPOINTS.project_contracts],
  [cohortAnalysis, ENDPOINTS.cohort_analysis],
  [project, ENDPOINTS.project],
]);

/** Yields the result of an operation as of each moment at which one of its responses arrived, in order of time. */
export function vintagesOf({ operation, query, ...stored }: ArchiveQuery) {
  const endpoint = ENDPOINT_OF.get(operation);
  if (endpoint === undefined && operation !== timeline) {
    throw new TypeError(`${stored.fn}: operation: must be one of the six operations, or timeline`);
  }
  const plan = (connection: Connection) =>
    endpoint === undefined
      ? timelinePlan(query as TimelineQuery, connection)
      : planOf(endpoint, query as object, connection);
  return storedVersions({ ...stored, plan });
}
