import { deepEqual, throws } from "node:assert/strict";
import { pooledRetention } from "../../../lib/analysis/retention/pooled_retention.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import { retentionSummary } from "../../../lib/analysis/retention/retention_summary.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { type Cohort, cohortFrame } from "../cohort_frame.ts";

function summaryOf(...cohorts: readonly Cohort[]): DataFrame {
  const curves = retentionCurves(cohortFrame(cohorts), { unit: "fraction" });
  return retentionSummary(pooledRetention(curves, { by: "project_id" }));
}

Deno.test("retentionSummary gives one row per group, in order", () => {
  const months = [1, 0.8, 0.7, 0.6, 0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.2, 0.1];
  const summary = summaryOf(
    { project: "b", size: 100, months },
    { project: "a", size: 50, months: [1, 0.5] },
    { project: "a", size: 150, months: [1] },
  );
  deepEqual(
    summary.rows(),
    [
      ["b", "The b", 1, 100, 12, 0.8, 0.6, 0.4, 0.1, 1.8, null, null],
      ["a", "The a", 2, 200, 2, 0.5, null, null, null, 1.5, null, null],
    ],
  );
});

Deno.test("retentionSummary uses the groups of the frame: none, or one per cohort", () => {
  const curves = retentionCurves(cohortFrame([
    { cohort: "2025-01", size: 10, months: [1, 0.5] },
    { cohort: "2025-02", size: 30, months: [1, 0.1] },
  ]));
  deepEqual(
    retentionSummary(pooledRetention(curves)).select("cohorts", "size", "month_1").rows(),
    [[2, 40, 0.2]],
  );
  deepEqual(
    retentionSummary(curves).select("cohort", "cohorts", "size", "month_1").rows(),
    [["2025-01", null, 10, 0.5], ["2025-02", null, 30, 0.1]],
  );
});

Deno.test("retentionSummary ignores the order of rows, and keeps a group without an id", () => {
  const pooled = pooledRetention(
    retentionCurves(cohortFrame([
      { project: "a", size: 10, months: [1, 0.75, 0.25] },
      { project: "b", size: 10, months: [1, 0.25] },
    ])).withColumn(
      pl.when(pl.col("project_id").eq(pl.lit("b"))).then(pl.lit(null))
        .otherwise(pl.col("project_id")).alias("project_id"),
    ),
    { by: "project_id" },
  );
  const expected = [["a", 0.75], [null, 0.25]];
  deepEqual(retentionSummary(pooled).select("project_id", "month_1").rows(), expected);
  const turned = retentionSummary(pooled.sort({ by: "month", descending: true }));
  deepEqual(turned.select("project_id", "month_1").rows(), expected);
});

Deno.test("retentionSummary refuses a month of a frame without cumulative values", () => {
  const curves = retentionCurves(cohortFrame([{ cohort: "2025-01", size: 10, months: [1, 0.5] }]));
  throws(() => retentionSummary(curves, { month: 1 }), {
    name: "RangeError",
    message:
      "retentionSummary: month: is the month of cumulative, which the frame does not have; " +
      "got 1; pass a frame of pooledRetention",
  });
});
