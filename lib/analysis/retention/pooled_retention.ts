import { checkOptions } from "../../platform/check_options.ts";
import { mapLong } from "../../platform/long_work.ts";
import { counted, notify } from "../../platform/terminal.ts";
import { amountUnit } from "../../table/read/retention_unit.ts";
import { columnIn } from "../../table/track/descriptions.ts";
import type { DataFrame } from "../../table/columns/polars.ts";
import { withProvenance } from "../../table/show/show.ts";
import {
  COHORT_RULES,
  type CohortGroup,
  cohortGroups,
  ESTIMATE_RULE,
  type MonthUsers,
  type RetentionEstimator,
  usersAt,
  usersBy,
  usersUpTo,
  WASHOUT,
} from "./cohort_counts.ts";
import { COUNTED } from "./curve_table.ts";
import { tableOf, withKeys } from "../columnar.ts";
import { FEWEST_AMOUNTS, retentionEstimate } from "./retention_estimate.ts";
import { AMOUNTS } from "../intervals.ts";
import { NO_BLOCKS } from "./shared_shocks.ts";
import { sumOf } from "../sums.ts";
import type { CohortOptions } from "./retention_groups.ts";
import type { AtStage, Staged } from "./stage.ts";

/** If the lost fraction of the users at risk is below this limit, it is treated as a rounding error of sums. */
const ROUNDING = 1e-9;

/**
 * Returns for each month the product of the monthly fractions of users at risk who were not lost, up to this month (Kaplan
 * and Meier 1958, JASA 53, 457-481). It is 1 in month 0, which has no users at risk. Losses are negative if more users
 * returned than left. A month without observations is NaN. If none of the remaining users were observed in a month, this
 * month and all later months are NaN.
 */
function netActivity({ months, total }: CohortGroup): number[] {
  let left = 1;
  return months.map((month, at) => {
    const [risk, lost] = [total.atRisk[at]!, total.lost[at]!];
    if (!(total.size[at]! > 0)) return NaN;
    if (month === 0 || risk > 0 && Math.abs(lost) <= ROUNDING * risk) return left;
    if (risk > 0) left *= 1 - lost / risk;
    else if (left !== 0 || lost !== 0) left = NaN;
    return left;
  });
}

/**
 * Returns how long users stay, up to a month: the mean number of active months, or the amount in all months for each unit
 * of month 0. NaN means null.
 */
function cumulativeOf(
  { month, ...users }: MonthUsers,
  options: { readonly confidence: number; readonly estimate: RetentionEstimator },
) {
  const found = retentionEstimate({ month, ...users }, options);
  const times = found.scale === AMOUNTS ? 1 : month;
  return {
    cumulative: 1 + times * found.retention,
    cumulative_lower: 1 + times * found.lower,
    cumulative_upper: 1 + times * found.upper,
    found,
  };
}

/** The columns of how long users stay. */
export const CUMULATIVE = ["cumulative", "cumulative_lower", "cumulative_upper"] as const;

/** Prints a notice on bounds of amounts that rest on few units, on few dates, or on one unit. */
function noteAmounts(fn: string, groups: readonly CohortGroup[]): void {
  if (!groups.some(({ amount = null }) => amount !== null)) return;
  const told = groups.flatMap((group) => {
    const at = group.total.size.findLastIndex((size) => size > 0);
    if (at < 0) return [];
    const { cells, dates } = usersAt(group, at);
    const units = group.hasUnits ? usersBy(cells, ({ unit }) => unit!) : [];
    const most = units.reduce((most, { size }) => Math.max(most, size), 0);
    const largest = most / group.total.size[at]!;
    if (units.length < FEWEST_AMOUNTS) {
      // A group without units inside it is one unit.
      const count = group.cluster === "none" ? 0 : Math.max(1, units.length);
      return [`${counted(count, "unit")} of amounts: bounds need ${FEWEST_AMOUNTS}`];
    }
    return [
      ...dates === null ? [`fewer than three cohort dates: ${NO_BLOCKS}`] : [],
      ...largest > 0.5 ? [`one unit has ${Math.round(100 * largest)}% of the amount`] : [],
    ];
  });
  for (const [text, same] of Map.groupBy(told, (each) => each)) {
    notify(`${fn}: ${text}${groups.length > 1 ? ` (${counted(same.length, "group")})` : ""}`);
  }
}

/** Prints a notice if the area under a drawn curve is not its last cumulative value, because it mixes cohorts. */
function noteMixed(
  fn: string,
  rows: readonly {
    readonly group: number;
    readonly month: number;
    readonly retention: number;
    readonly cumulative: number;
  }[],
): void {
  const apart = [...Map.groupBy(rows, ({ group }) => group).values()].flatMap((own) => {
    const last = own.findLast(({ cumulative }) => cumulative >= 0);
    if (last === undefined || last.month === 0) return [];
    const under = own.filter(({ month }) => month >= 1 && month <= last.month);
    const area = 1 + sumOf(under.map(({ retention }) => retention));
    return Math.abs(area / last.cumulative - 1) > 0.01 ? [{ ...last, area }] : [];
  });
  const [first] = apart;
  if (first === undefined) return;
  const text = (value: number) => String(Number(value.toPrecision(3)));
  notify(
    `${fn}: cumulative counts only cohorts that have all months: to month ${first.month} it is ` +
      `${text(first.cumulative)}; the area under the curve, which mixes cohorts, is ` +
      `${text(first.area)}${apart.length > 1 ? ` (first of ${apart.length} groups)` : ""}`,
  );
}

