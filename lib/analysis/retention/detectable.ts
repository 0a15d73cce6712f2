import { boolean, checkOptions, integer, number } from "../../platform/check_options.ts";
import { longWork } from "../../platform/long_work.ts";
import { counted } from "../../platform/terminal.ts";
import type { DataFrame, Frame } from "../../table/columns/polars.ts";
import { withProvenance } from "../../table/show/show.ts";
import { chanceOf } from "../chance.ts";
import { type ClusterUsers, COHORT_RULES, WASHOUT } from "./cohort_counts.ts";
import { tableOf } from "../columnar.ts";
import { type Compared, comparedPairs, isPaired, remarksOn } from "./compare_retention.ts";
import { COUNTED, refuseAmounts } from "./curve_table.ts";
import { chiQuantile, normalTails, quantileOf } from "../distributions.ts";
import { expit } from "../intervals.ts";

import { clusterLogit, weightedLogits } from "./logit_estimate.ts";
import type { CohortOptions } from "./retention_groups.ts";
import { type ShockPart, shocksBetween, withShocks } from "./shared_shocks.ts";
import {
  covarianceOf,
  differenceOf,
  pairedDifference,
  pairedShocks,
  pairsAt,
  pairsOf,
  retentionTest,
} from "./significance.ts";
import type { AtStage } from "./stage.ts";
import { meanOf, sumOf } from "../sums.ts";

const DRAWS = 1000;
/** The number of simulations after which a difference is left that is clearly too small or too large. */
const FIRST_DRAWS = 100;
/** The largest difference of logits that the search considers: retentions of 2% and 98% differ by about 8. */
const FARTHEST = 8;
/** The search ends when it is this near to the difference, relative to it. */
const PRECISION = 0.01;
/** A step of this part of a difference goes along a line that is straight enough for this precision. */
const SHORT = 0.04;
const MOST_STEPS = 12;
/** The draws nearest to the limit are simulated again until so many of them had the same outcome as before. */
const UNCHANGED = 100;
/** Worlds whose variances have at most this ratio have the same outcome in draws that are not near the limit. */
const ALIKE = 1.3;
/** The number of simulations of most pairs, for an estimate of the time. */
const TYPICAL = 2000;

/** The two-sided quantile of the normal distribution at 95%. */
const Z95 = 1.96;

/** Returns the quantile of the standard normal distribution. */
function probit(probability: number): number {
  if (probability === 0.5) return 0;
  const far = quantileOf(2 * Math.min(probability, 1 - probability), Infinity);
  return probability < 0.5 ? -far : far;
}

/** The clusters of two groups. In simulations, only their sizes and units matter. */
type Sides = readonly [readonly ClusterUsers[], readonly ClusterUsers[]];

/** What a simulated world rests on. */
interface World {
  /** The mean of the logits of both groups. */
  readonly middle: number;
  /** The variance of the logits inside each group, and the part of it that a unit in both groups has in common. */
  readonly tau2: number;
  readonly common: number;
  readonly shocks: readonly ShockPart[];
}

/**
 * Returns the number of retained users for a standard normal number: the same number for a larger probability is never
 * smaller. Uses the normal approximation of the binomial distribution if the variance is above 9.
 */
function retainedOf(size: number, p: number, normal: number): number {
  const variance = size * p * (1 - p);
  if (p <= 0.5) return rarelyRetained(size, p, { normal, variance });
  return size - rarelyRetained(size, 1 - p, { normal: -normal, variance });
}

/** Returns the same for probabilities up to a half. */
function rarelyRetained(
  size: number,
  p: number,
  { normal, variance }: { readonly normal: number; readonly variance: number },
): number {
  if (variance > 9) {
    return Math.min(size, Math.max(0, Math.round(size * p + Math.sqrt(variance) * normal)));
  }
  const tail = normalTails(normal) / 2;
  const below = normal < 0 ? tail : 1 - tail;
  let [count, term] = [0, Math.exp(size * Math.log1p(-p))];
  let sum = term;
  while (sum < below && count < size && term > 0) {
    term *= (size - count) / (count + 1) * p / (1 - p);
    count += 1;
    sum += term;
  }
  return count;
}

