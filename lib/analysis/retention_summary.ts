import { type DataFrame, pl } from "../table/polars.ts";
import { withProvenance } from "../table/show.ts";
import {
  type Expr,
  GROUP,
  inGroups,
  numberOfColumn,
  numbersOf,
  where,
  withKeys,
} from "./columns.ts";
import { curveTable } from "./curve_table.ts";
import type { AtStage, Staged } from "./stage.ts";

const HALF = 0.5;

/** Returns, for each row, the value in the nearest earlier row that meets the condition. */
function previous(value: Expr, condition: Expr): Expr {
  return where(condition, value).forwardFill().shift(1);
}

/** Returns the time, in months, at which a curve first reaches 0.5. Interpolates linearly between observed months. */
function crossing(month: Expr, value: Expr): Expr {
  const known = value.isNotNull();
  const [start, from] = [previous(month, known), previous(value, known)];
  const part = from.minus(HALF).div(from.minus(value));
  const position = pl.when(from.isNotNull()).then(start.plus(month.minus(start).mul(part)))
    .when(month.eq(0)).then(pl.lit(0)).otherwise(pl.lit(null));
  return position.filter(value.ltEq(HALF)).first();
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
 * | `half_life_lower`, `half_life_upper` | Float64 | bounds of `half_life`: the first month in which the lower bound of `net_activity` is at or below 0.5, and the first month in which its upper bound is; null if there is no such month |
 * | `net_churn` | Float64 | the fraction of users lost per month; null if no two neighboring months are observed |
 *
 * `net_activity` is the product of the monthly fractions of users who were not lost. Unlike `retention`, it is not
 * distorted by cohorts of different ages. If the frame does not have this column, `net_activity` is computed from
 * `size` and `retention`, as for a single cohort. Its bounds are then the columns `lower` and `upper` of the frame.
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
export function retentionSummary<Frame extends DataFrame>(
  pooled: Frame & AtStage<Frame, "curves" | "pooled">,
): Staged<"summary"> {
  const { rows, keys } = curveTable(pooled, "retentionSummary");
  const has = (name: string) => pooled.columns.includes(name);
  const numbers = (name: string) =>
    has(name) ? numberOfColumn(name) : pl.lit(null).cast(pl.Float64);
  const bounds = has("net_activity") ? "net_activity_" : "";
  const columns = numbersOf("month", "size", "retention", "at_risk", "lost");
  const { month, size, retention, at_risk: atRisk, lost } = columns;
  const observed = retention.isNotNull();
  // Used if the frame has no column `net_activity`.
  const ratio = pl.when(month.eq(0)).then(retention)
    .when(atRisk.gt(0)).then(lost.div(atRisk).mul(-1).plus(1)).otherwise(pl.lit(1));
  const product = where(observed, ratio).cumProd();
  const neighbors = observed.and(size.gt(0))
    .and(previous(month, observed).plus(1).eq(month).fillNull(pl.lit(false)));
  const exposed = atRisk.filter(neighbors).sum();
  const firstAtHalf = (side: string) =>
    month.filter(numbers(bounds + side).ltEq(HALF)).first().alias(`half_life_${side}`);
  const summary = inGroups(rows, [GROUP], [
    numbers("cohorts").max().cast(pl.Int64).alias("cohorts"),
    size.max(),
    retention.count().cast(pl.Int64).alias("months"),
    ...[1, 3, 6, 11].map((wanted) =>
      retention.filter(month.eq(wanted)).first().alias(`month_${wanted}`)
    ),
    crossing(month, has("net_activity") ? numbers("net_activity") : product).alias("half_life"),
    firstAtHalf("lower"),
    firstAtHalf("upper"),
    where(exposed.gt(0), lost.filter(neighbors).sum().div(exposed)).alias("net_churn"),
  ]);
  return withProvenance(pooled, withKeys(summary, keys), "retentionSummary");
}