/** Returns the rows of the result for one group, in order of month. NaN means null. */
function rowsOf(
  group: CohortGroup,
  { number, estimate, confidence }: {
    /** The index of the group. */
    readonly number: number;
    readonly estimate: RetentionEstimator;
    readonly confidence: number;
  },
) {
  const { months, total, cohorts, leftOut, cluster, amount = null } = group;
  // Users of different projects do not add up to the typical project. Amounts are not lost by users.
  const weighted = estimate === "weighted" && amount === null;
  const activities = weighted ? netActivity(group) : [];
  const upTo = usersUpTo(group);
  return months.map((month, at) => {
    const of = retentionEstimate(usersAt(group, at), { confidence, estimate });
    const { cumulative, cumulative_lower, cumulative_upper } = upTo[at] === undefined
      ? { cumulative: month === 0 && of.size > 0 ? 1 : NaN }
      : cumulativeOf(upTo[at], { confidence, estimate });
    // The clusters and cells of an estimate are not kept: a million rows would hold them.
    return {
      size: of.size,
      retained: of.retained,
      retention: of.retention,
      lower: of.lower,
      upper: of.upper,
      dispersion: of.dispersion,
      bounds: of.bounds,
      cumulative,
      cumulative_lower,
      cumulative_upper,
      month,
      cohorts: cohorts[at],
      at_risk: weighted && month > 0 ? total.atRisk[at] : NaN,
      lost: weighted && month > 0 && of.size > 0 ? total.lost[at] : NaN,
      net_activity: activities[at],
      clusters: cluster === "none" ? NaN : of.clusters.length,
      left_out: leftOut[at],
      cluster,
      confidence,
      group: number,
    };
  });
}