/** Simulates a draw of a world. Returns how far the p value is from its limit, as a logarithm; below 0 if it is found. */
type Simulate = (draw: number, difference: number, world: World) => number;

/**
 * Returns a function that simulates a comparison with a difference of logits. All differences have the
 * same random numbers. Shared shocks move the difference, and their estimate is a scaled chi-squared with two degrees of
 * freedom.
 */
function comparisonOf(sides: Sides, { paired, confidence, numbersOf }: Test): Simulate {
  const shared = pairsAt(...sides);
  const groups = sides.map((own, side) => {
    const sizes = Float64Array.from(own, ({ size }) => size);
    // The place among the shared units, or -1.
    const places = new Int32Array(own.length).fill(-1);
    shared.forEach((pair, at) => places[pair[side]!] = at);
    return { sizes, places, retained: new Float64Array(own.length), ...weightedLogits(sizes) };
  });
  const [one, other] = groups as [typeof groups[0], typeof groups[0]];
  const width = 2 * (one.sizes.length + other.sizes.length) + shared.length + 4;
  const numbersAt = numbersOf(width);
  const found = () => {
    if (!paired) {
      const [a, b] = [one.estimate(one.retained), other.estimate(other.retained)];
      return differenceOf(a, b, covarianceOf(shared, one.influences, other.influences));
    }
    return pairedDifference(shared.map((pair) =>
      pair.map((at, side) => {
        const { sizes, retained } = groups[side]!;
        return { size: sizes[at]!, retained: retained[at]! };
      }) as [ClusterUsers, ClusterUsers]
    ));
  };
  return (draw, difference, world) => {
    const own = numbersAt(draw);
    const [all, part] = [Math.sqrt(world.tau2), Math.sqrt(world.common)];
    const rest = Math.sqrt(world.tau2 - world.common);
    let next = shared.length;
    for (let side = 0; side < groups.length; side++) {
      const { sizes, places, retained } = groups[side]!;
      const center = world.middle + (side === 0 ? 0.5 : -0.5) * difference;
      for (let at = 0; at < sizes.length; at++) {
        const place = places[at]!;
        const level = place < 0 ? all * own[next]! : part * own[place]! + rest * own[next]!;
        retained[at] = retainedOf(sizes[at]!, expit(center + level), own[next + 1]!);
        next += 2;
      }
    }
    const { units, difference: apart } = found();
    let moved = apart;
    const drawn = world.shocks.map(({ variance, least, degrees }) => {
      moved += Math.sqrt(variance) * own[next++]!;
      const between = (least + variance) * -Math.log(normalTails(own[next++]!));
      return { variance: Math.max(0, between - least), degrees };
    });
    return Math.log(withShocks(units, drawn).tailsOf(moved) / (1 - confidence));
  };
}

/** All draws of one difference: the outcome of each, in the order of their distance from the limit. */
interface Drawn {
  /** The variance of the difference in the world of the draws. */
  readonly variance: number;
  readonly order: readonly number[];
  readonly isFound: readonly boolean[];
  readonly found: number;
}

/** Returns whether a power after some draws is clearly another one than that which is searched. */
function isOther(found: number, count: number, power: number): boolean {
  return Math.abs(found / count - power) > 4 * Math.sqrt(power * (1 - power) / count);
}

/**
 * Returns a function that returns the power of a difference in a world with a given variance. Simulations end early if the
 * power is clearly another one. Once all draws of a difference are known, another difference with about the same power, in
 * this world or in one like it, changes the outcome only of draws near the limit: these are simulated again, the nearest
 * first.
 */
