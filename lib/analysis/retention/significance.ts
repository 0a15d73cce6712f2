import type { RetentionEstimator } from "./cohort_counts.ts";
import { normalTails, studentQuantile, studentTails } from "../distributions.ts";
import {
  effectiveDegrees,
  expit,
  type Interval,
  jackknifeError,
  NO_INTERVAL,
  wilsonBounds,
} from "../intervals.ts";
import {
  clusterLogit,
  type ClusterUsers,
  logitEstimate,
  type RetentionEstimate,
  sumOfUsers,
  typicalLogit,
} from "./retention_estimate.ts";
import { deviation } from "../sums.ts";

/** The result of a test of whether two retentions are equal, with bounds of their difference. NaN means null. */
interface RetentionTest extends Interval {
  readonly test: "paired" | "jackknife" | "unweighted" | "new_observation" | "score" | null;
  readonly p_value: number;
  /** The estimates of a paired test, which are those of the projects in both groups, and the numbers of projects. */
  readonly paired?: {
    readonly retention_a: number;
    readonly retention_b: number;
    readonly difference: number;
    readonly pairs: number;
    readonly unpaired: number;
  };
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

/** A logit and its variance. */
interface Logit {
  readonly logit: number;
  readonly variance: number;
}

/**
 * Returns the p value and the bounds of a difference of two logits by Student's t. Each confidence limit of the
 * difference is split into two logits around their weighted mean. The bound is the difference of the two corresponding
 * retentions. Therefore the bounds agree with the test.
 */
function logitDifference(
  [a, b]: readonly [Logit, Logit],
  { variance, degrees, confidence }: {
    readonly variance: number;
    readonly degrees: number;
    readonly confidence: number;
  },
) {
  const difference = a.logit - b.logit;
  const error = Math.sqrt(variance);
  const all = a.variance + b.variance;
  const mean = (a.logit * b.variance + b.logit * a.variance) / all;
  const apart = (delta: number) =>
    expit(mean + delta * a.variance / all) - expit(mean - delta * b.variance / all);
  const half = studentQuantile(confidence, degrees) * error;
  return {
    p_value: studentTails(difference / error, degrees),
    lower: apart(difference - half),
    upper: apart(difference + half),
    reason: null,
  };
}

/**
 * Tests the difference of the logits of two groups of clusters. The degrees of freedom are those of Satterthwaite
 * (1946, Biometrics Bulletin 2, 110-114).
 */
export function logitTest(
  one: readonly ClusterUsers[],
  other: readonly ClusterUsers[],
  { confidence, estimate }: {
    readonly confidence: number;
    readonly estimate: RetentionEstimator;
  },
): RetentionTest {
  const [a, b] = [logitEstimate(one, estimate), logitEstimate(other, estimate)];
  const variance = a.variance + b.variance;
  const degrees = variance * variance /
    (a.variance * a.variance / a.degrees + b.variance * b.variance / b.degrees);
  return {
    test: estimate === "weighted" ? "jackknife" : "unweighted",
    ...logitDifference([a, b], { variance, degrees, confidence }),
  };
}

/** The minimum number of projects that must be in both groups for a paired test. */
const FEWEST_PAIRS = 2;

/** Returns the users of the projects that are in both groups, in the same order. */
export function pairsOf(
  one: readonly ClusterUsers[],
  other: readonly ClusterUsers[],
): (readonly [ClusterUsers, ClusterUsers])[] {
  const byProject = new Map(other.map((users) => [users.project, users]));
  return one.flatMap((users) => {
    const same = users.project === undefined ? undefined : byProject.get(users.project);
    return same === undefined ? [] : [[users, same] as const];
  });
}

/**
 * Tests the difference of two groups within the projects that are in both.
 *
 * - `unweighted`: the mean of the differences of the projects' logits. Its variance is the larger of s² / k and
 *   Σ(v_a + v_b) / k². There are k - 1 degrees of freedom.
 * - `weighted`: the difference of the logits of all users of these projects, with the error of a jackknife over projects.
 *   The degrees of freedom are those of `clusterSpread`.
 */
function pairedTest(
  pairs: readonly (readonly [ClusterUsers, ClusterUsers])[],
  { confidence, estimate, unpaired }: {
    readonly confidence: number;
    readonly estimate: RetentionEstimator;
    readonly unpaired: number;
  },
): RetentionTest {
  const of = (side: 0 | 1, kept = pairs): Logit => {
    const users = kept.map((pair) => pair[side]);
    return estimate === "weighted" ? clusterLogit(sumOfUsers(users)) : typicalLogit(users);
  };
  const apart = (kept = pairs) => of(0, kept).logit - of(1, kept).logit;
  const [a, b] = [of(0), of(1)];
  const [error, degrees] = estimate === "weighted"
    ? [
      jackknifeError(apart(), pairs.map((_, out) => apart(pairs.toSpliced(out, 1)))),
      effectiveDegrees(pairs.map(([one, other]) => one.size + other.size)),
    ]
    : [
      deviation(pairs.map((pair) => apart([pair]))) / Math.sqrt(pairs.length),
      pairs.length - 1,
    ];
  const variance = Math.max(error ** 2, a.variance + b.variance);
  const [retention_a, retention_b] = [expit(a.logit), expit(b.logit)];
  return {
    test: "paired",
    ...logitDifference([a, b], { variance, degrees, confidence }),
    paired: {
      retention_a,
      retention_b,
      difference: retention_a - retention_b,
      pairs: pairs.length,
      unpaired,
    },
  };
}

/**
 * Tests whether the logit of one cluster is from the population of the logits of several other clusters (Crawford and
 * Howell 1998, The Clinical Neuropsychologist 12, 482-486).
 */
function newObservationTest(
  one: ClusterUsers,
  others: readonly ClusterUsers[],
): RetentionTest {
  const count = others.length;
  const { logit, values } = typicalLogit(others);
  const error = deviation(values) * Math.sqrt(1 + 1 / count);
  const difference = clusterLogit(one).logit - logit;
  if (!(error > 0)) {
    return noTest("the clusters of the larger group are all equal: they have no variance");
  }
  return {
    test: "new_observation",
    p_value: studentTails(difference / error, count - 1),
    ...NO_INTERVAL,
    reason: null,
  };
}

function noTest(reason: string): RetentionTest {
  return { test: null, p_value: NaN, ...NO_INTERVAL, reason };
}

/** Tests whether two retentions are equal, and computes bounds of their difference. */
export function retentionTest(
  a: RetentionEstimate,
  b: RetentionEstimate,
  { confidence, blocks, estimate, paired = true }: {
    readonly confidence: number;
    /** Whether clusters are blocks of cohorts. If so, a group with only one block cannot be tested. */
    readonly blocks: boolean;
    /** Undefined means `unweighted` for pairs, otherwise `weighted`. */
    readonly estimate: RetentionEstimator | undefined;
    /** Whether projects that are in both groups are compared with themselves. */
    readonly paired?: boolean;
  },
): RetentionTest {
  if (a.bounds === null || b.bounds === null) return noTest("one of the two has no retention");
  if (a.bounds === "month_0") return noTest("retention is 1 in month 0 by definition");
  if (a.bounds === "binomial" && b.bounds === "binomial") return scoreTest(a, b, confidence);
  const pairs = paired ? pairsOf(a.clusters, b.clusters) : [];
  if (pairs.length >= FEWEST_PAIRS) {
    const unpaired = a.clusters.length + b.clusters.length - 2 * pairs.length;
    return pairedTest(pairs, { confidence, estimate: estimate ?? "unweighted", unpaired });
  }
  const [one, several] = a.clusters.length < b.clusters.length ? [a, b] : [b, a];
  if (several.clusters.length === 1) {
    return noTest(
      blocks
        ? "both have fewer than three cohorts with dates: no blocks"
        : "both have one cluster: the variance between clusters is unknown",
    );
  }
  const edge = "none or all users are retained in one of the two: its clusters have no variance";
  if (several.bounds === "edge") return noTest(edge);
  if (one.clusters.length === 1) {
    return blocks
      ? noTest("one of the two has fewer than three cohorts with dates: no blocks")
      : newObservationTest(one.clusters[0]!, several.clusters);
  }
  return one.bounds === "edge"
    ? noTest(edge)
    : logitTest(a.clusters, b.clusters, { confidence, estimate: estimate ?? "weighted" });
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