/**
 * Pools retention curves, with cohorts weighted by size. Returns one row per group and month.
 *
 * | column | dtype | |
 * |---|---|---|
 * | `project_id`, `project_name`, or `market_sector_id`, `market_sector_name`, or neither | String | the group that the option `by` selects; no such columns for `"all"` |
 * | `month` | Int64 | months since first use |
 * | `cohorts` | Int64 | number of cohorts with a value in this month |
 * | `size` | Float64 | number of users of these cohorts |
 * | `retained` | Float64 | number of retained users of these cohorts |
 * | `retention` | Float64 | `retained / size`, 0 to 1: the mean retention of these cohorts, weighted by size; with `estimate: "unweighted"`, the mean of the shares of the units |
 * | `lower`, `upper` | Float64 | bounds of `retention` |
 * | `at_risk` | Float64 | for the cohorts with a value in this month, the number of users who were active in the previous observed month; null in month 0 |
 * | `lost` | Float64 | for the cohorts counted in `at_risk`, the net loss of users since the previous observed month; negative if more users returned than left |
 * | `net_activity` | Float64 | the product of `1 - lost / at_risk` up to this month (Kaplan and Meier 1958, JASA 53, 457-481): the fraction of users that remains after the net losses of all months |
 * | `cumulative`, `cumulative_lower`, `cumulative_upper` | Float64 | how long users stay: the mean number of active months from month 0 to this month, 1 and the sum of `retained` of months 1 to this month / size, in cohorts that have all these months; and its bounds. Users return, so this is no survival time. Of amounts, the amount in all months for each unit of month 0. The area under the curve mixes cohorts: a notice says so where it differs by 1%. Bounds are null with fewer than 3 units |
 * | `cluster` | String | kind of the clusters: the column of units, such as `project_id`; or `cohort_block` or `none`. The bounds assume that clusters are independent, but for shocks that units share |
 * | `clusters` | Int64 | number of clusters with a value in this month; null if `cluster` is `none` |
 * | `dispersion` | Float64 | Pearson's chi-squared divided by its degrees of freedom; null if the bounds do not use clusters. It is about 1 if clusters differ only by chance. If it is 25, bounds that assume independent users would be five times too narrow |
 * | `bounds` | String | method of `lower` and `upper` (`cluster`, `block` or `binomial`), or the reason why they are null (`one_cluster`, `few_units`, `edge` or `month_0`). Null if `retention` is null |
 * | `left_out` | Int64 | number of cohorts that have a value but are left out by `washout` |
 * | `confidence` | Float64 | the confidence of the bounds, the same in every row: 0.95 for 95% |
 *
 * Bounds by clusters (`cluster`, `block`) are symmetric on the logit scale. Their half-width is the delete-one-cluster
 * jackknife standard error (Tukey 1958) times the quantile of Student's t. The degrees of freedom are `N² / Σn² - 1`,
 * but at least 1, where n is the number of users of a cluster and N is the number of users of all clusters (Kish 1965).
 * Bounds by clusters are at least as wide as Wilson's bounds. For blocks, the cohorts are sorted by `cohort_date` and
 * divided into three runs. Blocks are used because neighboring cohorts of a project live through the same months, so
 * they are not independent.
 *
 * Bounds by units (`cluster`) also allow for shocks that all units share at one time, if the cohorts have three dates or
 * more. The variance is `V_units + max(0, V_blocks - V_binomial)` (two-way clustering: Cameron, Gelbach and Miller 2011,
 * Journal of Business and Economic Statistics 29, 238-249). `V_units` is the jackknife over units, `V_blocks` that over
 * three blocks of successive cohort dates, and `V_binomial` is `1 / retained + 1 / lost`, the variance if users are
 * independent. The degrees of freedom are Satterthwaite's. The bounds are never narrower than those by units alone.
 *
 * Bounds by clusters are null in three cases. `one_cluster`: there is only one cluster, or fewer than three cohorts to divide into blocks. `edge`: none or all users are retained, or the amounts of all units change by the same factor. `month_0`: retention is 1 by
 * definition. `binomial` means Wilson's bounds, which assume independent users.
 *
 * The unit of independence is what remains of the entity of the rows when the columns of `by`, and the columns that
 * these determine, are taken out: `project_id` for `by: "market_sector_id"`, and `funnel` for `by: "country"` if a
 * cohort has a country and a funnel. If nothing remains, the clusters are blocks of cohorts. The users of a group are
 * then one unit: differences between units inside it are not in the interval.
 *
 * `estimate: "unweighted"` estimates what the typical unit of a group retains: the mean of the shares of its k units.
 * Each unit counts once, whatever its size. The error is s/√k, where s is the standard deviation of the shares; if all
 * shares are equal, that of independent users. It is converted to the logit scale by the delta method. The bounds use
 * Student's t with k - 1 degrees of freedom. The columns `at_risk`, `lost` and `net_activity` are then null.
 *
 * Each month uses the cohorts that have a value in this month, so later months use fewer cohorts: see `cohorts` and
 * `size`. `retention` divides by the initial size of these cohorts, so it can rise when cohorts with lower retention
 * drop out. `net_activity` is a product over months. The factor of a month uses only cohorts that are observed in this
 * month and in the previous observed month. Cohorts of size 0 or unknown size are not counted. A month without cohorts
 * has a row, in which `cohorts` and `size` are 0 and the estimates are null.
 *
 * @example One curve per market sector
 * ```ts
 * import { cohortAnalysis, pooledRetention, retentionCurves } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * const bySector = pooledRetention(curves, { by: "market_sector_id" });
 * console.log(bySector.toString());
 * ```
 *
 * @param curves a frame of `retentionCurves`; `tracked_months` may be missing
 * @throws {RangeError} when columns are missing, a value is impossible, an option is out of range, the frame is
 * already pooled, two rows have the same entity, cohort and month, several columns remain as the unit, or `"unweighted"` is
 * requested without units.
 * @throws {TypeError} when a column that must be numeric is not.
 * @category Analysis
 */
export function pooledRetention<Given extends DataFrame>(
  curves: Given & AtStage<Given, "curves">,
  options: {
    /**
     * The estimate in the column `retention`: `"weighted"`, the retention of all users of the group, or
     * `"unweighted"`, the mean of the shares of its units.
     *
     * @default {"weighted"}
     */
    readonly estimate?: "weighted" | "unweighted";
  } & CohortOptions = {},
): Staged<"pooled"> {
  const fn = "pooledRetention";
  const checked = checkOptions(options, { ...COHORT_RULES, ...ESTIMATE_RULE }, fn);
  const { by = [], estimate = "weighted", washout = WASHOUT, confidence = 0.95 } = checked;
  const { groups, keys } = cohortGroups(curves, { ...checked, fn, by, estimate, washout });
  const rows = mapLong(
    [...groups.entries()],
    { fn, what: () => counted(groups.length, "group"), less: "fewer groups" },
    ([number, group]) => rowsOf(group, { number, estimate, confidence }),
  ).flat();
  const amount = amountUnit(curves, "size");
  const counts = amount === null ? "number users over groups" : "number field over groups";
  noteAmounts(fn, groups);
  noteMixed(fn, rows);
  const table = tableOf(rows, [
    ["whole months", "month"],
    ["whole cohorts", "cohorts"],
    [counts, "size", "retained"],
    ["number fraction", "retention", "lower", "upper"],
    [counts, "at_risk", "lost"],
    ["number fraction", "net_activity"],
    [amount === null ? "number months" : "number", ...CUMULATIVE],
    ["text", "cluster"],
    ["whole clusters", "clusters"],
    ["number statistic", "dispersion"],
    ["text", "bounds"],
    ["whole", "left_out"],
    ["number fraction", "confidence"],
  ], columnIn(curves, "size"));
  return withProvenance(
    curves,
    withKeys(table, keys, { fn, groups: rows.map(({ group }) => group) }),
    {
      fn,
      options,
      of: COUNTED,
      first: ["retention", "lower", "upper", "size"],
    },
  );
}
