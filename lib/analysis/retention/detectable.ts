import { boolean, checkOptions, integer, number } from "../../platform/check_options.ts";
import type { DataFrame, Frame } from "../../table/columns/polars.ts";
import { withProvenance } from "../../table/show/show.ts";
import { chanceOf } from "../chance.ts";
import { type ClusterUsers, COHORT_RULES, WASHOUT } from "./cohort_counts.ts";
import { tableOf } from "../columnar.ts";
import { type Compared, comparedPairs, isPaired, remarksOn } from "./compare_retention.ts";
import { chiQuantile } from "../distributions.ts";
import { expit } from "../intervals.ts";

import { clusterLogit } from "./logit_estimate.ts";
import type { CohortOptions } from "./retention_groups.ts";
import { logitTest, pairedTest, pairsOf } from "./significance.ts";
import type { AtStage } from "./stage.ts";
import { meanOf, sumOf } from "../sums.ts";

const DRAWS = 1000;
/** The number of simulations of each candidate for a bound. */
const FEWER_DRAWS = 300;
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

/** The clusters of two groups. In simulations, only their sizes and units matter. */
type Sides = readonly [readonly ClusterUsers[], readonly ClusterUsers[]];

/**
 * Simulates two groups whose logits have the mean `middle`, and the variance `tau2` inside each group. A unit in both
 * groups has the part `common` of its variance in common.
 */
function* worldsOf(
  sides: Sides,
  { middle, tau2, common, draws, difference }: Readonly<
    Record<"middle" | "tau2" | "common" | "draws" | "difference", number>
  >,
) {
  const chance = chanceOf(29);
  const both = pairsOf(...sides).map(([{ unit }]) => unit);
  for (let draw = 0; draw < draws; draw++) {
    const levels = new Map(both.map((unit) => [unit, Math.sqrt(common) * chance.normal()]));
    const [a, b] = sides.map((clusters, side) =>
      clusters.map(({ unit, size }) => {
        const level = levels.get(unit);
        const own = Math.sqrt(tau2 - (level === undefined ? 0 : common)) * chance.normal();
        const center = middle + (side === 0 ? 0.5 : -0.5) * difference;
        return {
          unit,
          size,
          retained: retainedOf(size, expit(center + (level ?? 0) + own), chance),
        };
      })
    );
    yield [a!, b!] as const;
  }
}

/** Returns the mean of expit over a normal distribution of logits. */
function meanRetention(center: number, tau2: number): number {
  let [sum, total] = [0, 0];
  for (let z = -5; z <= 5; z += 0.25) {
    sum += Math.exp(-z * z / 2) * expit(center + Math.sqrt(tau2) * z);
    total += Math.exp(-z * z / 2);
  }
  return sum / total;
}

/** Returns the smallest positive number, up to `FARTHEST`, that meets a condition, or null. */
function smallest(condition: (value: number) => boolean): number | null {
  let [low, high] = [0, FARTHEST];
  if (!condition(high)) return null;
  for (let step = 0; step < STEPS; step++) {
    const half = (low + high) / 2;
    if (condition(half)) high = half;
    else low = half;
  }
  return high;
}

/** The sum of squared deviations of the logits of clusters, its degrees of freedom, and the variance of own users. */
function spreadOf(sides: Sides, paired: boolean) {
  const [a, b] = [sides[0].map(clusterLogit), sides[1].map(clusterLogit)];
  const own = meanOf([...a, ...b].map(({ variance }) => variance));
  const centered = [a, b].map((each) => {
    const center = meanOf(each.map(({ logit }) => logit));
    return each.map(({ logit }) => logit - center);
  });
  const pairs = pairsOf(...sides).map((pair) =>
    pair.map((users, side) => centered[side]![sides[side]!.indexOf(users)]!) as [number, number]
  );
  const products = sumOf(pairs.map(([x, y]) => x * y));
  return {
    own,
    common: pairs.length > 1 ? Math.max(0, products / (pairs.length - 1)) : 0,
    // Half of the variance of a unit's change is the variance of its logit in one group, beside the common part.
    squares: paired
      ? sumOf(pairs.map(([x, y]) => (x - y) ** 2)) / 2
      : sumOf(centered.flat().map((each) => each * each)),
    degrees: paired ? pairs.length - 1 : a.length + b.length - 2,
    middle: meanOf([a, b].map((each) => meanOf(each.map(({ logit }) => logit)))),
  };
}

