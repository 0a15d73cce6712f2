import { dayOf, periodAt, periodsBefore } from "../schema/period.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { withProvenance } from "../table/show.ts";
import { type Expr, inGroups, numberOfColumn, refuseRepeats, tableOf } from "./columns.ts";
import type { AtStage } from "./stage.ts";

/** The active users of the cohorts of one month, in one calendar month. */
interface CohortCell {
  /** The first day of the calendar month. */
  readonly day: number;
  /** The first day of the month in which the cohorts began. */
  readonly born: number;
  readonly month: number;
  readonly active: number;
  /** Users lost and users gained since the previous month, summed over cohorts. NaN in month 0. */
  readonly lost: number;
  readonly returned: number;
  readonly cohorts: number;
  /** The number of cohorts without a value in this month or in the previous month. */
  readonly left_out: number;
  /** Whether one of the cohorts includes users from before tracking began. */
  readonly left_truncated: boolean;
}

/**
 * Adds up cohorts by their first month and by calendar month, and sorts the result by both. Cohorts without a
 * `cohort_date` are left out.
 */
export function cohortCells(curves: DataFrame, fn: string): CohortCell[] {
  requireColumns(curves, {
    fn,
    source: "a frame of retentionCurves",
    columns: ["project_id", "market_sector_id", "cohort_date"],
    numbers: ["month", "retained"],
  });
  const cohort = ["project_id", "market_sector_id", "cohort_date"];
  const flagged = curves.columns.includes("left_truncated");
  const [month, active] = [pl.col("month"), pl.col("active")];
  const rows = curves.filter(pl.col("cohort_date").isNotNull()).select(
    ...cohort.map((name) => pl.col(name)),
    numberOfColumn("month"),
    numberOfColumn("retained").alias("active"),
    (flagged ? pl.col("left_truncated").fillNull(pl.lit(false)) : pl.lit(false))
      .alias("left_truncated"),
  ).sort("month");
  refuseRepeats(rows, [...cohort, "month"], `${fn}: two rows have`, "; keep one");
  const last = (value: Expr) => value.shift(1).over(...cohort as [string]);
  const change = pl.when(month.eq(0)).then(active.mul(0))
    .when(last(month).plus(1).eq(month)).then(active.minus(last(active)))
    .otherwise(pl.lit(null)).alias("change");
  const rise = pl.col("change").clip(0, Infinity);
  const cells = inGroups(rows.withColumn(change), ["cohort_date", "month"], [
    active.sum(),
    rise.minus(pl.col("change")).sum().alias("lost"),
    rise.sum().alias("returned"),
    active.count().alias("cohorts"),
    pl.col("change").isNull().sum().alias("left_out"),
    pl.col("left_truncated").max(),
  ]);
  return (cells.toRecords() as unknown as (CohortCell & { cohort_date: Date })[])
    .filter(({ cohorts }) => cohorts > 0)
    .map((cell) => {
      const born = periodAt(dayOf(cell.cohort_date), "month");
      return {
        ...cell,
        day: periodsBefore(born, "month", -cell.month).start,
        born: dayOf(cell.cohort_date),
      };
    })
    .sort((a, b) => a.day - b.day || a.born - b.born);
}

/**
 * Returns a function of a calendar month. It counts the cohort months that are too old to have a value in this calendar
 * month.
 */
export function olderCohorts(cells: readonly CohortCell[]): (day: number) => number {
  const births = [...new Set(cells.map(({ born }) => born))];
  const first = new Map<number, number>();
  for (const { day, born } of cells) first.set(day, Math.min(first.get(day) ?? Infinity, born));
  return (day) => births.filter((born) => born < first.get(day)!).length;
}

/**
 * Returns the active users of each calendar month, by the month of their first use. These are the layers of a cohort
 * chart.
 *
 * Returns one row per calendar month and month of first use, sorted by calendar month, then by month of first use:
 *
 * | column | dtype | |
 * |---|---|---|
 * | `date` | Date | the first day of the calendar month |
 * | `cohort_date` | Date | first day of the month in which the cohorts began |
 * | `month` | Int64 | months from `cohort_date` to `date` |
 * | `active` | Float64 | active users of these cohorts in the calendar month |
 * | `total` | Float64 | the sum of `active` over the cohorts that are known in the calendar month |
 * | `cohorts` | Int64 | number of cohorts in `active` |
 * | `left_out` | Int64 | number of cohorts that have no value in that month; they are not in `active` |
 * | `older_cohorts` | Int64 | number of older cohorts that are not in `total`: a cohort is known for months 0 to 11 only |
 * | `left_truncated` | Boolean | whether the cohorts contain users whose first use was before tracking began |
 *
 * `total` counts only users whose first use was in the last 12 months, not all active users. Incomplete months have no
 * row. Users of two projects count twice; filter the curves to one project to count users once.
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
 * @throws {RangeError} when columns are missing, or a month occurs twice in a cohort.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function cohortLayers<Frame extends DataFrame>(
  curves: Frame & AtStage<Frame, "curves">,
): DataFrame {
  const cells = cohortCells(curves, "cohortLayers");
  const totals = new Map<number, number>();
  for (const { day, active } of cells) totals.set(day, (totals.get(day) ?? 0) + active);
  const older = olderCohorts(cells);
  const rows = cells.map(({ day, born, ...cell }) => ({
    ...cell,
    date: day,
    cohort_date: born,
    total: totals.get(day)!,
    older_cohorts: older(day),
  }));
  const result = tableOf(rows, {
    date: "date",
    cohort_date: "date",
    month: "whole",
    active: "number",
    total: "number",
    cohorts: "whole",
    left_out: "whole",
    older_cohorts: "whole",
    left_truncated: "flag",
  });
  return withProvenance(curves, result, "cohortLayers");
}
