import { BLOCKS, type ClusterUsers, type RetentionEstimator } from "./cohort_counts.ts";
import { normalTails } from "../distributions.ts";
import {
  AMOUNTS,
  effectiveDegrees,
  type Interval,
  NO_INTERVAL,
  USER_SHARES,
  wilsonBounds,
} from "../intervals.ts";
import { logitEstimate } from "./logit_estimate.ts";
import type { RetentionEstimate } from "./retention_estimate.ts";
import {
  type Clustered,
  type ShockPart,
  shocksBetween,
  shocksOf,
  type VariancePart,
  withShocks,
} from "./shared_shocks.ts";
import { sumOf } from "../sums.ts";

/** A variance below this is a rounding error, as that of equal differences. */
const ROUNDING = 1e-24;

/** The result of a test of whether two retentions are equal, with bounds of their difference. NaN means null. */
interface RetentionTest extends Interval {
  readonly test: "paired" | "jackknife" | "unweighted" | "score" | null;
  readonly p_value: number;
  /** The fraction of the variance that comes from shocks that units share. */
  readonly shared?: number;
  /** The retentions of the units that are in both groups, with equal weights on both sides, if only these count. */
  readonly retention_a?: number;
  readonly retention_b?: number;
  readonly difference?: number;
  /** The reason why there is no p value. Null if there is a p value. */
  readonly reason: string | null;
}

/**
 * Runs the score test of two proportions without continuity correction, as R's `prop.test(x, n, correct = FALSE)` does.
 * The bounds come from the square-and-add method (Newcombe 1998, Statistics in Medicine 17, 873-890, method 10).
 */
function scoreTest(
  a: RetentionEstimate,
  b: RetentionEstimate,
  confidence: number,
): RetentionTest {
  const pooled = (a.retained + b.retained) / (a.size + b.size);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / a.size + 1 / b.size));
  const difference = a.retention - b.retention;
  const wilson = wilsonBounds(confidence);
  const [one, other] = [wilson(a.retention, a.size), wilson(b.retention, b.size)];
  return {
    test: "score",
    p_value: error > 0 ? normalTails(difference / error) : 1,
    lower: difference - Math.hypot(a.retention - one.lower, other.upper - b.retention),
    upper: difference + Math.hypot(one.upper - a.retention, b.retention - other.lower),
    reason: null,
  };
}

/** The logit of a group, and its variance by units. */
type Logit = Pick<ReturnType<typeof logitEstimate>, "logit" | "variance" | "least" | "degrees">;

/**
 * Returns the difference of the logits of two groups of clusters, with its variance by units. A unit that is in both groups has an influence on both
 * logits: it is left out of both at once, so that its influence on the difference is the difference of the two. Without
 * such units, the variances add up, and the degrees of freedom are those of Satterthwaite (1946, Biometrics Bulletin 2,
 * 110-114), but at most twice the smaller ones. With such units, the degrees of freedom are the smaller ones of the two
 * groups.
 *
 * @param covariance the covariance of the two logits. Null if no unit is in both groups.
 */
export function differenceOf(a: Logit, b: Logit, covariance: number | null) {
  const sum = a.variance + b.variance;
  const least = Math.min(a.degrees, b.degrees);
  const units: VariancePart = covariance === null
    ? {
      variance: sum,
      degrees: Math.min(
        2 * least,
        sum * sum / (a.variance * a.variance / a.degrees + b.variance * b.variance / b.degrees),
      ),
    }
    : { variance: Math.max(a.least + b.least, sum - 2 * covariance), degrees: least };
  return { units, difference: a.logit - b.logit };
}

/** Returns the covariance of the logits of two groups from the influences of their units, or null as in `differenceOf`. */
export function covarianceOf(
  shared: readonly (readonly [number, number])[],
  one: ArrayLike<number>,
  other: ArrayLike<number>,
): number | null {
  if (shared.length === 0) return null;
  let covariance = 0;
  for (const [x, y] of shared) covariance += one[x]! * other[y]!;
  return covariance;
}

/**
 * Tests the difference of the logits of two groups of clusters. Shocks that units share add to the variance.
 *
 * Each confidence limit of the difference is split into two logits around their weighted mean. The bound is the
 * difference of the two corresponding retentions. Therefore the bounds agree with the test.
 */
export function logitTest(
  one: Clustered,
  other: Clustered,
  { confidence, estimate }: {
    readonly confidence: number;
    readonly estimate: RetentionEstimator;
  },
): RetentionTest {
  const { scale = USER_SHARES } = one;
  const a = logitEstimate(one.clusters, estimate, scale);
  const b = logitEstimate(other.clusters, estimate, scale);
  const shared = pairsAt(one.clusters, other.clusters);
  const covariance = covarianceOf(shared, a.influences, b.influences);
  const { units, difference } = differenceOf(a, b, covariance);
  if (!(units.variance > ROUNDING)) return noTest("the difference of the units has no variance");
  const total = withShocks(units, shocksBetween(one, other, estimate));
  const [own, rest] = ([[a, one], [b, other]] as const).map(([found, clustered]) =>
    found.variance + sumOf(shocksOf(clustered, estimate).map(({ variance }) => variance))
  ) as [number, number];
  const sum = own + rest;
  const mean = (a.logit * rest + b.logit * own) / sum;
  const apart = (delta: number) =>
    scale.inverse(mean + delta * own / sum) - scale.inverse(mean - delta * rest / sum);
  const half = total.halfAt(confidence);
  return {
    test: estimate === "weighted" ? "jackknife" : "unweighted",
    p_value: total.tailsOf(difference),
    lower: apart(difference - half),
    upper: apart(difference + half),
    shared: total.shared,
    reason: null,
  };
}

