import { checkOptions, integer, oneOf } from "../platform/check_options.ts";
import { dayOf, periodAt } from "../schema/period.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { withProvenance } from "../table/show.ts";
import { groupColumns, RETENTION_GROUPS, WASHOUT } from "./cohort_counts.ts";
import { columnsOf, tableOf } from "./columns.ts";
import { pooledRetention } from "./pooled_retention.ts";
import { aConfidence } from "./intervals.ts";
import { breakOf, trendOf } from "./trend.ts";
import type { AtStage } from "./stage.ts";

const COHORT_PERIODS = ["month", "quarter", "year"] as const;
const FEWEST = 8;
const DAYS_OF_YEAR = 365.25;

const RULES = {
  month: integer(1, 1200),
  every: oneOf(COHORT_PERIODS),
  by: oneOf(RETENTION_GROUPS),
  washout: integer(0),
  confidence: aConfidence,
};

/**
 * The curves of cohorts with enough tracked months, or an unknown number, without the column by which pooling drops
 * cohorts.
 */
export function tracked(curves: DataFrame, washout: number): DataFrame {
  const months = pl.col("tracked_months");
  const kept = curves.columns.includes("tracked_months")
    ? curves.filter(months.isNull().or(months.gtEq(washout)))
    : curves;
  const notes = ["tracked_months", "left_truncated"];
  return kept.select(...kept.columns.filter((name) => !notes.includes(name)));
}

/** The retention of the cohorts of one period. */
interface Value {
  readonly day: number;
  readonly row: Readonly<Record<string, unknown>>;
  readonly retention: number;
}

/** The result for the values of one group. */
function statementOf(values: readonly Value[], confidence: number) {
  if (values.length < FEWEST) {
    const reason = `a trend needs ${FEWEST} periods with a retention, got ${values.length}`;
    return { trend: null, change: null, reason };
  }
  const [xs, ys] = [
    values.map(({ day }) => day / DAYS_OF_YEAR),
    values.map(({ retention }) => retention),
  ];
  return { trend: trendOf(xs, ys, confidence), change: breakOf(ys), reason: null };
}

/** The value of each period and group, by period. */
function valuesOf(
  curves: DataFrame,
  { month, every, by, confidence }: Required<
    Omit<NonNullable<Parameters<typeof cohortTrend>[1]>, "washout">
  >,
): Value[] {
  const days = [
    ...new Set(
      (curves.getColumn("cohort_date").toArray() as unknown as (Date | null)[])
        .filter((date) => date !== null).map((date) => periodAt(dayOf(date), every).start),
    ),
  ].sort((a, b) => a - b);
  return days.flatMap((day) => {
    const { start, end } = periodAt(day, every);
    const born = pl.col("cohort_date").cast(pl.Int64);
    // A cohort without this month is left out.
    const own = curves.filter(born.gtEq(pl.lit(start)).and(born.ltEq(pl.lit(end))));
    return pooledRetention(own, { by, confidence })
      .filter(pl.col("month").eq(pl.lit(month))).filter(pl.col("retention").isNotNull())
      .toRecords().map((row) => ({ day, row, retention: row.retention as number }));
  });
}

/**
 * Tests whether retention in one month changes with the date of the cohorts.
 *
 * Returns one row per group and period of cohorts:
 *
 * | column | dtype | |
 * |---|---|---|
 * | `project_id`, `project_name`, or `market_sector_id`, `market_sector_name`, or neither | String | the group, by `by` |
 * | `date` | Date | first day of the period in which the cohorts began |
 * | `month` | Int64 | compared month of the cohorts |
 * | `cohorts`, `size` | Int64, Float64 | number of cohorts, and of their users |
 * | `retention`, `lower`, `upper`, `bounds` | Float64, String | as in `pooledRetention`, for these cohorts |
 * | `trend` | Float64 | the fitted line at the date |
 * | `slope`, `slope_lower`, `slope_upper` | Float64 | change of retention per year, a fraction: 0.02 is 2 percentage points |
 * | `p_value` | Float64 | p value of the slope |
 * | `break_date` | Date | the last period before the largest change of the mean |
 * | `break_f`, `break_p_value` | Float64 | the F of that change, and its p value |
 * | `reason` | String | reason for a missing trend; else null |
 * | `confidence` | Float64 | the confidence of the bounds |
 *
 * The line is fitted to the periods by least squares, all of the same weight, with the standard errors of Newey
 * and West (1987), lag ⌊4 (n/100)^(2/9)⌋. These are too small in short series, so t is compared with 999 simulated
 * series without a slope, of the same length and autocorrelation of errors. The break is the largest F of a change
 * of the mean over all periods but the outer 15% (Andrews 1993); its p value is by 999 permutations of blocks of
 * ⌈n^(1/3)⌉ periods with a fixed seed. A steady trend also makes a large F: read both. Fewer than 8 periods have
 * no trend.
 *
 * Measured in 1 000 series of 16 to 60 periods without a break: `break_p_value` is at most .05 in 5 to 7% with
 * independent errors, and in 12 to 15% with an autocorrelation of .5, so ask for .01 there. Below 16 periods there
 * are too few blocks: 1 to 3%, and real breaks are seldom found.
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
     * The cohorts pooled into one value: those of a `"month"`, a `"quarter"` or a `"year"`.
     *
     * @default {"month"}
     */
    readonly every?: "month" | "quarter" | "year";
    /**
     * Group of one trend: `"project_id"`, `"market_sector_id"` or `"all"`.
     *
     * @default {"all"}
     */
    readonly by?: "project_id" | "market_sector_id" | "all";
    /**
     * Leaves out cohorts with fewer tracked months. The first cohorts include users from before tracking began, who stay
     * longer, so retention would seem to fall.
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
  const checked = checkOptions(options, RULES, fn);
  const { month = 1, every = "month", by = "all", washout = WASHOUT, confidence = 0.95 } = checked;
  requireColumns(curves, {
    fn,
    source: "a frame of retentionCurves",
    columns: ["cohort_date", ...(by === "all" ? [] : [by])],
    numbers: ["month", "size", "retention"],
  });
  const values = valuesOf(tracked(curves, washout), { month, every, by, confidence });
  const groups = new Map<unknown, Value[]>();
  for (const value of values) {
    const id = by === "all" ? null : value.row[by];
    groups.set(id, [...groups.get(id) ?? [], value]);
  }
  const rows = [...groups.values()].flatMap((group) => {
    const { trend, change, reason } = statementOf(group, confidence);
    return group.map(({ day, row }) => ({
      ...row,
      date: day,
      trend: trend && trend.intercept + trend.slope * day / DAYS_OF_YEAR,
      slope: trend?.slope,
      slope_lower: trend?.lower,
      slope_upper: trend?.upper,
      p_value: trend?.p,
      break_date: change && group[change.last]!.day,
      break_f: change?.f,
      break_p_value: change?.p,
      reason,
    }));
  });
  const result = tableOf(rows, {
    ...columnsOf("text", groupColumns(by)),
    date: "date",
    ...columnsOf("whole", ["month", "cohorts"]),
    ...columnsOf("number", ["size", "retention", "lower", "upper"]),
    bounds: "text",
    ...columnsOf("number", ["trend", "slope", "slope_lower", "slope_upper", "p_value"]),
    break_date: "date",
    ...columnsOf("number", ["break_f", "break_p_value"]),
    reason: "text",
    confidence: "number",
  });
  return withProvenance(curves, result, fn);
}
