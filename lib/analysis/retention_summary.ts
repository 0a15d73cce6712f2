import { carry } from "../table/show.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { curveGroups, GROUP, withLosses } from "./curve_rows.ts";
import { type Expr, inGroups, quotient, sumOrNull } from "./columns.ts";

const MONTHS = [1, 3, 6, 11];
const HALF = 0.5;

function retentionAt(month: number): Expr {
  return pl.col("retention").filter(pl.col("month").eq(month)).first().alias(`month_${month}`);
}

/** Where the line between two observed months first comes down to a half. */
function halfLife(): Expr {
  const [month, retention] = [pl.col("month"), pl.col("retention")];
  const [from, before] = [pl.col("month_before"), pl.col("retention_before")];
  const crossing = from.plus(
    month.minus(from).mul(before.minus(HALF)).div(before.minus(retention)),
  );
  const atOnce = pl.when(month.eq(0)).then(pl.lit(0)).otherwise(pl.lit(null));
  return pl.when(before.isNull()).then(atOnce).otherwise(crossing)
    .filter(retention.ltEq(HALF)).first().cast(pl.Float64).alias("half_life");
}

function losses(): Expr[] {
  const neighbours = pl.col("month").minus(1).eq(pl.col("month_before"))
    .and(pl.col("retention_before").isNotNull()).and(pl.col("size").gt(0));
  return ["lost", "at_risk"].map((name) =>
    sumOrNull(pl.when(neighbours).then(pl.col(name)).otherwise(pl.lit(null))).alias(name)
  );
}

/**
 * Sums up each retention curve in one row: how much is left when, how long half of it lasts, how
 * fast it goes.
 *
 * The groups are those of the frame: every column that `pooledRetention` did not measure. They
 * stand in the order of the frame; sort them by any column (`summary.sort("half_life")`).
 *
 * | column | dtype | |
 * |---|---|---|
 * | the group's columns | as they came | |
 * | `cohorts` | Int64 | the most cohorts that a month rests on; null where the frame does not say |
 * | `size` | Float64 | the most users at risk in a month |
 * | `months` | Int64 | how many months have a retention |
 * | `month_1`, `month_3`, `month_6`, `month_11` | Float64 | retention in that month, 0 to 1; null where there is none |
 * | `half_life` | Float64 | months until retention is 0.5: the first month at or below it, interpolated on the straight line from the observed month before; null when not reached, and when the first month that was observed, later than month 0, is already there |
 * | `net_churn` | Float64 | the fraction of users lost per month; null where no two neighbouring months are observed |
 *
 * `net_churn` is the occurrence/exposure rate: the users lost from one observed month to the next, by
 * all the users who could have been, `sum(lost) / sum(at_risk)`, each month with the cohorts that
 * have it and the month before. It is the maximum likelihood estimate of a constant churn, also
 * where young cohorts have fewer months than old ones, and below 0 where more users came back than
 * were lost. A frame without `at_risk` and `lost` has them derived from `size` and `retention`, as
 * if one cohort stood behind all months.
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
 * @throws {RangeError} when columns are missing, a month stands twice in a group, or a value is
 * impossible.
 * @throws {TypeError} when a column that has to hold numbers does not.
 * @category Analysis
 */
export function retentionSummary(pooled: DataFrame): DataFrame {
  const curves = curveGroups(pooled, "retentionSummary");
  const { keys, rows } = curves;
  const cohorts = rows.columns.includes("cohorts") ? pl.col("cohorts").max() : pl.lit(null);
  const groups = inGroups(rows, [GROUP], [
    ...keys.map((key) => pl.col(key).first()),
    cohorts.cast(pl.Int64).alias("cohorts"),
    pl.col("size").max(),
    pl.col("retention").count().cast(pl.Int64).alias("months"),
    ...MONTHS.map(retentionAt),
  ]);
  const rates = inGroups(withLosses(curves), [GROUP], [halfLife(), ...losses()]).select(
    pl.col(GROUP),
    pl.col("half_life"),
    pl.when(pl.col("at_risk").gt(0)).then(quotient(pl.col("lost"), pl.col("at_risk")))
      .otherwise(pl.lit(null)).alias("net_churn"),
  );
  return carry(
    pooled,
    groups.join(rates, { on: GROUP, how: "left" }).sort(GROUP).drop(GROUP),
    "retentionSummary",
  );
}