/** Returns the places of the units that are in both groups. */
export function pairsAt(
  one: readonly ClusterUsers[],
  other: readonly ClusterUsers[],
): (readonly [number, number])[] {
  const places = new Map(other.map(({ unit }, at) => [unit, at]));
  return one.flatMap(({ unit }, at) => {
    const same = unit === undefined ? undefined : places.get(unit);
    return same === undefined ? [] : [[at, same] as const];
  });
}

/** Returns the users of the units that are in both groups, in the same order. */
export function pairsOf(one: readonly ClusterUsers[], other: readonly ClusterUsers[]): Pair[] {
  return pairsAt(one, other).map(([a, b]) => [one[a]!, other[b]!]);
}

/** Users of a unit in two groups. */
type Pair = readonly [ClusterUsers, ClusterUsers];

/** Returns the standardized retentions of two groups, with the weights of Mantel and Haenszel, and these weights. */
function standardizedOf(pairs: readonly Pair[]) {
  let [total, one, other] = [0, 0, 0];
  const weights = pairs.map(([a, b]) => {
    const weight = a.size * b.size / (a.size + b.size);
    total += weight;
    one += weight * (a.retained / a.size);
    other += weight * (b.retained / b.size);
    return weight;
  });
  const [retention_a, retention_b] = [one / total, other / total];
  return { weights, total, retention_a, retention_b, difference: retention_a - retention_b };
}

/** Returns the difference of paired units, with its variance by a jackknife over units. */
export function pairedDifference(pairs: readonly Pair[]) {
  const found = standardizedOf(pairs);
  const { weights, total, difference } = found;
  let squares = 0;
  pairs.forEach(([a, b], at) => {
    const apart = a.retained / a.size - b.retained / b.size;
    const without = (difference * total - weights[at]! * apart) / (total - weights[at]!);
    squares += (without - difference) ** 2;
  });
  const variance = (pairs.length - 1) / pairs.length * squares;
  return { ...found, units: { variance, degrees: effectiveDegrees(weights) } };
}

/**
 * Returns what shared shocks add to the variance of the difference of paired units, from a jackknife over blocks. If both
 * groups have the same cohort dates, a block is left out of both at once, otherwise of one at a time.
 */
export function pairedShocks(
  pairs: readonly Pair[],
  sides: readonly [Clustered, Clustered],
  { weights, total, difference }: ReturnType<typeof standardizedOf>,
): ShockPart[] {
  if (sides.some(({ dates }) => dates === null)) return [];
  const blocks = [...Array(BLOCKS).keys()];
  const paired = new Map(pairs.map(([{ unit }], at) => [unit, at]));
  const parts = sides.map(({ cells }, side) => {
    const users = blocks.map(() => 0);
    const own = pairs.map(() => blocks.map(() => ({ size: 0, retained: 0 })));
    for (const { unit, block, size, retained } of cells) {
      const at = paired.get(unit);
      if (at === undefined) continue;
      own[at]![block] = { size, retained };
      users[block]! += size;
    }
    const without = (at: number, left: number): ClusterUsers => {
      const all = pairs[at]![side]!;
      const { size, retained } = own[at]![left]!;
      return { size: all.size - size, retained: all.retained - retained };
    };
    const has = (at: number, block: number) => own[at]![block]!.size > 0;
    return { without, has, degrees: effectiveDegrees(users) };
  });
  const change = (left: number, out: readonly boolean[], only?: number) => {
    const rest = pairs.map((pair, at) =>
      pair.map((users, side) =>
        out[side] && (only ?? at) === at ? parts[side]!.without(at, left) : users
      ) as [ClusterUsers, ClusterUsers]
    ).filter(([a, b]) => a.size > 0 && b.size > 0);
    return (standardizedOf(rest).difference - difference) ** 2;
  };
  const varianceOf = (...out: boolean[]) =>
    (BLOCKS - 1) / BLOCKS * sumOf(blocks.map((left) => change(left, out)));
  const [a, b] = parts as [typeof parts[0], typeof parts[0]];
  // Amounts are no trials: cells of units and blocks stand for independent users.
  const cellsOf = (...out: boolean[]) => {
    const cells = pairs.flatMap((_, at) =>
      blocks.filter((left) => out.some((isOut, side) => isOut && parts[side]!.has(at, left)))
        .map((left) => change(left, out, at))
    );
    return (cells.length - 1) / cells.length * sumOf(cells);
  };
  const isJoint = sides[0].dates === sides[1].dates;
  const found: VariancePart[] = isJoint
    ? [{ variance: varianceOf(true, true), degrees: Math.min(a.degrees, b.degrees) }]
    : [
      { variance: varianceOf(true, false), degrees: a.degrees },
      { variance: varianceOf(false, true), degrees: b.degrees },
    ];
  const between = sumOf(found.map(({ variance }) => variance));
  const noise = ({ size, retained }: ClusterUsers) =>
    retained / size * (1 - retained / size) / size;
  const { scale = USER_SHARES } = sides[0];
  const least = scale.trials
    ? sumOf(pairs.map(([a, b], at) => weights[at]! ** 2 * (noise(a) + noise(b)))) / total ** 2
    : isJoint
    ? cellsOf(true, true)
    : cellsOf(true, false) + cellsOf(false, true);
  // Units that all began in one block leave nothing without it.
  if (!(between > 0)) return [];
  return [{
    variance: Math.max(0, between - least),
    least,
    degrees: between ** 2 / sumOf(found.map((part) => part.variance ** 2 / part.degrees)),
  }];
}

