import { checkOptions, integer, oneOf } from "../../platform/check_options.ts";
import { mapLong } from "../../platform/long_work.ts";
import { counted } from "../../platform/terminal.ts";
import { dayOf, periodAt } from "../../schema/period.ts";
import { type DataFrame, type Frame, pl } from "../../table/columns/polars.ts";
import { amountUnit } from "../../table/read/retention_unit.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { columnIn } from "../../table/track/descriptions.ts";
import { withProvenance } from "../../table/show/show.ts";
import {
  BLOCKS_NOTE,
  CLUSTER_WORDS,
  COHORT_RULES,
  cohortGroups,
  trackedCohorts,
  usersAt,
  WASHOUT,
} from "./cohort_counts.ts";
import { arraysIn, refuseShared, tableOf } from "../columnar.ts";
import { breakOf, FEWEST_FOR_BREAK } from "./mean_break.ts";
import { sumOfUsers } from "./logit_estimate.ts";
import { fewUsers, retentionEstimate } from "./retention_estimate.ts";
import { AMOUNTS } from "../intervals.ts";
import { type CohortOptions, groupColumns, groupLabel } from "./retention_groups.ts";
import { benjaminiHochberg } from "./significance.ts";
import { COUNTED, requireCohortDates } from "./curve_table.ts";
import type { AtStage } from "./stage.ts";
import { meanOf } from "../sums.ts";
import { areLinked, dateEffects, DAYS_OF_YEAR, slopeOf, trendOf } from "../trend.ts";

const FEWEST = 8;

/** The column of the first days of periods. */
const PERIOD = "(period)";

/** Returns the periods of each group in order of date, each with the cells of its units. */
function periodsOf(
  curves: DataFrame,
  { by, confidence, cluster }: {
    readonly by: readonly string[];
    readonly confidence: number;
    readonly cluster: string | undefined;
  },
) {
  const { groups, keys: names } = cohortGroups(curves, {
    fn: "cohortTrend",
    by: [...by, PERIOD],
    inside: by,
    cluster,
    unitsOnly: true,
    washout: 0,
  });
  return names.toRecords().map((row, index) => {
    const group = groups[index]!;
    const found = retentionEstimate(usersAt(group, 0), { confidence });
    return {
      ...row,
      ...found,
      cluster: group.cluster,
      group: groupLabel(row, by),
      date: dayOf(row[PERIOD] as string),
      cohorts: group.cohorts[0],
      cells: (found.clusters.some(({ unit }) => unit !== undefined) ? found.clusters : [found])
        .map(({ unit = 0, size, retained }) => (
          {
            unit,
            retention: found.scale === AMOUNTS ? retained / size : Math.min(1, retained / size),
          }
        )),
    };
  }).filter(({ retention }) => retention >= 0).sort((a, b) => a.date - b.date);
}

type Period = ReturnType<typeof periodsOf>[number];

/** Returns the columns that describe the trend of a group, from its complete periods. */
function trendOfGroup(periods: readonly Period[], confidence: number) {
  if (periods.length < FEWEST) {
    return { fit: null, reason: `a trend needs ${FEWEST} complete periods, got ${periods.length}` };
  }
  const years = periods.map(({ date }) => date / DAYS_OF_YEAR);
  const cells = periods.flatMap((period, at) => period.cells.map((cell) => ({ ...cell, at })));
  const numbers = new Map<number, number>();
  for (const { unit } of cells) if (!numbers.has(unit)) numbers.set(unit, numbers.size);
  const panel = {
    unit: Int32Array.from(cells, ({ unit }) => numbers.get(unit)!),
    at: Int32Array.from(cells, ({ at }) => at),
    y: Float64Array.from(cells, ({ retention }) => retention),
  };
  if (numbers.size === cells.length) {
    return {
      fit: null,
      reason: "no unit has values in two complete periods: no trend within units",
    };
  }
  const hasEffects = areLinked(panel, periods.length);
  const pooled = periods.map(({ retention }) => retention);
  const line = trendOf(years, panel, confidence);
  const level = meanOf(pooled);
  const within = hasEffects
    ? Array.from(dateEffects(panel, periods.length), (effect) => level + effect)
    : [];
  const change = breakOf(within);
  return {
    fitted: new Map(periods.map(({ date }, at) => {
      const trend = level + line.slope * (years[at]! - meanOf(years));
      const half = line.halfAt(years[at]!);
      return [date, {
        within: within[at],
        trend,
        trend_lower: trend - half,
        trend_upper: trend + half,
      }];
    })),
    fit: {
      ...line,
      ...change,
      slope_pooled: slopeOf(years, pooled),
      break_date: periods[change.last]?.date,
    },
    reason: [
      ...periods.length < FEWEST_FOR_BREAK
        ? [`a break test needs ${FEWEST_FOR_BREAK} complete periods, got ${periods.length}`]
        : [],
      ...hasEffects ? [] : ["no units link all periods: within and the break are not known"],
      ...fewUsers({ ...sumOfUsers(periods), scale: periods[0]?.scale }),
      // Errors of the trend allow for shocks of one period, but not for units inside the group.
      ...numbers.size === 1 ? [BLOCKS_NOTE] : [],
    ].join("; ") || null,
  };
}

