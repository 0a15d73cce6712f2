import { type DataFrame, pl } from "../../table/columns/polars.ts";
import { checkOptions, integer } from "../../platform/check_options.ts";
import { amountUnit } from "../../table/read/retention_unit.ts";
import { columnIn, computedColumns } from "../../table/track/descriptions.ts";
import { withProvenance } from "../../table/show/show.ts";
import { inGroups, numberOfColumn } from "../columnar.ts";
import { checkedCurves, LONGEST } from "./curve_table.ts";
import { CUMULATIVE } from "./pooled_retention.ts";
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
 * | `cumulative`, `cumulative_lower`, `cumulative_upper` | Float64 | how long users stay, up to the option `month`, as in `pooledRetention`; not for a frame of `retentionCurves` |
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
 * @throws {RangeError} when columns are missing, an option is out of range, a month occurs twice in a group, or a value is impossible.
 * @throws {TypeError} when a column that must be numeric is not.
 * @category Analysis
 */
export function retentionSummary<Given extends DataFrame>(
  pooled: Given & AtStage<Given, "curves" | "pooled">,
  options: {
    /**
     * The month of `cumulative`, 1 to 1200.
     *
     * @default {the last month that all groups have}
     */
    readonly month?: number;
  } = {},
): Staged<"summary"> {
  const fn = "retentionSummary";
  const { month = null } = checkOptions(options, { month: integer(1, LONGEST) }, fn);
  const columns = checkedCurves(pooled, fn);
  const retention = numberOfColumn("retention");
  const cohorts = pooled.columns.includes("cohorts") ? pl.col("cohorts").max() : pl.lit(null);
  const isPooled = pooled.columns.includes("cumulative");
  if (month !== null && !isPooled) {
    throw new RangeError(
      `${fn}: month: is the month of cumulative, which the frame does not have; got ${month}; ` +
        "pass a frame of pooledRetention",
    );
  }
  const at = month ?? (isPooled ? lastInAll(pooled, columns) : null);
  const summary = inGroups(pooled, columns, [
    cohorts.cast(pl.Int64).alias("cohorts"),
    numberOfColumn("size").max(),
    retention.count().cast(pl.Int64).alias("months"),
    ...MONTHS.map((month) =>
      retention.filter(pl.col("month").eq(month)).first().alias(`month_${month}`)
    ),
    ...isPooled
      ? CUMULATIVE.map((name) =>
        numberOfColumn(name).filter(pl.col("month").eq(at ?? -1)).first().alias(name)
      )
      : [],
  ]);
  const size = amountUnit(pooled, "size") === null ? "users over groups" : "field over groups";
  return withProvenance(pooled, summary, {
    fn,
    options,
    of: ["retention", "size", ...isPooled ? ["cumulative"] : []],
    first: ["month_1", "month_6", "month_11", "size", ...isPooled ? ["cumulative"] : []],
    columns: computedColumns([
      ["cohorts", "cohorts"],
      [size, "size"],
      ["months", "months"],
      ["fraction", ...MONTHS.map((month) => `month_${month}`)],
      ...isPooled
        ? [[size === "users over groups" ? "months" : "number", ...CUMULATIVE] as const]
        : [],
    ], columnIn(pooled, "size")),
  });
}

/** Returns the last month in which all groups have a cumulative value, or null. */
function lastInAll(pooled: DataFrame, columns: readonly string[]): number | null {
  const known = pooled.filter(pl.col("cumulative").isNotNull());
  const groups = inGroups(pooled, columns, [pl.col("month").max()]).height;
  const counts = new Map<number, number>();
  for (const month of known.getColumn("month").toArray() as number[]) {
    counts.set(Number(month), 1 + (counts.get(Number(month)) ?? 0));
  }
  const all = [...counts].flatMap(([month, count]) => count === groups ? [month] : []);
  return all.reduce<number | null>((most, month) => Math.max(most ?? 0, month), null);
}