function powersOf(simulate: Simulate, power: number) {
  let known: Drawn | undefined;
  const first = (difference: number, world: World, variance: number): number => {
    const margins: number[] = [];
    let found = 0;
    for (let draw = 0; draw < DRAWS; draw++) {
      margins.push(simulate(draw, difference, world));
      found += Number(margins[draw]! < 0);
      const count = draw + 1;
      if (count % FIRST_DRAWS === 0 && isOther(found, count, power)) return found / count;
    }
    const order = [...margins.keys()].sort((a, b) => Math.abs(margins[a]!) - Math.abs(margins[b]!));
    known = { variance, order, isFound: margins.map((margin) => margin < 0), found };
    return found / DRAWS;
  };
  const again = ({ order, isFound, ...drawn }: Drawn, difference: number, world: World): number => {
    let [found, unchanged] = [drawn.found, 0];
    for (const draw of order) {
      const now = simulate(draw, difference, world) < 0;
      unchanged = now === isFound[draw] ? unchanged + 1 : 0;
      found += Number(now) - Number(isFound[draw]);
      if (unchanged >= UNCHANGED || isOther(found, DRAWS, power)) break;
    }
    return found / DRAWS;
  };
  return (difference: number, world: World, variance: number) => {
    const ratio = variance / (known?.variance ?? Infinity);
    return known !== undefined && ratio < ALIKE && 1 / ratio < ALIKE
      ? again(known, difference, world)
      : first(difference, world, variance);
  };
}

/**
 * Returns the smallest difference of logits, up to `FARTHEST`, that is found in a fraction `power` of simulations, or null.
 * The search begins at a first guess. Power is nearly a straight line on the probit scale, so that each step goes to
 * where the line through the last two differences has the power.
 */
