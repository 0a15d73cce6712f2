import { checkOptions } from "../../platform/check_options.ts";
import { float64 } from "../../table/build/cell_values.ts";
import { type DataFrame, type Frame, pl } from "../../table/build/polars.ts";
import { readingOf, refuseTwice } from "../../table/read/reading.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { computedColumns } from "../../table/track/descriptions.ts";
import { withProvenance } from "../../table/show/show.ts";
import { type Expr, GROUP, inGroups, numberOfColumn, valueWhere } from "../columnar.ts";
import { trackedCohorts } from "./cohort_counts.ts";
import { observedMonths, requireCohortDates } from "./curve_table.ts";
import { analyzeGroups, GROUPS_BY_ARRIVAL, type SpanOptions } from "./retention_groups.ts";
import type { AtStage } from "./stage.ts";

/**
 * Adds up cohorts by group, month of first use and age. Returns one row per group, month of first use and age, sorted by
 * group, calendar month, and month of first use. Ages go from 0 to the largest `month` of the group, and one further: at
 * this age the cohorts are no longer observed. Months after the last observed calendar month have no row.
 *
 * The columns are `GROUP`, those of `cohortLayers` except `total`, and four others. `older_cohorts` is the number of
 * earlier months of first use. `lost` is the sum of the losses of cohorts that shrank since the previous month, and
 * `returned` is the sum of the gains of cohorts that grew. `before` is the number of users who were active in the previous
 * month. `ended` is true at the age that is no longer observed. Cohorts of size 0 and cohorts without a `cohort_date` are
 * left out.
 *
 * @param curves curves with the column `GROUP`
 * @param identity the columns that identify a cohort
 */
export function layerCells(
  curves: DataFrame,
  { identity, washout }: { readonly identity: readonly string[]; readonly washout?: number },
): DataFrame {
  const flagged = curves.columns.includes("left_truncated");
  const [month, active, group] = [pl.col("month"), pl.col("active"), pl.col(GROUP)];
  const living = pl.col("size").eq(0).fillNull(pl.lit(false)).not();
  const rows = (washout === undefined ? curves : trackedCohorts(curves, washout))
    .filter(pl.col("cohort_date").isNotNull().and(living)).select(
      group,
      pl.struct(identity.map((name) => pl.col(name))).hash().alias("(cohort)"),
      pl.col("cohort_date"),
      numberOfColumn("month"),
      numberOfColumn("retained").alias("active"),
      (flagged ? pl.col("left_truncated").fillNull(pl.lit(false)) : pl.lit(false))
        .alias("left_truncated"),
    ).sort([GROUP, "(cohort)", "month"]);
  const last = (value: Expr) => value.shift(1);
  const same = group.eq(last(group)).and(pl.col("(cohort)").eq(last(pl.col("(cohort)"))));
  const change = pl.when(month.eq(0)).then(active.mul(0))
    .otherwise(valueWhere(same.and(last(month).plus(1).eq(month)), active.minus(last(active))))
    .alias("change");
  const rise = pl.col("change").clip(0, Infinity);
  const sums = inGroups(rows.withColumn(change), [GROUP, "cohort_date", "month"], [
    active.sum(),
    rise.minus(pl.col("change")).sum().alias("lost"),
    rise.sum().alias("returned"),
    active.count().alias("cohorts"),
    pl.col("change").count().alias("(followed)"),
    pl.col("left_truncated").max(),
  ]);
  const end = rows.height > 0 ? rows.getColumn("month").max() + 1 : 0;
  const ages = float64("month", Array.from({ length: end + 1 }, (_, age) => age));
  const births = inGroups(rows, [GROUP, "cohort_date"], [
    pl.col("(cohort)").nUnique().alias("(all)"),
    month.max().plus(1).alias("(end)"),
  ]).withColumns(
    pl.col("(end)").max().over(GROUP),
    pl.col("cohort_date").rank("dense").over(GROUP).minus(1).cast(pl.Int64).alias("older_cohorts"),
  );
  const grid = births.join(pl.DataFrame([ages]), { how: "cross" })
    .filter(month.ltEq(pl.col("(end)")));
  const days = Float64Array.from(observedMonths(grid), (period) => period!.start);
  const counted = (name: string) => pl.col(name).fillNull(pl.lit(0));
  const [known, ended] = [counted("cohorts"), month.eq(pl.col("(end)"))];
  return grid.withColumn(pl.Series("date", days, pl.Float64))
    .withColumn(pl.col("date").cast(pl.Int32).cast(pl.Date))
    .join(sums, { on: [GROUP, "cohort_date", "month"], how: "left" })
    .sort([GROUP, "cohort_date", "month"])
    .withColumns(
      ended.alias("ended"),
      valueWhere(month.gt(0), counted("active").shift(1)).alias("before"),
      pl.col("(all)").minus(pl.when(ended).then(known.shift(1)).otherwise(counted("(followed)")))
        .cast(pl.Int64).alias("left_out"),
      month.cast(pl.Int64),
      known.cast(pl.Int64).alias("cohorts"),
    )
    .filter(pl.col("date").ltEq(valueWhere(known.gt(0), pl.col("date")).max().over(GROUP)))
    .sort([GROUP, "date", "cohort_date"]);
}

/**
 * Checks that a frame has the columns of curves, and that no cohort has two rows of one month. Returns the columns that
 * identify a cohort.
 */
export function cohortIdentity(
  curves: DataFrame,
  { fn, by }: { readonly fn: string; readonly by: readonly string[] },
): string[] {
  requireColumns(curves, {
    fn,
    source: "a frame of retentionCurves",
    columns: ["cohort_date"],
    numbers: ["month", "size", "retained"],
  });
  requireCohortDates(curves, fn);
  const reading = readingOf(curves, { fn, groups: by });
  refuseTwice(curves, reading, fn);
  return [...reading.entity, ...reading.times].filter((name) => name !== "month");
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
  const identity = cohortIdentity(curves, { fn, by });
  const layersOf = (numbered: DataFrame) =>
    layerCells(numbered, { identity }).filter(pl.col("cohorts").gt(0))
      .withColumns(
        pl.col("active").sum().over(GROUP, "date").alias("total"),
        pl.col("older_cohorts").min().over(GROUP, "date"),
      )
      .select(
        ...[GROUP, "date", "cohort_date", "month", "active", "total", "cohorts", "left_out"],
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
