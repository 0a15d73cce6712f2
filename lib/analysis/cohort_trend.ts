import { checkOptions, integer, oneOf } from "../platform/check_options.ts";
import { dateOfDay, dayOf, periodAt } from "../schema/period.ts";
import { dateColumn } from "../table/columns.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { withProvenance } from "../table/show.ts";
import { COHORT_RULES, cohortGroups, groupColumns, tracked, WASHOUT } from "./cohort_counts.ts";
import { tableOf } from "./columns.ts";
import { retentionEstimate } from "./retention_estimate.ts";
import { breakOf, trendOf } from "./trend.ts";
import type { AtStage } from "./stage.ts";

const FEWEST = 8;
const DAYS_OF_YEAR = 365.25;

/** Returns the retention of each group and period of first use, sorted by period. */
function valuesOf(
  curves: DataFrame,
  { month, every, by, confidence }: Required<
    Omit<NonNullable<Parameters<typeof cohortTrend>[1]>, "washout">
  >,
) {
  const dated = curves.filter(pl.col("cohort_date").isNotNull());
  const births = dated.getColumn("cohort_date").toArray() as unknown as Date[];
  const starts = births.map((date) => dateOfDay(periodAt(dayOf(date), every).start));
  const { groups, keys } = cohortGroups(
    dated.withColumn(dateColumn("date", starts)),
    { fn: "cohortTrend", keys: [...groupColumns(by), "date"], cluster: undefined, washout: 0 },
  );
  const at = groups[0]?.months.indexOf(month) ?? -1;
  const values = keys.toRecords().map(({ date, ...names }, index) => ({
    ...names,
    ...retentionEstimate(groups[index]!, at, { confidence }),
    id: names[by],
    date: dayOf(date as unknown as Date),
    cohorts: groups[index]!.cohorts[at],
  }));
  return values.filter(({ retention }) => retention >= 0).sort((a, b) => a.date - b.date);
}

