import { checkOptions, oneOf } from "../platform/check_options.ts";
import type { DataFrame } from "../table/polars.ts";
import { withProvenance } from "../table/show.ts";
import {
  COHORT_RULES,
  type CohortGroup,
  cohortGroups,
  groupColumns,
  WASHOUT,
} from "./cohort_counts.ts";
import { GROUP, tableOf, withKeys } from "./columns.ts";
import { NO_INTERVAL } from "./intervals.ts";
import { netActivity } from "./net_activity.ts";
import {
  RETENTION_ESTIMATES,
  retentionEstimate,
  type RetentionEstimator,
} from "./retention_estimate.ts";
import type { AtStage, Staged } from "./stage.ts";

/** Returns the rows of the result for one group, in order of month. NaN means null. */
function rowsOf(group: CohortGroup, estimate: RetentionEstimator, confidence: number) {
  const { months, total, cohorts, leftOut, cluster } = group;
  const weighted = estimate === "weighted";
  const activities = netActivity(group, confidence);
  return months.map((month, at) => {
    const of = retentionEstimate(group, at, { confidence, estimate });
    const activity = weighted ? activities[at]! : { left: NaN, ...NO_INTERVAL };
    return {
      ...of,
      month,
      cohorts: cohorts[at],
      at_risk: month === 0 ? NaN : total.atRisk[at],
      lost: month === 0 || of.size === 0 ? NaN : total.lost[at],
      net_activity: activity.left,
      net_activity_lower: activity.lower,
      net_activity_upper: activity.upper,
      clusters: cluster === "none" ? NaN : of.clusters.length,
      left_out: leftOut[at],
      cluster,
    };
  });
}

/**
 * Pools retention curves, with cohorts weighted by size. Returns one row per group and month.
 *
 * | column | dtype | |
 * |---|---|---|
 * | `project_id`, `project_name`, or `market_sector_id`, `market_sector_name`, or neither | String | the group that the option `by` selects; no such columns for `"all"` |
 * | `month` | Int64 | 0 to 11 |
 * | `cohorts` | Int64 | number of cohorts with a value in this month |
 * | `size` | Float64 | number of users of these cohorts |
 * | `retained` | Float64 | number of retained users of these cohorts |
 * | `retention` | Float64 | `retained / size`, 0 to 1: the mean retention of these cohorts, weighted by size |
 * | `lower`, `upper` | Float64 | bounds of `retention` |
 * | `at_risk` | Float64 | for the cohorts with a value in this month, the number of users who were active in the previous observed month; null in month 0 |
 * | `lost` | Float64 | for the cohorts counted in `at_risk`, the net loss of users since the previous observed month; negative if more users returned than left |
 * | `net_activity` | Float64 | the product of `1 - lost / at_risk` up to this month (Kaplan and Meier 1958, JASA 53, 457-481): the fraction of users that remains after the net losses of all months; null for random effects |
 * | `net_activity_lower`, `net_activity_upper` | Float64 | bounds of `net_activity`; null from the first month that has only one cluster |
 * | `tau2` | Float64 | the variance of the logits between projects; null unless `estimate` is `"random-effects"` |
 * | `cluster` | String | kind of the clusters: `project_id`, `cohort_block`, `cohort` or `none`. The bounds assume that clusters are independent |
 * | `clusters` | Int64 | number of clusters with a value in this month; null if `cluster` is `none` |
 * | `dispersion` | Float64 | Pearson's chi-squared divided by its degrees of freedom; null if the bounds do not use clusters. It is about 1 if clusters differ only by chance. If it is 25, bounds that assume independent users would be five times too narrow |
 * | `bounds` | String | method of `lower` and `upper` (`cluster`, `block` or `binomial`), or the reason why they are null (`one_cluster`, `edge` or `month_0`). Null if `retention` is null |
 * | `left_out` | Int64 | number of cohorts that have a value but are left out by `washout` |
 * | `confidence` | Float64 | the confidence of the bounds, the same in every row: 0.95 for 95% |
 *
 * Bounds by clusters (`cluster`, `block`) are symmetric on the logit scale. Their half-width is the delete-one-cluster
 * jackknife standard error (Tukey 1958) times the quantile of Student's t. The degrees of freedom are `N² / Σn² - 1`,
 * but at least 1, where n is the number of users of a cluster and N is the number of users of all clusters (Kish 1965).
 * Bounds by clusters are at least as wide as Wilson's bounds. For blocks, the cohorts are sorted by `cohort_date` and
 * divided into three runs. Blocks are used because neighboring cohorts of a project live through the same months, so
 * they are not independent. Bounds by clusters are null in three cases. `one_cluster`: there is only one cluster, or
 * fewer than three cohorts to divide into blocks. `edge`: none or all users are retained. `month_0`: retention is 1 by
 * definition. `binomial` means Wilson's bounds, which assume independent users.
 *
 * Bounds of `net_activity` use the same clusters as `lower` and `upper`, on the log(-log) scale. They are at least as
 * wide as Greenwood's bounds (1926). With `cluster: "none"`, only Greenwood's bounds are used. Greenwood's bounds are
 * null from the first month in which more users returned than left.
 *
 * `estimate: "random-effects"` estimates the retention of the median project of each group, by the method of
 * DerSimonian and Laird (1986) on logits. The standard error is that of Hartung and Knapp (2001). If a project retains
 * none or all of its users, half a user is added. If there are fewer than three projects, `retention` is null.
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
 * @param curves a frame of `retentionCurves`; `retained` and `tracked_months` may be missing
 * @throws {RangeError} when columns are missing, a value is impossible, an option is out of range, the frame is
 * already pooled, or random effects are requested for single projects.
 * @throws {TypeError} when a column that must be numeric is not.
 * @category Analysis
 */