/** Returns one row of the result, for two groups. */
function pairOf(
  [one, other]: readonly [Compared, Compared],
  { power, confidence, paired }: {
    readonly power: number;
    readonly confidence: number;
    readonly paired: boolean;
  },
) {
  const all: Sides = [one.found.clusters, other.found.clusters];
  const pairs = paired ? pairsOf(...all) : [];
  const sides: Sides = paired ? [pairs.map(([a]) => a), pairs.map(([, b]) => b)] : all;
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
    const least = one.group.cluster === "cohort_block" ? "three cohorts with" : "two units with";
    return { ...names, reason: `needs ${least} users in the month on both sides` };
  }
  const { own, common, squares, degrees, middle } = spreadOf(sides, paired);
  const isFound = ([a, b]: Sides) => {
    const [one, other] = [a, b].map((clusters) => ({ clusters, cells: [], dates: null }));
    const test = paired
      ? pairedTest(a.map((users, at) => [users, b[at]!]), [one!, other!], confidence)
      : logitTest(one!, other!, { confidence, estimate: "weighted" });
    return test.p_value < 1 - confidence;
  };
  const varianceFor = (divisor: number) => Math.max(0, squares / divisor - own);
  const smallestFor = (divisor: number, draws: number) => {
    const variance = varianceFor(divisor);
    const world = {
      middle,
      draws,
      tau2: paired ? variance + common : variance,
      common: paired ? common : Math.min(common, variance),
    };
    const logits = smallest((difference) => {
      const found = [...worldsOf(sides, { ...world, difference })].filter(isFound);
      return found.length / draws >= power;
    });
    if (logits === null) return null;
    const [up, down] = [0.5, -0.5].map((side) =>
      paired ? meanRetention(middle + side * logits, world.tau2) : expit(middle + side * logits)
    );
    return up! - down!;
  };
  const found = smallestFor(degrees, DRAWS);
  // The bounds of the variance.
  const [low, high] = [0.9, 0.1].map((tail) =>
    smallestFor(chiQuantile(tail, degrees), FEWER_DRAWS)
  );
  const never = `no difference is found in ${100 * power}% of simulations`;
  return {
    ...names,
    retention: expit(middle),
    tau2: varianceFor(degrees),
    detectable_low: low,
    detectable: found,
    detectable_high: high,
    reason: [
      ...found === null ? [never] : high === null ? [`no upper bound: ${never}`] : [],
      ...remarksOn([one, other], { shared: found === null ? undefined : 0, paired }),
    ].join("; ") || null,
  };
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
 * | `clusters_a`, `clusters_b` | Int64 | for each group, the number of clusters that have users in the month. The clusters of a sector are projects; the clusters of a project are blocks of cohorts. If paired, the number of units in both |
 * | `retention` | Float64 | retention midway between the two groups: the inverse logit of the mean of the two groups' logits |
 * | `tau2` | Float64 | variance of the clusters' logits within the groups, without sampling variance; if paired, half of the variance of the changes of the units' logits |
 * | `detectable` | Float64 | smallest difference that is found: the p value is below 1 - `confidence` in a fraction `power` of the simulations. It is the difference in retention between the typical clusters of the two groups; if paired, the difference of the means of the units |
 * | `detectable_low`, `detectable_high` | Float64 | the same for the lower and the upper bound of the variance of the clusters' logits, at 80% confidence |
 * | `power` | Float64 | the option `power` |
 * | `reason` | String | the reason why `detectable` or one of its bounds is null, what the test leaves out, and groups with fewer than 10 retained or lost users; otherwise null |
 *
 * For each candidate difference, 1 000 simulations run with a fixed seed (300 for the bounds). The simulated clusters
 * have as many users as the clusters of the frame. In each group, the logits of the clusters are normally distributed
 * around the group's mean logit, with the variance `tau2`. A unit that is in both groups has a part of its logit in
 * common in both. Each simulation runs the test of `compareRetention`: the paired one if units are compared with
 * themselves.
 * Large-sample formulas are not used, because they overstate the power: where they give 80%, and a group has fewer than
 * ten clusters, the simulated power is only 55 to 78%.
 *
 * `tau2` is estimated as the variance between logits minus the mean variance within clusters (Hedges 1983). With few
 * clusters, this estimate is imprecise, and so is `detectable`: where two groups of three projects were simulated again
 * and again, the real power at `detectable` was between .22 and .98 in 90% of cases; with two groups of eight, between
 * .48 and .93. Therefore read `detectable_low` and `detectable_high`, too. They follow from the chi-squared distribution
 * of the variance of the logits, with clusters - 2 degrees of freedom. A project has at most three clusters.
 * `detectable` does not use the observed difference, so it is not a post-hoc power. Each pair takes about 0.2 s, so
 * filter the curves to the groups of interest first.
 *
 * @example Which sectors could be distinguished in month 6?
 * ```ts
 * import { cohortAnalysis, detectable, retentionCurves } from "@chainframe/chainframe";
 *
 * const cohorts = await cohortAnalysis({ market_sector_ids: ["lending", "bridges", "gaming"] });
 * const curves = retentionCurves(cohorts);
 * console.log(detectable(curves, { by: "market_sector_id", month: 6 }).toString());
 * ```
 *
 * @param curves a frame of `retentionCurves`
 * @throws {RangeError} when columns are missing, a value is impossible, an option is out of range, the frame is pooled,
 * or the frame does not have the month.
 * @throws {TypeError} when a column that must be numeric is not.
 * @category Analysis
 */
export function detectable<Given extends DataFrame>(
  curves: Given & AtStage<Given, "curves">,
  options: {
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
     * Whether only units that are in both groups are compared, as in `compareRetention`.
     *
     * @default {true if `by` contains `"span"`}
     */
    readonly paired?: boolean;
  } & CohortOptions = {},
): Frame {
  const fn = "detectable";
  const checked = checkOptions(options, {
    ...COHORT_RULES,
    month: integer(1, 1200),
    power: number(0.1, 0.99),
    paired: boolean,
  }, fn);
  const { by = ["market_sector_id"], month = 1, power = 0.8, washout = WASHOUT } = checked;
  const { confidence = 0.95, cluster } = checked;
  const paired = isPaired({ ...checked, by }, fn);
  const rows = comparedPairs(curves, {
    fn,
    by,
    months: [month],
    cluster,
    washout,
    confidence,
    estimate: "weighted",
  }).map((pair) => pairOf(pair, { power, confidence, paired: paired(pair) }));
  const result = tableOf(rows, [
    ["text id", "group_a", "group_b"],
    ["whole months", "month"],
    ["whole clusters", "clusters_a", "clusters_b"],
    ["number fraction", "retention"],
    ["number statistic", "tau2"],
    ["number fraction", "detectable_low", "detectable", "detectable_high"],
    ["number fraction", "power"],
    ["text", "reason"],
  ]);
  return withProvenance(curves, result, {
    fn,
    options,
    first: ["detectable", "retention", "power"],
  });
}
