import type { DataFrame } from "../../lib/table/columns/polars.ts";
import { blockchainComparison } from "../../lib/operations/blockchain_comparison.ts";
import { cohortAnalysis } from "../../lib/operations/cohort_analysis.ts";
import { metricAggregations } from "../../lib/operations/metric_aggregations.ts";
import { metricBreakdown } from "../../lib/operations/metric_breakdown.ts";
import { project } from "../../lib/operations/project.ts";
import { projectContracts } from "../../lib/operations/project_contracts.ts";
import { OPERATIONS } from "../../lib/schema/vocabulary.ts";
import type { Operation } from "../../lib/schema/vocabulary.ts";
import { answering } from "../operations/answering.ts";
import { SIX_ANSWERS } from "./six_answers.ts";

const ASK = {
  metric_breakdown: (connection) =>
    metricBreakdown(
      { metric_ids: ["fees", "users"], interval: "30d", group_by: "chains" },
      connection,
    ),
  metric_aggregations: (connection) => metricAggregations({}, connection),
  blockchain_comparison: (connection) => blockchainComparison({}, connection),
  project_contracts: (connection) => projectContracts({}, connection),
  cohort_analysis: (connection) => cohortAnalysis({}, connection),
  project: (connection) => project({ project_id: "007" }, connection),
} satisfies Record<
  Operation,
  (connection: ReturnType<typeof answering>["connection"]) => Promise<DataFrame>
>;

/** A frame of each operation with values that are easily written wrongly. */
export async function sixFrames(): Promise<[Operation, DataFrame][]> {
  return await Promise.all(OPERATIONS.map(async (operation): Promise<[Operation, DataFrame]> => {
    const { connection } = answering(SIX_ANSWERS[operation]);
    return [operation, await ASK[operation](connection)];
  }));
}
