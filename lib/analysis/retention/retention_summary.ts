import type { DataFrame } from "../../table/build/polars.ts";
import { withProvenance } from "../../table/show/show.ts";
import { tableOf, withKeys } from "../columns.ts";
import { curveTable } from "./curve_table.ts";
import type { AtStage, Staged } from "./stage.ts";

const HALF = 0.5;

/** The columns of pooled frames that frames of single cohorts lack. */
const POOLED = ["cohorts", "net_activity", "net_activity_lower", "net_activity_upper"] as const;

type Numbers = ReturnType<typeof curveTable<typeof POOLED[number] | "lower" | "upper">>["numbers"];

/**
 * Returns the time, in months, at which values first reach 0.5. Interpolates linearly between observed months. NaN means
 * null. Returns NaN if the first observed value, in a later month than month 0, is already at or below 0.5.
 */
function crossing(rows: readonly number[], month: Float64Array, values: ArrayLike<number>): number {
  let before = -1;
  for (const [at, row] of rows.entries()) {
    const value = values[at]!;
    if (value <= HALF) {
      if (before < 0) return month[row] === 0 ? 0 : NaN;
      const [start, from] = [month[rows[before]!]!, values[before]!];
      return start + (month[row]! - start) * ((from - HALF) / (from - value));
    }
    if (!Number.isNaN(value)) before = at;
  }
  return NaN;
}

/** Returns the summary of a curve. `rows` lists the indices of its rows, sorted by month. */
function summaryOf(rows: readonly number[], numbers: Numbers) {
  const { month, size, retention, at_risk: atRisk, lost } = numbers;
  const observed = rows.filter((row) => !Number.isNaN(retention[row]));
  const greatest = (values: Float64Array) =>
    rows.reduce(
      (most, row) => Number.isNaN(most) || values[row]! > most ? values[row]! : most,
      NaN,
    );
  let left = 1;
  const product = rows.map((row) => {
    if (Number.isNaN(retention[row])) return NaN;
    if (month[row] === 0) left = retention[row]!;
    else if (atRisk[row]! > 0) left *= 1 - lost[row]! / atRisk[row]!;
    return left;
  });
  const activity = numbers.net_activity;
  const bound = (pooled: Float64Array, plain: Float64Array) =>
    rows.map((row) => {
      if (!Number.isNaN(activity[row])) return pooled[row]!;
      return month[row] === 0 && retention[row] === 1 ? 1 : plain[row]!;
    });
  const half = (values: readonly number[]) => crossing(rows, month, values);
  const neighbors = observed.filter((row, at) =>
    size[row]! > 0 && month[observed[at - 1]!] === month[row]! - 1
  );
  const sum = (values: Float64Array) => neighbors.reduce((all, row) => all + values[row]!, 0);
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
    half_life: half(
      rows.map((row, at) => Number.isNaN(activity[row]) ? product[at]! : activity[row]!),
    ),
    half_life_lower: half(bound(numbers.net_activity_lower, numbers.lower)),
    half_life_upper: half(bound(numbers.net_activity_upper, numbers.upper)),
    net_churn: sum(atRisk) > 0 ? sum(lost) / sum(atRisk) : NaN,
  };
}

/**
 * Summarizes each retention curve in one row: retention in some months, half-life, and net churn.
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
 * | `half_life` | Float64 | number of months until `net_activity` is 0.5, interpolated linearly between observed months; null if `net_activity` does not reach 0.5, or if month 0 is not observed and `net_activity` is already at or below 0.5 in the first observed month |
 * | `half_life_lower`, `half_life_upper` | Float64 | bounds of `half_life`: the times at which the lower and the upper bound of `net_activity` are 0.5, interpolated in the same way; null if the bound does not reach 0.5, or is not known |
 * | `net_churn` | Float64 | the fraction of users lost per month; null if no two neighboring months are observed |
 *
 * `net_activity` is the product of the monthly fractions of users who were not lost. Unlike `retention`, it is not
 * distorted by cohorts of different ages. If the frame does not have this column, or it is null, `net_activity` is
 * computed from `size` and `retention`, as for a single cohort. Its bounds are then the columns `lower` and `upper`.
 *
 * `net_churn` is the occurrence/exposure rate: `sum(lost) / sum(at_risk)`, the lost users divided by the users at risk.
 * Each month uses the cohorts that have a value in this month and in the previous month. `net_churn` is the maximum
 * likelihood estimate of a constant churn, even if cohorts have different ages. It is negative if more users returned
 * than left.
 *
 * @example Which projects keep half of their users the longest?
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
 * console.log(summary.sort({ by: "half_life", descending: true, nullsLast: true }).toString());
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
  const columns = [...POOLED, "lower", "upper"] as const;
  const { curves, numbers, keys } = curveTable(pooled, "retentionSummary", columns);
  const table = tableOf(curves.map((rows) => summaryOf(rows, numbers)), [
    ["whole cohorts", "cohorts"],
    ["number users over groups", "size"],
    ["whole months", "months"],
    ["number fraction", "month_1", "month_3", "month_6", "month_11"],
    ["number months", "half_life", "half_life_lower", "half_life_upper"],
    ["number fraction", "net_churn"],
  ]);
  const summary = withKeys(table, keys, curves.map((_, group) => group));
  return withProvenance(pooled, summary, {
    fn: "retentionSummary",
    options: {},
    first: ["month_1", "month_6", "half_life", "size"],
  });
}
