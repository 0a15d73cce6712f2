import { type DataFrame, pl } from "../../table/columns/polars.ts";
import { computedColumns } from "../../table/track/descriptions.ts";
import { withProvenance } from "../../table/show/show.ts";
import { inGroups, numberOfColumn } from "../columnar.ts";
import { checkedCurves } from "./curve_table.ts";
import type { AtStage, Staged } from "./stage.ts";

const MONTHS = [1, 3, 6, 11];

/**
 * Summarizes each retention curve in one row: its size, and the retention in some months.
 *
 * The groups keep the order of the frame. A group is identified by all columns that hold neither values nor notes,
 * except `month`.
 *
 * | column | dtype | |
 * |---|---|---|
 * | the group's columns | unchanged | |
 * | `cohorts` | Int64 | maximum of the column `cohorts` over all months; null if the frame does not have this column |
 * | `size` | Float64 | maximum of the column `size` over all months |
 * | `months` | Int64 | number of months in which `retention` is not null |
 * | `month_1`, `month_3`, `month_6`, `month_11` | Float64 | retention in the month, 0 to 1; null if the month has no value |
 *
 * @example Which projects keep most users for half a year?
 * ```ts
 * import {
 *   cohortAnalysis,
 *   pooledRetention,
 *   retentionCurves,
 *   retentionSummary,
 * } from "@chainframe/chainframe";
 *
 * const pooled = pooledRetention(retentionCurves(await cohortAnalysis()), { by: "project_id" });
 * const summary = retentionSummary(pooled);
 * console.log(summary.sort({ by: "month_6", descending: true, nullsLast: true }).toString());
 * ```
 *
 * @param pooled a frame of `pooledRetention`, or of `retentionCurves` for a summary per cohort
 * @throws {RangeError} when columns are missing, a month occurs twice in a group, or a value is impossible.
 * @throws {TypeError} when a column that must be numeric is not.
 * @category Analysis
 */
export function retentionSummary<Given extends DataFrame>(
  pooled: Given & AtStage<Given, "curves" | "pooled">,
): Staged<"summary"> {
  const columns = checkedCurves(pooled, "retentionSummary");
  const retention = numberOfColumn("retention");
  const cohorts = pooled.columns.includes("cohorts") ? pl.col("cohorts").max() : pl.lit(null);
  const summary = inGroups(pooled, columns, [
    cohorts.cast(pl.Int64).alias("cohorts"),
    numberOfColumn("size").max(),
    retention.count().cast(pl.Int64).alias("months"),
    ...MONTHS.map((month) =>
      retention.filter(pl.col("month").eq(month)).first().alias(`month_${month}`)
    ),
  ]);
  return withProvenance(pooled, summary, {
    fn: "retentionSummary",
    options: {},
    first: ["month_1", "month_6", "month_11", "size"],
    columns: computedColumns([
      ["cohorts", "cohorts"],
      ["users over groups", "size"],
      ["months", "months"],
      ["fraction", ...MONTHS.map((month) => `month_${month}`)],
    ]),
  });
}
