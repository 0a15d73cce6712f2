import { boolean, checkOptions, integer, oneOf, type Refuse } from "../platform/check_options.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { withProvenance } from "../table/show.ts";
import {
  COHORT_RULES,
  type CohortGroup,
  cohortGroups,
  groupColumns,
  type RetentionCluster,
  WASHOUT,
} from "./cohort_counts.ts";
import { tableOf } from "./columns.ts";
import { LONGEST } from "./curve_table.ts";
import { normalTails } from "./distributions.ts";
import { type RetentionEstimate, retentionEstimate } from "./retention_estimate.ts";
import { benjaminiHochberg, logRank, retentionTest } from "./significance.ts";
import type { AtStage, Staged } from "./stage.ts";

/** The columns by which groups can be compared. */
export const COMPARED_GROUPS = ["project_id", "market_sector_id"] as const;

function someMonths(value: unknown, refuse: Refuse): number[] {
  const months = Array.isArray(value) ? value : [value];
  if (months.length === 0) refuse("must name a month, or list months");
  return [...new Set(months.map((month) => integer(0, LONGEST)(month, refuse)))];
}

/** A group and its retention in one month. */
export interface Compared {
  readonly group: CohortGroup;
  readonly id: string | null;
  readonly month: number;
  readonly estimate: RetentionEstimate;
}

/** Returns all pairs of groups for each month, in order of first appearance. */
export function comparedPairs(
  curves: DataFrame,
  { fn, by, months, cluster, washout, confidence }: {
    readonly fn: string;
    readonly by: typeof COMPARED_GROUPS[number];
    readonly months: readonly number[];
    /** The kind of clusters. By default: projects if sectors are compared, blocks if projects are compared. */
    readonly cluster?: RetentionCluster | undefined;
    readonly washout: number;
    readonly confidence: number;
  },
): (readonly [Compared, Compared])[] {
  const has = (name: string) => pl.DataFrame.isDataFrame(curves) && curves.columns.includes(name);
  const usual = by === "project_id" ? "cohort_block" : has("project_id") ? "project_id" : undefined;
  const { groups, keys } = cohortGroups(curves, {
    fn,
    keys: groupColumns(by),
    cluster: cluster ?? usual,
    washout,
  });
  const ids = keys.getColumn(by).toArray() as (string | null)[];
  return months.flatMap((month) => {
    const known = groups[0]?.months ?? [month];
    const at = known.indexOf(month);
    if (at < 0) {
      throw new RangeError(`${fn}: month: expected one of ${known.join(", ")}; got ${month}`);
    }
    const compared = groups.map((group, index): Compared => {
      const estimate = retentionEstimate(group, at, { confidence });
      return { group, month, id: ids[index] ?? null, estimate };
    });
    return compared.flatMap((a, index) => compared.slice(index + 1).map((b) => [a, b] as const));
  });
}

function pairOf([a, b]: readonly [Compared, Compared], confidence: number) {
  const blocks = a.group.cluster === "cohort_block";
  const [of, other] = [a.estimate, b.estimate];
  const clusters = ({ group, estimate }: Compared) =>
    group.cluster === "none" ? NaN : estimate.clusters.length;
  const chi = logRank(a.group.total, b.group.total);
  return {
    ...retentionTest(of, other, { confidence, blocks }),
    group_a: a.id,
    group_b: b.id,
    month: a.month,
    retention_a: of.retention,
    retention_b: other.retention,
    difference: of.retention - other.retention,
    cluster_a: a.group.cluster,
    clusters_a: clusters(a),
    cluster_b: b.group.cluster,
    clusters_b: clusters(b),
    log_rank: chi,
    log_rank_p_value: normalTails(Math.sqrt(chi)),
    confidence,
  };
}