/**
 * Tests whether retention in one month changes with the date of the cohorts.
 *
 * Returns one row per group and period of cohorts:
 *
 * | column | dtype | |
 * |---|---|---|
 * | `project_id`, `project_name`, or `market_sector_id`, `market_sector_name`, or neither | String | the group that the option `by` selects; no such columns for `"all"` |
 * | `date` | Date | first day of the period in which the cohorts began |
 * | `month` | Int64 | the option `month`: the month after first use whose retention is compared |
 * | `cohorts`, `size` | Int64, Float64 | number of cohorts, and number of their users |
 * | `retention`, `lower`, `upper`, `bounds` | Float64, String | pooled retention of the cohorts, with the bounds of `pooledRetention` |
 * | `trend` | Float64 | value of the fitted line at `date` |
 * | `slope`, `slope_lower`, `slope_upper` | Float64 | slope of the line and its bounds: change of retention per year, as a fraction; 0.02 is 2 percentage points |
 * | `p_value` | Float64 | p value of the slope |
 * | `break_date` | Date | first day of the last period before the break |
 * | `break_f`, `break_p_value` | Float64 | F statistic of the break, and its p value |
 * | `reason` | String | the reason why there is no trend; null if there is a trend |
 * | `confidence` | Float64 | the confidence of the bounds |
 *
 * The line is fitted by least squares, and all periods have the same weight. The standard errors are those of Newey and
 * West (1987) with lag ⌊4 (n/100)^(2/9)⌋. These standard errors are too small in short series. Therefore the t
 * statistic of the slope is compared with the t statistics of 999 simulated series of equal length. The simulated
 * series have no slope, and their errors have the autocorrelation of the residuals. The break is the change of the mean
 * with the largest F statistic. Changes in the first and the last 15% of the periods are not considered (Andrews 1993).
 * The p value of the break comes from 999 permutations of blocks of ⌈n^(1/3)⌉ periods, with a fixed seed. A steady
 * trend also makes `break_f` large, so read `p_value` and `break_p_value` together. If a group has fewer than 8
 * periods, the trend, the slope and both tests are null.
 *
 * In 1 000 simulated series of 16 to 60 periods without a break, `break_p_value` is at most .05 in 5 to 7% of series
 * with independent errors. If the errors have an autocorrelation of .5, `break_p_value` is at most .05 in 12 to 15% of
 * series. For autocorrelated series, use a limit of .01. Series with fewer than 16 periods have too few blocks: the
 * test reports a break in 1 to 3% of such series without a break, and seldom finds a real break.
 *
 * @example Does month 3 improve from quarter to quarter?
 * ```ts
 * import { cohortAnalysis, cohortTrend, retentionCurves } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * const trend = cohortTrend(curves, { month: 3, every: "quarter" });
 * console.log(trend.select("date", "retention", "slope", "p_value", "break_date").toString());
 * ```
 *
 * @param curves a frame of `retentionCurves`
 * @throws {RangeError} when columns are missing, or an option is out of range.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function cohortTrend<Frame extends DataFrame>(
  curves: Frame & AtStage<Frame, "curves">,
  options: {
    /**
     * The month of retention to compare, 1 to 1200.
     *
     * @default {1}
     */
    readonly month?: number;
    /**
     * The length of a period: `"month"`, `"quarter"` or `"year"`. All cohorts that began in a period are pooled into
     * one value.
     *
     * @default {"month"}
     */
    readonly every?: "month" | "quarter" | "year";
    /**
     * The groups, each with its own trend: `"project_id"`, `"market_sector_id"` or `"all"`.
     *
     * @default {"all"}
     */
    readonly by?: "project_id" | "market_sector_id" | "all";
    /**
     * Leaves out cohorts with fewer tracked months than this. The first cohorts include users who had already used the
     * project before tracking began. Such users stay longer, so retention would seem to fall.
     *
     * @default {3}
     */
    readonly washout?: number;
    /**
     * The confidence of the bounds, between 0 and 1.
     *
     * @default {0.95}
     */
    readonly confidence?: number;
  } = {},
): DataFrame {
  const fn = "cohortTrend";
  const checked = checkOptions(options, {
    by: COHORT_RULES.by,
    confidence: COHORT_RULES.confidence,
    month: integer(1, 1200),
    every: oneOf(["month", "quarter", "year"] as const),
    washout: integer(0),
  }, fn);
  const { month = 1, every = "month", by = "all", washout = WASHOUT, confidence = 0.95 } = checked;
  requireColumns(curves, {
    fn,
    source: "a frame of retentionCurves",
    columns: ["cohort_date", ...(by === "all" ? [] : [by])],
    numbers: ["month", "size", "retention"],
  });
  const values = valuesOf(tracked(curves, washout), { month, every, by, confidence });
  const rows = [...Map.groupBy(values, ({ id }) => id).values()].flatMap((group) => {
    const years = group.map(({ date }) => date / DAYS_OF_YEAR);
    const retentions = group.map(({ retention }) => retention);
    const enough = group.length >= FEWEST;
    const line = enough ? trendOf(years, retentions, confidence) : undefined;
    const change = enough ? breakOf(retentions) : undefined;
    return group.map((row, at) => ({
      ...row,
      month,
      trend: line && line.intercept + line.slope * years[at]!,
      ...line,
      break_date: change && group[change.last]!.date,
      ...change,
      reason: enough
        ? null
        : `a trend needs ${FEWEST} periods with a retention, got ${group.length}`,
      confidence,
    }));
  });
  const result = tableOf(rows, [
    ["text", ...groupColumns(by)],
    ["date", "date"],
    ["whole", "month", "cohorts"],
    ["number", "size", "retention", "lower", "upper"],
    ["text", "bounds"],
    ["number", "trend", "slope", "slope_lower", "slope_upper", "p_value"],
    ["date", "break_date"],
    ["number", "break_f", "break_p_value"],
    ["text", "reason"],
    ["number", "confidence"],
  ]);
  return withProvenance(curves, result, fn);
}