export function pooledRetention<Frame extends DataFrame>(
  curves: Frame & AtStage<Frame, "curves">,
  options: {
    /**
     * The groups: `"project_id"`, `"market_sector_id"` or `"all"`.
     *
     * @default {"all"}
     */
    readonly by?: "project_id" | "market_sector_id" | "all";
    /**
     * The estimate in the column `retention`: `"weighted"`, the retention of all users of the group, or
     * `"random-effects"`, the retention of its median project.
     *
     * @default {"weighted"}
     */
    readonly estimate?: "weighted" | "random-effects";
    /**
     * The kind of the clusters: `"project_id"`, `"cohort_block"` (three blocks of neighboring cohorts), `"cohort"`, or
     * `"none"`. Bounds assume that clusters are independent of each other. With `"none"`, bounds assume that users are
     * independent, and ignore differences between projects and cohorts.
     *
     * @default {`"project_id"` for a group of several projects, else `"cohort_block"`}
     */
    readonly cluster?: "project_id" | "cohort_block" | "cohort" | "none";
    /**
     * Leaves out cohorts with fewer `tracked_months` than this, because such cohorts include people who used the
     * project before tracking began. `1` leaves out only the first tracked month. `0` keeps all cohorts.
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
): Staged<"pooled"> {
  const fn = "pooledRetention";
  const checked = checkOptions(options, {
    ...COHORT_RULES,
    estimate: oneOf(RETENTION_ESTIMATES),
  }, fn);
  const { by = "all", estimate = "weighted", washout = WASHOUT, confidence = 0.95 } = checked;
  const random = estimate === "random-effects";
  const { cluster = random ? "project_id" : undefined } = checked;
  if (random && (by === "project_id" || cluster !== "project_id")) {
    const given = by === "project_id" ? `by: "${by}"` : `cluster: "${cluster}"`;
    throw new RangeError(
      `${fn}: estimate: "random-effects" compares the projects of a group, got ${given}; ` +
        'pass by: "market_sector_id" or "all", and no cluster',
    );
  }
  const { groups, keys } = cohortGroups(curves, { fn, keys: groupColumns(by), cluster, washout });
  const rows = groups.flatMap((group, number) =>
    rowsOf(group, estimate, confidence)
      .filter((_, month) => group.present[month] === 1)
      .map((row) => ({ ...row, confidence, [GROUP]: number }))
  );
  const table = tableOf(rows, [
    ["number", GROUP],
    ["whole", "month", "cohorts"],
    ["number", "size", "retained", "retention", "lower", "upper", "at_risk", "lost"],
    ["number", "net_activity", "net_activity_lower", "net_activity_upper", "tau2"],
    ["text", "cluster"],
    ["whole", "clusters"],
    ["number", "dispersion"],
    ["text", "bounds"],
    ["whole", "left_out"],
    ["number", "confidence"],
  ]);
  return withProvenance(curves, withKeys(table, keys), fn);
}
