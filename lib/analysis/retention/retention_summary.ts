import type { DataFrame } from "../../table/build/polars.ts";
import { withProvenance } from "../../table/show/show.ts";
import { tableOf, withKeys } from "../columnar.ts";
import { curveTable } from "./curve_table.ts";
import type { AtStage, Staged } from "./stage.ts";

type Numbers = ReturnType<typeof curveTable<"cohorts">>["numbers"];

/** Returns the summary of a curve. `rows` lists the indices of its rows, sorted by month. */
function summaryOf(rows: readonly number[], numbers: Numbers) {
  const { month, size, retention } = numbers;
  const observed = rows.filter((row) => !Number.isNaN(retention[row]));
  const greatest = (values: Float64Array) =>
    rows.reduce(
      (most, row) => Number.isNaN(most) || values[row]! > most ? values[row]! : most,
      NaN,
    );
  return {
    cohorts: greatest(numbers.cohorts),
    size: greatest(size),
    months: observed.length,
    ...Object.fromEntries(
      [1, 3, 6, 11].map((wanted) => [
        `month_${wanted}`,
        retention[rows.find((row) => month[row] === wanted) ?? -1],
      ]),
    ),
  };
}

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
  const { curves, numbers, keys } = curveTable(pooled, "retentionSummary", ["cohorts"]);
  const table = tableOf(curves.map((rows) => summaryOf(rows, numbers)), [
    ["whole cohorts", "cohorts"],
    ["number users over groups", "size"],
    ["whole months", "months"],
    ["number fraction", "month_1", "month_3", "month_6", "month_11"],
  ]);
  const summary = withKeys(table, keys, curves.map((_, group) => group));
  return withProvenance(pooled, summary, {
    fn: "retentionSummary",
    options: {},
    first: ["month_1", "month_6", "month_11", "size"],
  });
}
