import { checkOptions, integer, number, oneOf } from "../platform/check_options.ts";
import type { DataFrame } from "../table/polars.ts";
import { withProvenance } from "../table/show.ts";
import { chanceOf } from "./chance.ts";
import { WASHOUT } from "./cohort_counts.ts";
import { tableOf } from "./columns.ts";
import { type Compared, COMPARED_GROUPS, comparedPairs } from "./compare_retention.ts";
import { expit } from "./intervals.ts";
import { clusterLogit, clusterSpread, type ClusterUsers } from "./retention_estimate.ts";
import { welchTest } from "./significance.ts";
import type { AtStage } from "./stage.ts";
import { meanOf, sumOf } from "./sums.ts";

const DRAWS = 1000;
const LEVEL = 0.05;
/** The largest difference of logits that the search considers: retentions of 2% and 98% differ by about 8. */
const FARTHEST = 8;
const STEPS = 10;

/**
 * Draws a random number of retained users from the binomial distribution. Uses the normal approximation if the variance
 * is above 9.
 */
function retainedOf(
  size: number,
  p: number,
  { uniform, normal }: ReturnType<typeof chanceOf>,
): number {
  if (p > 0.5) return size - retainedOf(size, 1 - p, { uniform, normal });
  const variance = size * p * (1 - p);
  if (variance > 9) {
    return Math.min(size, Math.max(0, Math.round(size * p + Math.sqrt(variance) * normal())));
  }
  // Each step skips the lost users before the next retained user.
  let [count, at] = [-1, 0];
  for (; at <= size; count++) at += Math.ceil(Math.log(uniform()) / Math.log1p(-p));
  return count;
}

/**
 * Returns the p value that `compareRetention` computes for two groups with two or more clusters each. Returns NaN if
 * `compareRetention` has no test for these groups.
 */
export function clustersTest(
  one: readonly ClusterUsers[],
  other: readonly ClusterUsers[],
): number {
  const edge = [one, other].some((clusters) =>
    clusters.every(({ retained }) => retained === 0) ||
    clusters.every(({ size, retained }) => retained === size)
  );
  return edge ? NaN : welchTest(one, other, 1 - LEVEL).p_value;
}

/**
 * Returns the smallest difference of logits that the test finds in a fraction `power` of the simulations. `sizes` lists
 * the sizes of the clusters of both groups. Returns null if the search finds no such difference.
 */
function smallest(
  sizes: readonly (readonly number[])[],
  { middle, tau2, power }: {
    /** The mean of the two groups' mean logits. */
    readonly middle: number;
    readonly tau2: number;
    readonly power: number;
  },
): number | null {
  const isFound = (difference: number) => {
    const chance = chanceOf(29);
    let found = 0;
    for (let draw = 0; draw < DRAWS; draw++) {
      const [a, b] = sizes.map((users, side) => {
        const center = middle + (side === 0 ? 0.5 : -0.5) * difference;
        return users.map((size) => {
          const p = expit(center + Math.sqrt(tau2) * chance.normal());
          return { size, retained: retainedOf(size, p, chance) };
        });
      });
      found += Number(clustersTest(a!, b!) < LEVEL);
    }
    return found / DRAWS >= power;
  };
  let [low, high] = [0, FARTHEST];
  if (!isFound(high)) return null;
  for (let step = 0; step < STEPS; step++) {
    const half = (low + high) / 2;
    if (isFound(half)) high = half;
    else low = half;
  }
  return high;
}

/** Returns one row of the result: the smallest detectable difference between two groups. */
function pairOf([one, other]: readonly [Compared, Compared], power: number) {
  const sides = [one.estimate.clusters, other.estimate.clusters];
  const counts = sides.map((clusters) => clusters.length);
  const names = {
    group_a: one.id,
    group_b: other.id,
    month: one.month,
    clusters_a: counts[0],
    clusters_b: counts[1],
    power,
  };
  if (Math.min(...counts) < 2) {
    const least = one.group.cluster === "cohort_block" ? "three cohorts with" : "two projects with";
    return { ...names, reason: `needs ${least} users in the month on both sides` };
  }
  const logits = sides.map((clusters) => clusters.map(clusterLogit));
  const centers = logits.map((each) => meanOf(each.map(({ logit }) => logit)));
  const degrees = sumOf(counts) - 2;
  const squares = logits.flatMap((each, side) =>
    each.map(({ logit }) => (logit - centers[side]!) ** 2)
  );
  const own = meanOf(logits.flat().map(({ variance }) => variance));
  const tau2 = Math.max(0, sumOf(squares) / degrees - own);
  const spreads = sides.map((clusters) =>
    clusterSpread(clusters).dispersion * (clusters.length - 1)
  );
  const middle = meanOf(centers);
  const sizes = sides.map((clusters) => clusters.map(({ size }) => size));
  const apart = smallest(sizes, { middle, tau2, power });
  const known = {
    ...names,
    retention: expit(middle),
    tau2,
    dispersion: sumOf(spreads) / degrees,
  };
  if (apart === null) {
    return { ...known, reason: `no difference is found in ${100 * power}% of simulations` };
  }
  const difference = expit(middle + apart / 2) - expit(middle - apart / 2);
  return { ...known, difference, reason: null };
}

