import { checkOptions } from "../../platform/check_options.ts";
import { type DataFrame, type Frame, pl } from "../../table/build/polars.ts";
import { computedColumns } from "../../table/track/descriptions.ts";
import { withProvenance } from "../../table/show/show.ts";
import { COHORT_RULES, WASHOUT } from "./cohort_counts.ts";
import { cohortIdentity, layerCells } from "./cohort_layers.ts";
import { GROUP, inGroups, quotient, valueWhere } from "../columnar.ts";
import { analyzeGroups, GROUPS_BY_ARRIVAL, type SpanOptions } from "./retention_groups.ts";
import type { AtStage } from "./stage.ts";

/**
 * Returns the numbers of new, returned and lost users in each calendar month (growth accounting), computed from
 * cohorts.
 *
 * Returns one row per group and calendar month:
 *
 * | column | dtype | |
 * |---|---|---|
 * | `project_id`, `project_name`, or other columns, or none | String | the group that the option `by` selects; no such columns for `"all"` |
 * | `date` | Date | the first day of the calendar month |
 * | `new` | Float64 | users whose first use was in this month; null if their number is unknown, as in the month in which tracking began |
 * | `returned` | Float64 | sum of the gains of cohorts with more active users than in the previous month; null in the first month |
 * | `lost` | Float64 | sum of the losses of cohorts with fewer active users than in the previous month; null in the first month |
 * | `aged_out` | Float64 | users who were active in the previous month, and whose cohort is no longer observed in this month, because the curves end (after month 11 for `cohortAnalysis`). Null until a cohort can age out, and where `left_out` is above 0 |
 * | `total` | Float64 | active users of the counted cohorts in this month |
 * | `net_quick_ratio` | Float64 | `(new + returned) / (lost + aged_out)`: above 1 if `total` rises; null if one of the four is null, or if the divisor is 0 |
 * | `cohorts` | Int64 | number of cohorts with a value in this month |
 * | `left_out` | Int64 | number of cohorts with a gap: they have no value in this month or in the previous month, so their change is unknown |
 * | `older_cohorts` | Int64 | number of monthly cohorts that are no longer observed in this month |
 *
 * The columns add up: `new + returned - lost - aged_out` is the change of `total` since the previous month. If one of
 * the columns is null, the change of `total` has no such account. `aged_out` is not a loss: these users can still be
 * active, but cohorts have no later values. Without `aged_out`, the inflow of 12 months would be compared with the
 * losses of 11 months, and a project of constant size would have a ratio near 2.
 *
 * Losses and gains are net within each cohort and month: if one user leaves and another user of the same cohort
 * returns, the two cancel out. Gross numbers are larger, and a quick ratio from gross numbers is nearer to 1. A user of
 * two projects counts twice.
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
 * @throws {RangeError} when columns are missing, an option is out of range, `by` names a column of the result, or a
 * month occurs twice in a cohort.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function userFlows<Given extends DataFrame>(
  curves: Given & AtStage<Given, "curves">,
  options: {
    /**
     * The columns whose values make groups: any column of the frame, or several, `"span"` for groups of time, or
     * `"all"` for one group.
     *
     * @default {"all"}
     */
    readonly by?: string | readonly string[];
    /**
     * Leaves out cohorts with fewer `tracked_months` than this, as in `pooledRetention`. The first cohorts include
     * people who used the project before tracking began, so `new` would be too large.
     *
     * @default {3}
     */
    readonly washout?: number;
    /**
     * Months of the groups of `by: "span"`, in which cohorts began: the first and the last month of each span, by name.
     *
     * @default {none}
     */
    readonly spans?: SpanOptions["spans"];
  } = {},
): Frame {
  const fn = "userFlows";
  const { by = [], spans, washout = WASHOUT } = checkOptions(
    options,
    { ...GROUPS_BY_ARRIVAL, washout: COHORT_RULES.washout },
    fn,
  );
  const [month, ended] = [pl.col("month"), pl.col("ended")];
  const counted = month.eq(0).and(pl.col("left_out").eq(0)).and(pl.col("left_truncated").not());
  const [came, returned, lost] = [pl.col("new"), pl.col("returned"), pl.col("lost")];
  const [aged, date] = [pl.col("aged_out"), pl.col("date")];
  const later = date.gt(date.min().over(GROUP));
  const firstEnd = valueWhere(ended, date).min().over(GROUP);
  const identity = cohortIdentity(curves, { fn, by });
  const flowsOf = (numbered: DataFrame) =>
    inGroups(layerCells(numbered, { identity, washout }), [GROUP, "date"], [
      pl.col("active").filter(counted).first().alias("new"),
      ...["returned", "lost"].map((name) => pl.col(name).sum()),
      pl.col("before").filter(ended).sum().alias("aged_out"),
      pl.col("active").sum().alias("total"),
      ...["cohorts", "left_out"].map((name) => pl.col(name).sum()),
      pl.col("older_cohorts").filter(ended.not()).min(),
      ended.max(),
    ]).withColumns(
      valueWhere(later, returned),
      valueWhere(later, lost),
      valueWhere(date.gtEq(firstEnd).and(pl.col("left_out").eq(0)), aged),
    ).withColumn(quotient(came.plus(returned), lost.plus(aged)).alias("net_quick_ratio"))
      .filter(pl.col("cohorts").gt(0))
      .select(
        ...[GROUP, "date", "new", "returned", "lost", "aged_out", "total", "net_quick_ratio"],
        ...["cohorts", "left_out", "older_cohorts"],
      );
  const flows = analyzeGroups(curves, { fn, by, ...spans && { spans } }, flowsOf);
  return withProvenance(curves, flows, {
    fn,
    options,
    first: ["new", "returned", "lost", "aged_out", "net_quick_ratio"],
    columns: computedColumns([
      ["time", "date"],
      ["users over both", "new", "returned", "lost", "aged_out"],
      ["users", "total"],
      ["statistic", "net_quick_ratio"],
      ["cohorts", "cohorts"],
      ["count", "left_out", "older_cohorts"],
    ]),
  });
}
