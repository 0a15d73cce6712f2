import { checkOptions } from "../../platform/check_options.ts";
import { dateOfDay } from "../../schema/period.ts";
import { dateColumn, float64 } from "../../table/build/columns.ts";
import { type DataFrame, type Frame, pl } from "../../table/build/polars.ts";
import { requireColumns } from "../../table/read/require_columns.ts";
import { computedColumns } from "../../table/track/frame_columns.ts";
import { withProvenance } from "../../table/show/show.ts";
import { type Expr, inGroups, numberOfColumn, refuseRepeats, where } from "../columns.ts";
import { tracked } from "./cohort_counts.ts";
import { observedMonths } from "./curve_table.ts";
import { analyzeGroups, GROUPS_BY_ARRIVAL, type SpanOptions } from "./retention_groups.ts";
import type { AtStage } from "./stage.ts";

/**
 * Adds up cohorts by month of first use and by age. Returns one row per month of first use and age, sorted by calendar
 * month, then by month of first use. Ages go from 0 to the largest `month` of the frame, and one further: at this age
 * the cohorts are no longer observed. Months after the last observed calendar month have no row.
 *
 * The columns are those of `cohortLayers` except `total`, and four others. `older_cohorts` is the number of earlier months of first use. `lost` is the sum of the
 * losses of cohorts that shrank since the previous month, and `returned` is the sum of the gains of cohorts that grew.
 * `before` is the number of users who were active in the previous month. `ended` is true at the age that is no longer
 * observed. Cohorts of size 0 and cohorts without a `cohort_date` are left out.
 */
export function cohortCells(
  curves: DataFrame,
  { fn, washout }: { readonly fn: string; readonly washout?: number },
): DataFrame {
  requireColumns(curves, {
    fn,
    source: "a frame of retentionCurves",
    columns: ["cohort_date"],
    numbers: ["month", "size", "retained"],
  });
  const has = (name: string) => curves.columns.includes(name);
  const cohort = ["project_id", "market_sector_id", "cohort_date"].filter(has);
  const flagged = has("left_truncated");
  const [month, active] = [pl.col("month"), pl.col("active")];
  const living = pl.col("size").eq(0).fillNull(pl.lit(false)).not();
  const rows = (washout === undefined ? curves : tracked(curves, washout))
    .filter(pl.col("cohort_date").isNotNull().and(living)).select(
      ...cohort.map((name) => pl.col(name)),
      numberOfColumn("month"),
      numberOfColumn("retained").alias("active"),
      (flagged ? pl.col("left_truncated").fillNull(pl.lit(false)) : pl.lit(false))
        .alias("left_truncated"),
    ).sort("month");
  refuseRepeats(rows, [...cohort, "month"], { fn, then: "; keep one" });
  const last = (value: Expr) => value.shift(1).over(...cohort as [string]);
  const change = pl.when(month.eq(0)).then(active.mul(0))
    .otherwise(where(last(month).plus(1).eq(month), active.minus(last(active)))).alias("change");
  const rise = pl.col("change").clip(0, Infinity);
  const sums = inGroups(rows.withColumn(change), ["cohort_date", "month"], [
    active.sum(),
    rise.minus(pl.col("change")).sum().alias("lost"),
    rise.sum().alias("returned"),
    active.count().alias("cohorts"),
    pl.col("change").count().alias("(followed)"),
    pl.col("left_truncated").max(),
  ]);
  const end = rows.height > 0 ? rows.getColumn("month").max() + 1 : 0;
  const ages = float64("month", Array.from({ length: end + 1 }, (_, age) => age));
  const grid = inGroups(rows.unique({ subset: cohort }), ["cohort_date"], [
    month.count().alias("(all)"),
  ]).join(pl.DataFrame([ages]), { how: "cross" });
  const dates = observedMonths(grid).map((month) => dateOfDay(month!.start));
  const counted = (name: string) => pl.col(name).fillNull(pl.lit(0));
  const [known, ended] = [counted("cohorts"), month.eq(end)];
  return grid.withColumn(dateColumn("date", dates))
    .join(sums, { on: ["cohort_date", "month"], how: "left" })
    .sort(["cohort_date", "month"])
    .withColumns(
      ended.alias("ended"),
      pl.col("cohort_date").rank("dense").minus(1).cast(pl.Int64).alias("older_cohorts"),
      where(month.gt(0), counted("active").shift(1)).alias("before"),
      pl.col("(all)").minus(pl.when(ended).then(known.shift(1)).otherwise(counted("(followed)")))
        .cast(pl.Int64).alias("left_out"),
      month.cast(pl.Int64),
      known.cast(pl.Int64).alias("cohorts"),
    )
    .filter(pl.col("date").ltEq(pl.col("date").filter(known.gt(0)).max()))
    .sort(["date", "cohort_date"]);
}