/**
 * Returns, for each pair of groups, the smallest difference in retention that `compareRetention` would find.
 *
 * Returns one row per pair of groups:
 *
 * | column | dtype | |
 * |---|---|---|
 * | `group_a`, `group_b` | String | ids of the two groups |
 * | `month` | Int64 | the month |
 * | `clusters_a`, `clusters_b` | Int64 | for each group, the number of clusters that have users in the month. The clusters of a sector are projects; the clusters of a project are blocks of cohorts |
 * | `retention` | Float64 | retention midway between the two groups: the inverse logit of the mean of the two groups' logits |
 * | `tau2` | Float64 | variance of the clusters' logits within the groups, without sampling variance |
 * | `dispersion` | Float64 | Pearson's chi-squared within the groups, divided by its degrees of freedom |
 * | `difference` | Float64 | smallest difference that is found: the p value is below .05 in a fraction `power` of the simulations. It is the difference in retention between the median clusters of the two groups |
 * | `power` | Float64 | the option `power` |
 * | `reason` | String | the reason why `difference` is null; null if `difference` has a value |
 *
 * For each candidate difference, 1 000 simulations run with a fixed seed. The simulated clusters have as many users as
 * the clusters of the frame. In each group, the logits of the clusters are normally distributed around the group's mean
 * logit, with the variance `tau2`. Each simulation runs the test of `compareRetention`. Large-sample formulas are not
 * used, because they overstate the power: where they give 80%, and a group has fewer than ten clusters, the simulated
 * power is only 55 to 78%.
 *
 * `tau2` is estimated as the variance between logits minus the mean variance within clusters (Hedges 1983). If a group
 * has only two or three clusters, `tau2` and `difference` are imprecise. A project has at most three clusters.
 * `difference` does not use the observed difference, so it is not a post-hoc power. Each pair takes about 0.1 s, so
 * filter the curves to the projects of interest first.
 *
 * @example Which sectors could be distinguished in month 6?
 * ```ts
 * import { cohortAnalysis, detectable, retentionCurves } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * console.log(detectable(curves, { by: "market_sector_id", month: 6 }).toString());
 * ```
 *
 * @param curves a frame of `retentionCurves`
 * @throws {RangeError} when columns are missing, a value is impossible, an option is out of range, the frame is pooled,
 * or the frame does not have the month.
 * @throws {TypeError} when a column that must be numeric is not.
 * @category Analysis
 */
export function detectable<Frame extends DataFrame>(
  curves: Frame & AtStage<Frame, "curves">,
  options: {
    /**
     * The groups that are compared, as in `compareRetention`. The clusters of a market sector are its projects. The
     * clusters of a project are three blocks of neighboring cohorts.
     *
     * @default {"market_sector_id"}
     */
    readonly by?: "project_id" | "market_sector_id";
    /**
     * The month whose retention is compared, 1 to 1200.
     *
     * @default {1}
     */
    readonly month?: number;
    /**
     * The required power of the test, 0.1 to 0.99.
     *
     * @default {0.8}
     */
    readonly power?: number;
    /**
     * Leaves out cohorts with fewer tracked months than this, as in `compareRetention`.
     *
     * @default {3}
     */
    readonly washout?: number;
  } = {},
): DataFrame {
  const fn = "detectable";
  const checked = checkOptions(options, {
    by: oneOf(COMPARED_GROUPS),
    month: integer(1, 1200),
    power: number(0.1, 0.99),
    washout: integer(0),
  }, fn);
  const { by = "market_sector_id", month = 1, power = 0.8, washout = WASHOUT } = checked;
  const pairs = comparedPairs(curves, { fn, by, months: [month], washout, confidence: 1 - LEVEL });
  const result = tableOf(pairs.map((pair) => pairOf(pair, power)), [
    ["text", "group_a", "group_b"],
    ["whole", "month", "clusters_a", "clusters_b"],
    ["number", "retention", "tau2", "dispersion", "difference", "power"],
    ["text", "reason"],
  ]);
  return withProvenance(curves, result, fn);
}