/**
 * Compares the retention of projects or market sectors in one or several months. Returns one row for each month and
 * pair of groups, in order of first appearance.
 *
 * | column | dtype | |
 * |---|---|---|
 * | `group_a`, `group_b` | String | ids of the two groups |
 * | `month` | Int64 | the month |
 * | `retention_a`, `retention_b` | Float64 | the retention of each group, pooled over its cohorts; null if the group has no cohorts |
 * | `difference` | Float64 | `retention_a - retention_b`, -1 to 1 |
 * | `lower`, `upper` | Float64 | bounds of `difference`; null if there is no test, or if `test` is `new_observation`. They include 0 if `p_value` is above 1 - `confidence` |
 * | `test` | String | `welch`, `new_observation` or `score`; null if there is no test |
 * | `cluster_a`, `cluster_b` | String | kind of the clusters of each group: `project_id`, `cohort_block`, `cohort` or `none`. The tests assume that clusters are independent |
 * | `clusters_a`, `clusters_b` | Int64 | for each group, the number of clusters that have a value in the month; null if the kind is `none` |
 * | `p_value` | Float64 | probability of a difference at least as large as the observed difference if both groups had the same retention; null if there is no test |
 * | `p_adjusted` | Float64 | `p_value` adjusted for the number of rows: of the rows with `p_adjusted` below 0.05, at most 5% are expected to be false findings (Benjamini and Hochberg 1995, Journal of the Royal Statistical Society B 57, 289-300) |
 * | `reason` | String | the reason why there is no test; null if there is a test |
 * | `log_rank` | Float64 | with `logRank` only: the log-rank statistic of the whole curves, from the users at risk and the lost users of every month. It is chi-squared with one degree of freedom (Mantel 1966) and ignores clusters; null if more users returned than left in some month |
 * | `log_rank_p_value` | Float64 | with `logRank` only: the p value of `log_rank`. It assumes that users are independent, so it is too small if projects or cohorts differ |
 * | `confidence` | Float64 | the confidence of the bounds, the same in every row: 0.95 for 95% |
 *
 * The p value comes from one of these tests:
 *
 * - `welch`, if both groups have two or more clusters: Welch's t test of the logits (1947). The standard errors and
 *   their degrees of freedom are those of `pooledRetention`. A standard error is at least as large as if users were
 *   independent. Let m be the weighted mean of the two logits, where the weight of each logit is the variance v of the
 *   other logit. A confidence limit d of the difference of the logits becomes the bound
 *   `expit(m + d·v_a/(v_a+v_b)) - expit(m - d·v_b/(v_a+v_b))`. Therefore the bounds agree with the test.
 * - `new_observation`, if one group has one cluster and the other group has several: tests whether the logit of the
 *   single cluster is from the population of the logits of the other group's clusters (Crawford and Howell 1998). If a
 *   cluster retains none or all of its users, half a user is added.
 * - `score`, if users are treated as independent: the score test of two proportions, with Newcombe's bounds (1998,
 *   method 10).
 *
 * There is no test if both groups have only one cluster, if a group has fewer than three cohorts to divide into blocks,
 * or if a group retains none or all of its users. `reason` states which of these cases applies.
 *
 * @example Which sectors differ in their third month?
 * ```ts
 * import { cohortAnalysis, compareRetention, retentionCurves } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * const pairs = compareRetention(curves, { by: "market_sector_id", month: 3 });
 * console.log(pairs.sort("p_adjusted").toString());
 * ```
 *
 * @param curves a frame of `retentionCurves`
 * @throws {RangeError} when columns are missing, a value is impossible, an option is out of range, the frame is pooled,
 * or the frame does not have the month.
 * @throws {TypeError} when a column that must be numeric is not.
 * @category Analysis
 */
export function compareRetention<Frame extends DataFrame>(
  curves: Frame & AtStage<Frame, "curves">,
  options: {
    /**
     * Groups to compare: `"project_id"` or `"market_sector_id"`.
     *
     * @default {"project_id"}
     */
    readonly by?: "project_id" | "market_sector_id";
    /**
     * The month in which retention is compared, or several months.
     *
     * @default {1}
     */
    readonly month?: number | readonly number[];
    /**
     * The kind of the clusters. The tests assume that clusters are independent of each other, as in `pooledRetention`.
     *
     * @default {`"cohort_block"` for projects, `"project_id"` for market sectors}
     */
    readonly cluster?: "project_id" | "cohort_block" | "cohort" | "none";
    /**
     * Leaves out cohorts with fewer `tracked_months` than this, as in `pooledRetention`.
     *
     * @default {3}
     */
    readonly washout?: number;
    /**
     * Adds `log_rank` and `log_rank_p_value`. This test compares whole curves and assumes that users are independent.
     *
     * @default {false}
     */
    readonly logRank?: boolean;
    /**
     * The confidence of the bounds of each difference, between 0 and 1.
     *
     * @default {0.95}
     */
    readonly confidence?: number;
  } = {},
): Staged<"compared"> {
  const fn = "compareRetention";
  const checked = checkOptions(options, {
    ...COHORT_RULES,
    by: oneOf(COMPARED_GROUPS),
    month: someMonths,
    logRank: boolean,
  }, fn);
  const { by = "project_id", month: months = [1], washout = WASHOUT, confidence = 0.95 } = checked;
  const { cluster } = checked;
  const pairs = comparedPairs(curves, { fn, by, months, cluster, washout, confidence })
    .map((pair) => pairOf(pair, confidence));
  const adjusted = benjaminiHochberg(pairs.map(({ p_value }) => p_value));
  const rows = pairs.map((pair, index) => ({ ...pair, p_adjusted: adjusted[index] }));
  const compared = tableOf(rows, [
    ["text", "group_a", "group_b"],
    ["whole", "month"],
    ["number", "retention_a", "retention_b", "difference", "lower", "upper"],
    ["text", "test", "cluster_a"],
    ["whole", "clusters_a"],
    ["text", "cluster_b"],
    ["whole", "clusters_b"],
    ["number", "p_value", "p_adjusted"],
    ["text", "reason"],
    ["number", ...checked.logRank ? ["log_rank", "log_rank_p_value"] : [], "confidence"],
  ]);
  return withProvenance(curves, compared, fn);
}
