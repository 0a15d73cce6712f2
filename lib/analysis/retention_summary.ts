import { carry } from "../table/show.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { curveGroups, GROUP } from "./curve_groups.ts";
import { type Expr, inGroups, quotient, sumOrNull } from "./columns.ts";

const MONTHS = [1, 3, 6, 11];
const HALF = 0.5;

/** The observed months, each with the observed month before it. */
function withBefore(rows: DataFrame): DataFrame {
  const before = (name: string) => pl.col(name).shift(1).over(GROUP);
  // Every curve begins whole, in month 0.
  return rows.filter(pl.col("retention").isNotNull()).withColumns(
    before("month").fillNull(0).alias("month_before"),
    before("retention").alias("retention_before"),
  );
}

function retentionAt(month: number): Expr {
  return pl.col("retention").filter(pl.col("month").eq(month)).first().alias(`month_${month}`);
}

function halfLife(): Expr {
  const month = pl.col("month");
  const retention = pl.col("retention");
  const from = pl.col("month_before");
  const before = pl.col("retention_before").fillNull(1);
  const crossing = from.plus(
    month.minus(from).mul(before.minus(HALF)).div(before.minus(retention)),
  );
  return crossing.filter(retention.ltEq(HALF)).first().alias("half_life");
}

function churn(): Expr[] {
  const neighbours = pl.col("month").minus(1).eq(pl.col("month_before"))
    .and(pl.col("retention_before").isNotNull()).and(pl.col("size").gt(0));
  const sumOf = (value: Expr) =>
    sumOrNull(pl.when(neighbours).then(pl.col("size").mul(value)).otherwise(pl.lit(null)));
  return [
    sumOf(pl.col("retention_before").minus(pl.col("retention"))).alias("lost"),
    sumOf(pl.col("retention_before")).alias("at_risk"),
  ];
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
 * | `half_life` | Float64 | months until retention is 0.5: the first month at or below it, interpolated on the straight line from the observed month before; null when not reached |
 * | `churn` | Float64 | the fraction of users lost per month; null where no two neighbouring months are observed |
 *
 * `churn` is the occurrence/exposure rate: the users lost from one observed month to the next, by
 * all the users who could have been, `sum(size_t (r_(t-1) - r_t)) / sum(size_t r_(t-1))`. It is the
 * maximum likelihood estimate of a constant churn, and below 0 for a curve that rises on the whole.
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
 */
export function retentionSummary(pooled: DataFrame): DataFrame {
  const { keys, rows } = curveGroups(pooled, "retentionSummary");
  const cohorts = rows.columns.includes("cohorts") ? pl.col("cohorts").max() : pl.lit(null);
  const groups = inGroups(rows, [GROUP], [
    ...keys.map((key) => pl.col(key).first()),
    cohorts.cast(pl.Int64).alias("cohorts"),
    pl.col("size").max(),
    pl.col("retention").count().cast(pl.Int64).alias("months"),
    ...MONTHS.map(retentionAt),
  ]);
  const rates = inGroups(withBefore(rows), [GROUP], [halfLife(), ...churn()]).select(
    pl.col(GROUP),
    pl.col("half_life"),
    pl.when(pl.col("at_risk").gt(0)).then(quotient(pl.col("lost"), pl.col("at_risk")))
      .otherwise(pl.lit(null)).alias("churn"),
  );
  return carry(
    pooled,
    groups.join(rates, { on: GROUP, how: "left" }).sort(GROUP).drop(GROUP),
    "retentionSummary",
  );
}