/**
 * Tests the difference of two groups within the units that are in both: the mean of the units' differences, with the
 * weights n₁n₀/(n₁ + n₀) of Mantel and Haenszel (Greenland and Robins 1985, Biometrics 41, 55-68). The error is that of a
 * jackknife over units. The degrees of freedom are those of Kish (1965) for the weights. Shocks that units share add to
 * the variance.
 */
export function pairedTest(
  pairs: readonly Pair[],
  sides: readonly [Clustered, Clustered],
  confidence: number,
): RetentionTest {
  const found = pairedDifference(pairs);
  const { retention_a, retention_b, difference, units } = found;
  const standardized = { retention_a, retention_b, difference };
  if (!(units.variance > ROUNDING)) {
    const edge = [0, 1].includes(retention_a) && retention_a === retention_b &&
      sides[0].scale !== AMOUNTS;
    return {
      ...noTest(
        edge
          ? `${retention_a === 0 ? "none" : "all"} of the users are retained on both sides`
          : "the differences of all units are equal: they have no variance",
      ),
      ...standardized,
    };
  }
  const amounts = sides[0].scale === AMOUNTS;
  const all = withShocks(units, pairedShocks(pairs, sides, found));
  const half = all.halfAt(confidence);
  return {
    test: "paired",
    p_value: all.tailsOf(difference),
    lower: amounts ? difference - half : Math.max(-1, difference - half),
    upper: amounts ? difference + half : Math.min(1, difference + half),
    shared: all.shared,
    reason: null,
    ...standardized,
  };
}

function noTest(reason: string): RetentionTest {
  return { test: null, p_value: NaN, ...NO_INTERVAL, reason };
}

/** The reasons why two retentions are not tested, by the bounds of one of the two. */
const UNTESTED: Readonly<Record<string, string>> = {
  month_0: "retention is 1 in month 0 by definition",
  one_cluster: "one of the two has only one unit, or fewer than three cohorts with dates",
  edge: "none or all users are retained in one of the two: its clusters have no variance",
  few_units: "a test of amounts, or of how long users stay, needs 3 units on both sides",
};

/** Tests whether two retentions are equal, and computes bounds of their difference. */
export function retentionTest(
  a: RetentionEstimate,
  b: RetentionEstimate,
  { confidence, estimate = "weighted", paired }: {
    readonly confidence: number;
    readonly estimate?: RetentionEstimator | undefined;
    /** Whether only units that are in both groups are compared, each with itself. */
    readonly paired: boolean;
  },
): RetentionTest {
  if (a.bounds === null || b.bounds === null) return noTest("one of the two has no retention");
  if (paired && a.bounds !== "month_0") {
    const shared = pairsOf(a.clusters, b.clusters);
    if (a.scale === AMOUNTS && shared.length < 3) return noTest(UNTESTED.few_units!);
    return shared.length < 2
      ? noTest("fewer than two units are in both groups: paired: false compares all units")
      : pairedTest(shared, [a, b], confidence);
  }
  const reasonFor = ({ bounds, scale = USER_SHARES }: RetentionEstimate) =>
    bounds === "edge" && !scale.trials
      ? "all units of one of the two have the same ratio: they have no variance"
      : UNTESTED[bounds!];
  const untested = reasonFor(a) ?? reasonFor(b);
  if (untested !== undefined) return noTest(untested);
  return a.bounds === "binomial"
    ? scoreTest(a, b, confidence)
    : logitTest(a, b, { confidence, estimate });
}

/**
 * Returns p values adjusted to control the false discovery rate (Benjamini and Hochberg 1995), as R's
 * `p.adjust(p, "BH")` does. A NaN means that there was no test, and stays NaN in the result.
 */
export function benjaminiHochberg(values: readonly number[]): number[] {
  const adjusted = values.map(() => NaN);
  const order = values.flatMap((value, index) => Number.isNaN(value) ? [] : [index])
    .sort((a, b) => values[b]! - values[a]!);
  let least = 1;
  order.forEach((index, place) => {
    least = Math.min(least, order.length / (order.length - place) * values[index]!);
    adjusted[index] = least;
  });
  return adjusted;
}