/**
 * Returns the number of active users in each calendar month, by the month of their first use. In a cohort chart, each
 * month of first use is a layer.
 *
 * Returns one row per group, calendar month and month of first use, sorted by calendar month, then by month of first
 * use. Groups follow one another:
 *
 * | column | dtype | |
 * |---|---|---|
 * | `project_id`, `project_name`, or other columns, or none | String | the group that the option `by` selects; no such columns for `"all"` |
 * | `date` | Date | the first day of the calendar month |
 * | `cohort_date` | Date | first day of the month in which the cohorts began |
 * | `month` | Int64 | months from `cohort_date` to `date` |
 * | `active` | Float64 | active users of these cohorts in the calendar month |
 * | `total` | Float64 | the sum of `active` over all rows of the group and calendar month |
 * | `cohorts` | Int64 | number of cohorts in `active` |
 * | `left_out` | Int64 | number of cohorts that have no value in this month or in the previous month; cohorts without a value in this month are not in `active` |
 * | `older_cohorts` | Int64 | number of earlier months of first use that are no longer in `total`: cohorts have values up to the last month of the curves (11 for `cohortAnalysis`) |
 * | `left_truncated` | Boolean | whether the cohorts contain users whose first use was before tracking began |
 *
 * `total` counts only users whose cohort has a value, such as first use in the last 12 months, not all active users. Incomplete months have no
 * row. A user of two projects counts twice. To count each user once, pass `by: "project_id"`.
 *
 * @example Who is active: old users or new ones?
 * ```ts
 * import { cohortAnalysis, cohortLayers, retentionCurves } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis({ project_ids: ["tidewater"] }));
 * console.log(cohortLayers(curves).toString());
 * ```
 *
 * @param curves a frame of `retentionCurves`
 * @throws {RangeError} when columns are missing, an option is out of range, `by` names a column of the result, or a
 * month occurs twice in a cohort.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function cohortLayers<Given extends DataFrame>(
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
     * Months of the groups of `by: "span"`, in which cohorts began: the first and the last month of each span, by name.
     *
     * @default {none}
     */
    readonly spans?: SpanOptions["spans"];
  } = {},
): Frame {
  const fn = "cohortLayers";
  const { by = [], spans } = checkOptions(options, GROUPS_BY_ARRIVAL, fn);
  const layersOf = (group: DataFrame) =>
    cohortCells(group, { fn }).filter(pl.col("cohorts").gt(0))
      .withColumns(
        pl.col("active").sum().over("date").alias("total"),
        pl.col("older_cohorts").min().over("date"),
      )
      .select(
        ...["date", "cohort_date", "month", "active", "total", "cohorts", "left_out"],
        ...["older_cohorts", "left_truncated"],
      );
  const layers = analyzeGroups(curves, { fn, by, ...spans && { spans } }, layersOf);
  return withProvenance(curves, layers, {
    fn,
    options,
    first: ["active", "total", "cohorts"],
    columns: computedColumns([
      ["time", "date", "cohort_date"],
      ["months", "month"],
      ["users over groups", "active"],
      ["users", "total"],
      ["cohorts", "cohorts"],
      ["count", "left_out", "older_cohorts"],
      ["note", "left_truncated"],
    ]),
  });
}