function smallest(
  powerAt: (difference: number) => number,
  power: number,
  guess: number,
) {
  const target = probit(power);
  const scoreAt = (difference: number) =>
    probit(Math.min(1 - 0.5 / DRAWS, Math.max(0.5 / DRAWS, powerAt(difference))));
  let [low, high] = [0, Infinity];
  let last: { readonly at: number; readonly score: number } | undefined;
  let at = Math.min(guess, FARTHEST);
  for (let step = 0; step < MOST_STEPS; step++) {
    const score = scoreAt(at);
    if (score >= target) high = at;
    else low = at;
    if (low >= FARTHEST) return null;
    const slope = last === undefined || last.score === score
      ? (score + Z95) / at
      : (score - last.score) / (at - last.at);
    last = { at, score };
    const wanted = slope > 0 ? at + (target - score) / slope : (score >= target ? at / 2 : 2 * at);
    const inside = Math.min(
      Math.max(wanted, low > 0 ? low : at / 3),
      Math.min(high < Infinity ? high : 3 * at, FARTHEST),
    );
    if (slope > 0 && Math.abs(wanted - at) <= SHORT * at) return Math.min(wanted, FARTHEST);
    if (high / low <= 1 + PRECISION) return high;
    at = inside;
  }
  return high === Infinity ? null : high;
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

/** The sum of squared deviations of the logits of clusters, its degrees of freedom, and the variance of own users. */
function spreadOf(sides: Sides, paired: boolean) {
  const [a, b] = [sides[0].map(clusterLogit), sides[1].map(clusterLogit)];
  const own = meanOf([...a, ...b].map(({ variance }) => variance));
  const centered = [a, b].map((each) => {
    const center = meanOf(each.map(({ logit }) => logit));
    return each.map(({ logit }) => logit - center);
  });
  const pairs = pairsAt(...sides).map(([one, other]) =>
    [centered[0]![one]!, centered[1]![other]!] as const
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

/** Returns the normal random numbers of each simulation. */
type Numbers = (draw: number) => Float64Array;

/** How a difference is tested. */
interface Test {
  readonly confidence: number;
  readonly paired: boolean;
  readonly numbersOf: (width: number) => Numbers;
}

/** Returns a function that makes `width` random numbers a simulation. Pairs of the same width share them. */
function sharedNumbers(): (width: number) => Numbers {
  let last: { readonly width: number; readonly numbersAt: Numbers } | undefined;
  return (width) => {
    if (last?.width === width) return last.numbersAt;
    const numbers: Float64Array[] = [];
    const chance = chanceOf(29);
    last = {
      width,
      numbersAt: (draw) => {
        while (numbers.length <= draw) {
          numbers.push(new Float64Array(width).map(() => chance.normal()));
        }
        return numbers[draw]!;
      },
    };
    return last.numbersAt;
  };
}

/** Returns the variance of a difference of logits by its parts, without differences of sizes. */
function variancesOf(sides: Sides, { middle, tau2, shocks }: World, paired: boolean) {
  const p = expit(middle);
  const units = sumOf(
    sides.map((own) =>
      sumOf(own.map(({ size }) => tau2 + 1 / (size * p * (1 - p)))) / own.length ** 2
    ),
  );
  // The shocks of paired units are those of a difference of retentions.
  const scale = paired ? (p * (1 - p)) ** 2 : 1;
  const times = shocks.map(({ variance, least, degrees }) => (
    { variance: variance / scale, between: (variance + least) / scale, degrees }
  ));
  return { units, times, all: units + sumOf(times.map(({ variance }) => variance)) };
}

/**
 * Returns the degrees of freedom (Satterthwaite 1946) of the variance of a difference, as a whole number. Those of units are
 * given.
 */
function degreesOf({ units, times, all }: ReturnType<typeof variancesOf>, degrees: number): number {
  const parts = times.map((part) => part.between ** 2 / part.degrees);
  return Math.max(1, Math.floor(all ** 2 / sumOf([units ** 2 / degrees, ...parts]) + 1e-9));
}

/** Returns the first guess of a difference of logits: by the normal approximation. */
function guessOf(
  variance: number,
  { power, confidence }: { readonly power: number; readonly confidence: number },
): number {
  return (probit(1 - (1 - confidence) / 2) + probit(power)) * Math.sqrt(variance);
}

/** Returns the number of simulated clusters of the searches for all pairs. */
function workOf(pairs: readonly (readonly [Compared, Compared])[]): number {
  return TYPICAL * sumOf(pairs.flat().map(({ found }) => found.clusters.length));
}

/** Returns the mean number of clusters of a group, with their kind: `1,250 projects`. */
function sizesOf(pairs: readonly (readonly [Compared, Compared])[]): string {
  const groups = pairs.flat();
  const mean = Math.round(meanOf(groups.map(({ found }) => found.clusters.length)));
  const kind = groups[0]!.group.cluster.replace(/_id$/, "").replaceAll("_", " ");
  return counted(mean, kind);
}

/** Returns one row of the result, for two groups. Calls `isDone` with numbers of simulated clusters. */
function pairOf(
  compared: readonly [Compared, Compared],
  test: Test & { readonly power: number },
  isDone: (clusters: number) => void,
) {
  const [one, other] = compared;
  const { power, confidence, paired } = test;
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
  const shocks = paired
    ? pairedShocks(pairs, [one.found, other.found], pairedDifference(pairs))
    : shocksBetween(one.found, other.found, "weighted");
  const simulate = comparisonOf(sides, test);
  const clusters = counts[0]! + counts[1]!;
  const powerAt = powersOf((draw, difference, world) => {
    isDone(clusters);
    return simulate(draw, difference, world);
  }, power);
  const varianceFor = (factor: number) => Math.max(0, factor * squares / degrees - own);
  const worldFor = (factor: number): World => {
    const variance = varianceFor(factor);
    return {
      middle,
      tau2: paired ? variance + common : variance,
      common: paired ? common : Math.min(common, variance),
      shocks: shocks.map((part) => (
        { ...part, variance: Math.max(0, factor * (part.least + part.variance) - part.least) }
      )),
    };
  };
  const variances = (factor: number) =>
    variancesOf(sides, { ...worldFor(factor), tau2: varianceFor(factor) }, paired);
  // The guess of the next search is as wrong as that of the first.
  let ratio = 1;
  const smallestFor = (factor: number) => {
    const world = worldFor(factor);
    const variance = variances(factor).all;
    const guess = guessOf(variance, test);
    const logits = smallest(
      (difference) => powerAt(difference, world, variance),
      power,
      ratio * guess,
    );
    if (logits === null) return null;
    ratio = logits / guess;
    const [up, down] = [0.5, -0.5].map((side) =>
      paired ? meanRetention(middle + side * logits, world.tau2) : expit(middle + side * logits)
    );
    return up! - down!;
  };
  const found = smallestFor(1);
  // The bounds of the variance of the difference.
  const free = degreesOf(variances(1), degrees);
  const [low, high] = [0.9, 0.1].map((tail) => smallestFor(free / chiQuantile(tail, free)));
  const never = `no difference is found in ${100 * power}% of simulations`;
  const { shared = 0 } = retentionTest(one.found, other.found, { confidence, paired });
  return {
    ...names,
    retention: expit(middle),
    tau2: varianceFor(1),
    detectable_low: low,
    detectable: found,
    detectable_high: high,
    reason: [
      ...found === null ? [never] : high === null ? [`no upper bound: ${never}`] : [],
      ...remarksOn(compared, { shared: found === null ? undefined : shared, paired }),
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
 * | `detectable_low`, `detectable_high` | Float64 | the same for the lower and the upper bound of the variance of the difference, at 80% confidence |
 * | `power` | Float64 | the option `power` |
 * | `reason` | String | the reason why `detectable` or one of its bounds is null, what the test leaves out, and groups with fewer than 10 retained or lost users; otherwise null |
 *
 * For each candidate difference, up to 1 000 simulations run with the same random numbers; the search ends within 1% of
 * the difference. The simulated clusters have as many users as the clusters of the frame. In each group, the logits of
 * the clusters are normally distributed around the group's mean logit, with the variance `tau2`. A unit that is in both
 * groups has a part of its logit in common in both. Shocks that units share have the variance that `compareRetention`
 * finds for them. Each simulation runs the test of `compareRetention`: the paired one if units are compared with
 * themselves.
 * Large-sample formulas are not used, because they overstate the power: where they give 80%, and a group has fewer than
 * ten clusters, the simulated power is only 55 to 78%.
 *
 * `tau2` is estimated as the variance between logits minus the mean variance within clusters (Hedges 1983). With few
 * clusters, this estimate is imprecise, and so is `detectable`: where two groups of three projects were simulated again
 * and again, the real power at `detectable` was between .19 and .98 in 90% of cases; with two groups of eight, between
 * .48 and .96. Therefore read `detectable_low` and `detectable_high`, too. They follow from the chi-squared distribution
 * of the variance of the difference: clusters - 2 degrees of freedom, and fewer with shared shocks (Satterthwaite 1946). A project has at most three clusters.
 * `detectable` does not use the observed difference, so it is not a post-hoc power.
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
  refuseAmounts(curves, fn, "detectable differences");
  const checked = checkOptions(options, {
    ...COHORT_RULES,
    month: integer(1, 1200),
    power: number(0.1, 0.99),
    paired: boolean,
  }, fn);
  const { by = ["market_sector_id"], month = 1, power = 0.8, washout = WASHOUT } = checked;
  const { confidence = 0.95, cluster } = checked;
  const paired = isPaired({ ...checked, by }, fn);
  const pairs = comparedPairs(curves, {
    fn,
    by,
    months: [month],
    cluster,
    washout,
    confidence,
    estimate: "weighted",
  });
  const isDone = longWork({
    fn,
    what: () => `${counted(pairs.length, "pair")} of ${sizesOf(pairs)}`,
    less: "fewer groups",
    total: workOf(pairs),
  });
  const numbersOf = sharedNumbers();
  const rows = pairs.map((pair) =>
    pairOf(pair, { power, confidence, paired: paired(pair), numbersOf }, isDone)
  );
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
    of: COUNTED,
    first: ["detectable", "retention", "power"],
  });
}