/**
 * Tests whether retention in one month changes with the date of the cohorts, within projects.
 *
 * Returns first one row `overall` per group, which is the one to cite, then one row `date` per group and period of
 * cohorts:
 *
 * | column | dtype | |
 * |---|---|---|
 * | `project_id`, `project_name`, or `market_sector_id`, `market_sector_name`, or neither | String | the group that the option `by` selects; no such columns for `"all"` |
 * | `row` | String | `overall` or `date` |
 * | `date` | Date | first day of the period in which the cohorts began; null in rows `overall` |
 * | `complete` | Boolean | whether all months of the period have cohorts that are observed in `month` and are tracked long enough. Incomplete quarters and years are not used for the trend and the break |
 * | `month` | Int64 | the option `month`: the month after first use whose retention is compared |
 * | `cohorts`, `size` | Int64, Float64 | number of cohorts, and number of their users |
 * | `retention`, `lower`, `upper`, `bounds` | Float64, String | pooled retention of the cohorts, with the bounds of `pooledRetention` |
 * | `cluster` | String | kind of the clusters of the bounds, as in `pooledRetention` |
 * | `within` | Float64 | retention without changes of the mix: the effect of the period within projects, on the level of the mean `retention`. Equal to `retention` if the group has one project; null if no projects link all periods |
 * | `trend`, `trend_lower`, `trend_upper` | Float64 | value of the fitted line at `date`: the line through `within` with the slope `slope`; and its bounds, from the same errors as those of the slope |
 * | `slope`, `slope_lower`, `slope_upper` | Float64 | change of retention per year within projects, and its bounds, as a fraction; 0.02 is 2 percentage points |
 * | `p_value`, `p_adjusted` | Float64 | p value of the slope; adjusted for the number of groups (Benjamini and Hochberg 1995) |
 * | `slope_pooled` | Float64 | change per year of the pooled `retention`: it also contains changes of the mix, as projects grow, enter or leave |
 * | `break_date` | Date | first day of the last period before the break; null without a test |
 * | `break_f`, `break_p_value`, `break_p_adjusted` | Float64 | F statistic of the break, its p value, and the p value adjusted for the number of groups |
 * | `rests_on` | String | number of complete periods, and of units, such as `24 months, 12 units` |
 * | `reason` | String | the reason why there is no trend, or no test of a break; what the trend leaves out, and whether it rests on fewer than 10 retained or lost users |
 * | `confidence` | Float64 | the confidence of the bounds |
 *
 * Only rows `overall` have the columns from `slope` on; only rows `date` have `date` to `trend_upper`, but for `month`.
 *
 * The slope is fitted by least squares to the retention of each project and period, with an effect for each project.
 * Each project counts once in a period, whatever its size. So a project that grows, or enters, changes `slope_pooled`
 * but not `slope`. The scores of all projects of a period are added up, because projects share the market (Driscoll and
 * Kraay 1998); the sums have the covariances of Newey and West (1987) with lag ⌊4 (n/100)^(2/9)⌋. These standard errors
 * are too small in short series. Therefore the t statistic of the slope is compared with the t statistics of 999
 * simulated series of equal length. The simulated series have no slope, and their errors have the autocorrelation of
 * the residuals.
 *
 * The break is the change of the mean of `within` with the largest F statistic. Changes in the first and the last 15%
 * of the periods are not considered (Andrews 1993). The p value comes from 999 simulated series without a break, with
 * the autocorrelation of `within`. A steady trend also makes `break_f` large, so read `p_value` and
 * `break_p_value` together. If a group has fewer than 8 complete periods, the trend, the slope and both tests are null;
 * with fewer than 20, the break is null, because it would be found too seldom: docs/coverage.md has the rates.
 *
 * @example Does month 3 improve from quarter to quarter?
 * ```ts
 * import { cohortAnalysis, cohortTrend, retentionCurves } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * const trend = cohortTrend(curves, { month: 3, every: "quarter" });
 * console.log(trend.select("row", "slope", "p_value", "break_date", "rests_on").head(1).toString());
 * ```
 *
 * @param curves a frame of `retentionCurves`
 * @throws {RangeError} when columns are missing, or an option is out of range.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function cohortTrend<Given extends DataFrame>(
  curves: Given & AtStage<Given, "curves">,
  options: {
    /**
     * The month of retention to compare, 1 to 1200.
     *
     * @default {1}
     */
    readonly month?: number;
    /**
     * The length of a period: `"month"`, `"quarter"` or `"year"`. All cohorts of a project that began in a period are
     * pooled into one value.
     *
     * @default {"month"}
     */
    readonly every?: "month" | "quarter" | "year";
  } & CohortOptions = {},
): Frame {
  const fn = "cohortTrend";
  const checked = checkOptions(options, {
    ...COHORT_RULES,
    month: integer(1, 1200),
    every: oneOf(["month", "quarter", "year"] as const),
  }, fn);
  const { month = 1, every = "month", by = [], washout = WASHOUT, confidence = 0.95 } = checked;
  requireColumns(curves, {
    fn,
    source: "a frame of retentionCurves",
    columns: ["cohort_date"],
    numbers: ["month", "size", "retained"],
  });
  requireCohortDates(curves, fn);
  if (CLUSTER_WORDS.includes(checked.cluster ?? "")) {
    throw new RangeError(`${fn}: cluster: must be a column of units; got "${checked.cluster}"`);
  }
  const born = pl.col("cohort_date").cast(pl.Date);
  const dated = trackedCohorts(
    curves.filter(pl.col("month").eq(month).and(pl.col("retained").isNotNull())),
    washout,
  ).filter(born.isNotNull());
  const { day: days } = arraysIn(dated.select(born.alias("day")), ["day"]);
  const length = { month: "1mo", quarter: "1q", year: "1y" }[every];
  const framed = dated.withColumn(born.dt.truncate(length).alias(PERIOD));
  const values = periodsOf(framed, { by, confidence, cluster: checked.cluster });
  const months = days.map((day) => periodAt(day, "month").start).sort();
  const isComplete = ({ date }: { readonly date: number }) =>
    date >= months[0]! && periodAt(periodAt(date, every).end, "month").start <= months.at(-1)!;
  const grouped = [...Map.groupBy(values, ({ group }) => group).values()];
  const groups = mapLong(
    grouped,
    { fn, what: () => counted(grouped.length, "group"), less: "fewer groups" },
    (periods) => ({ periods, ...trendOfGroup(periods.filter(isComplete), confidence) }),
  );
  const [slopes, breaks] = (["p_value", "break_p_value"] as const).map((name) =>
    benjaminiHochberg(groups.map(({ fit }) => fit?.[name] ?? NaN))
  );
  const keys = groupColumns(framed, by);
  const keysOf = (period: object) =>
    Object.fromEntries(Object.entries(period).filter(([name]) => keys.includes(name)));
  const overall = groups.map(({ periods, fit, reason }, index) => {
    const units = new Set(periods.flatMap(({ cells }) => cells.map(({ unit }) => unit))).size;
    const complete = counted(periods.filter(isComplete).length, every);
    return {
      ...keysOf(periods[0]!),
      ...fit,
      row: "overall",
      month,
      p_adjusted: slopes![index],
      break_p_adjusted: breaks![index],
      rests_on: units > 1 ? `${complete}, ${units} units` : complete,
      reason,
      confidence,
    };
  });
  const dates = groups.flatMap(({ periods, fitted }) =>
    periods.map((period) => ({
      ...period,
      ...fitted?.get(period.date),
      row: "date",
      month,
      complete: isComplete(period),
    }))
  );
  const columns = [
    ["text id", "row"],
    ["date", "date"],
    ["flag", "complete"],
    ["whole months", "month"],
    ["whole cohorts", "cohorts"],
    [
      amountUnit(curves, "size") === null ? "number users over groups" : "number field over groups",
      "size",
    ],
    ["number fraction", "retention", "lower", "upper"],
    ["text", "bounds", "cluster"],
    ["number fraction", "within", "trend", "trend_lower", "trend_upper"],
    ["number fraction", "slope", "slope_lower", "slope_upper"],
    ["number statistic", "p_value", "p_adjusted"],
    ["number fraction", "slope_pooled"],
    ["date", "break_date"],
    ["number statistic", "break_f", "break_p_value", "break_p_adjusted"],
    ["text", "rests_on", "reason"],
    ["number fraction", "confidence"],
  ] as const;
  refuseShared(keys, columns.flatMap(([, ...names]) => names), fn);
  const result = tableOf(
    [...overall, ...dates],
    [["key", ...keys], ...columns],
    columnIn(curves, "size"),
  );
  return withProvenance(curves, result, {
    fn,
    options,
    of: COUNTED,
    first: [
      ...["slope", "slope_lower", "slope_upper", "p_value"],
      ...["retention", "trend", "rests_on"],
    ],
  });
}
