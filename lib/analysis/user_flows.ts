import { type DataFrame, pl } from "../table/polars.ts";
import { withProvenance } from "../table/show.ts";
import { cohortCells } from "./cohort_layers.ts";
import { inGroups, numbersOf, quotient, where } from "./columns.ts";
import type { AtStage } from "./stage.ts";

/**
 * Returns the numbers of new, lost and returned users in each calendar month (growth accounting), computed from
 * cohorts.
 *
 * Returns one row per calendar month:
 *
 * | column | dtype | |
 * |---|---|---|
 * | `date` | Date | the first day of the calendar month |
 * | `new` | Float64 | new users of the month; null in the month in which tracking began, because its cohort contains people who had used the project earlier |
 * | `net_lost` | Float64 | sum of the losses of cohorts with fewer active users than in the previous month; null in the first month |
 * | `returned` | Float64 | sum of the gains of cohorts with more active users than in the previous month |
 * | `net_quick_ratio` | Float64 | `(new + returned) / net_lost`: above 1 if the counted cohorts grow in total; null if `new` or `net_lost` is null, or if `net_lost` is 0 |
 * | `cohorts` | Int64 | number of cohorts with a value in this month |
 * | `left_out` | Int64 | number of cohorts that are left out because they have no value in this month or in the previous month |
 * | `older_cohorts` | Int64 | number of monthly cohorts that are too old to be counted: a cohort has values for 12 months only (0 to 11) |
 *
 * Losses and gains are net within each cohort and month: if one user leaves and another user of the same cohort
 * returns, the two cancel out. Gross numbers are larger, and a quick ratio from gross numbers is nearer to 1. Cohorts
 * older than 11 months are not included, because their losses and returns are unknown. A user of two projects counts
 * twice.
 *
 * @example Does a project replace the users that it loses?
 * ```ts
 * import { cohortAnalysis, retentionCurves, userFlows } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis({ project_ids: ["tidewater"] }));
 * console.log(userFlows(curves).toString());
 * ```
 *
 * @param curves a frame of `retentionCurves`
 * @throws {RangeError} when columns are missing, or a month occurs twice in a cohort.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function userFlows<Frame extends DataFrame>(
  curves: Frame & AtStage<Frame, "curves">,
): DataFrame {
  const fresh = pl.col("month").eq(0).and(pl.col("left_truncated").not());
  const { net_lost: lost, returned, new: came } = numbersOf("net_lost", "returned", "new");
  const later = pl.col("date").gt(pl.col("date").min());
  const flows = inGroups(cohortCells(curves, "userFlows"), ["date"], [
    pl.col("active").filter(fresh).first().alias("new"),
    pl.col("lost").sum().alias("net_lost"),
    ...["returned", "cohorts", "left_out"].map((name) => pl.col(name).sum()),
    pl.col("older_cohorts").first(),
  ]).withColumns(where(later, lost), where(later, returned))
    .withColumn(where(lost.gt(0), quotient(came.plus(returned), lost)).alias("net_quick_ratio"))
    .select(
      ...["date", "new", "net_lost", "returned", "net_quick_ratio", "cohorts", "left_out"],
      "older_cohorts",
    );
  return withProvenance(curves, flows, "userFlows");
}
