import { clustersIn, type CohortGroup } from "./cohort_counts.ts";
import { studentQuantile } from "./distributions.ts";
import {
  effectiveDegrees,
  expit,
  type Interval,
  jackknifeError,
  logitInterval,
  NO_INTERVAL,
  unionOf,
  wilsonBounds,
} from "./intervals.ts";
import { sumOf } from "./sums.ts";

/**
 * The method of `lower` and `upper`, or the reason why they are missing.
 *
 * - `cluster`, `block`: bounds from the spread between clusters, or between blocks of neighboring cohorts.
 * - `binomial`: Wilson's bounds, which assume independent users.
 * - `one_cluster`: no bounds, because there is only one cluster, or fewer than three cohorts to divide into blocks.
 * - `edge`: no bounds, because none or all of the users are retained, so clusters have no spread.
 * - `month_0`: no bounds, because retention is 1 by definition.
 */
type BoundsKind = "cluster" | "block" | "binomial" | "one_cluster" | "edge" | "month_0";

/** The number of users of a cluster, and the number of retained users. */
export interface ClusterUsers {
  readonly size: number;
  readonly retained: number;
}

/**
 * Returns the spread of a pooled proportion over two or more clusters. The proportion must be above 0 and below 1.
 *
 * `dispersion` is Pearson's chi-squared divided by its degrees of freedom: about 1 if clusters differ only by chance.
 * `error` is the delete-one-cluster jackknife standard error of the proportion. `degrees` is the number of degrees of
 * freedom of `error` (Kish 1965).
 */
export function clusterSpread(clusters: readonly ClusterUsers[]) {
  const users = sumOf(clusters.map(({ size }) => size));
  const kept = sumOf(clusters.map(({ retained }) => retained));
  const proportion = kept / users;
  const pearson = sumOf(
    clusters.map(({ size, retained }) => (retained / size - proportion) ** 2 * size),
  );
  return {
    dispersion: pearson / (proportion * (1 - proportion)) / (clusters.length - 1),
    error: jackknifeError(
      proportion,
      clusters.map(({ size, retained }) => (kept - retained) / (users - size)),
    ),
    degrees: effectiveDegrees(clusters.map(({ size }) => size)),
  };
}

/**
 * Returns the logit of the retention of a cluster, and the variance of this logit. If none or all users are retained,
 * adds half a user to the retained users and to the lost users.
 */
export function clusterLogit({ size, retained }: ClusterUsers) {
  // The correction is that of Haldane (1956) and Anscombe (1956).
  const half = retained > 0 && retained < size ? 0 : 0.5;
  const [kept, gone] = [retained + half, size - retained + half];
  return { logit: Math.log(kept / gone), variance: 1 / kept + 1 / gone };
}

/** The retention of a group in a month, and its bounds. NaN means null. */
export interface RetentionEstimate extends Interval {
  readonly size: number;
  readonly retained: number;
  readonly retention: number;
  /** The kind of the bounds. Null if there is no retention. */
  readonly bounds: BoundsKind | null;
  /** The clusters that have users in the month. */
  readonly clusters: readonly ClusterUsers[];
  /** The dispersion between clusters. NaN if the bounds do not come from clusters. */
  readonly dispersion: number;
  /** The variance of the logits between projects. NaN unless random effects are used. */
  readonly tau2: number;
}

/** The values of the option `estimate` of `pooledRetention`. */
export const RETENTION_ESTIMATES = ["weighted", "random-effects"] as const;

export type RetentionEstimator = typeof RETENTION_ESTIMATES[number];

/**
 * Returns the random-effects estimate of retention: the mean of the clusters' logits, converted to a fraction. The
 * variance between the logits is estimated by the method of DerSimonian and Laird (1986, Controlled Clinical Trials 7,
 * 177-188). The standard error is that of Hartung and Knapp (2001, Statistics in Medicine 20, 3875-3889), without a
 * lower limit. The bounds use Student's t with `clusters - 1` degrees of freedom.
 */
export function randomEffects(clusters: readonly ClusterUsers[], confidence: number) {
  const logits = clusters.map(clusterLogit);
  const centerOf = (weights: readonly number[]) =>
    sumOf(logits.map(({ logit }, index) => weights[index]! * logit)) / sumOf(weights);
  const squaresOf = (weights: readonly number[], mean: number) =>
    sumOf(logits.map(({ logit }, index) => weights[index]! * (logit - mean) ** 2));
  const fixed = logits.map(({ variance }) => 1 / variance);
  const degrees = clusters.length - 1;
  const excess = squaresOf(fixed, centerOf(fixed)) - degrees;
  const scale = sumOf(fixed) - sumOf(fixed.map((weight) => weight * weight)) / sumOf(fixed);
  const tau2 = Math.max(0, excess / scale);
  const weights = logits.map(({ variance }) => 1 / (variance + tau2));
  const mean = centerOf(weights);
  const error = Math.sqrt(squaresOf(weights, mean) / degrees / sumOf(weights));
  const half = studentQuantile(confidence, degrees) * error;
  return { retention: expit(mean), tau2, ...logitInterval(mean, half) };
}

/**
 * Returns the retention of a group in one of its months, weighted by users or by random effects.
 *
 * Bounds by clusters are symmetric on the logit scale. Their half-width is the jackknife standard error of the
 * retention, converted to the logit scale by the delta method, times the quantile of Student's t. The degrees of
 * freedom depend on the sizes of the clusters. Bounds by clusters are at least as wide as Wilson's.
 */
export function retentionEstimate(
  group: CohortGroup,
  at: number,
  { confidence, estimate = "weighted" }: {
    readonly confidence: number;
    readonly estimate?: RetentionEstimator;
  },
): RetentionEstimate {
  const [size, retained] = [group.total.size[at]!, group.total.retained[at]!];
  const clusters = clustersIn(group, at).map((counts): ClusterUsers => (
    { size: counts.size[at]!, retained: counts.retained[at]! }
  ));
  const none = { size, retained, clusters, ...NO_INTERVAL, dispersion: NaN, tau2: NaN };
  if (!(size > 0)) return { ...none, size: 0, retained: NaN, retention: NaN, bounds: null };
  const retention = Math.min(1, retained / size);
  if (group.months[at] === 0) return { ...none, retention, bounds: "month_0" };
  const least = wilsonBounds(confidence)(retention, size);
  if (group.cluster === "none") return { ...none, retention, ...least, bounds: "binomial" };
  const random = estimate === "random-effects";
  const edge = retained > 0 && retained < size ? null : "edge";
  const without = clusters.length < 2 ? "one_cluster" : edge;
  if (random && clusters.length < 3) return { ...none, retention: NaN, bounds: without };
  if (without !== null) return { ...none, retention, bounds: without };
  const { dispersion, error, degrees } = clusterSpread(clusters);
  if (random) {
    return { ...none, ...randomEffects(clusters, confidence), dispersion, bounds: "cluster" };
  }
  const half = studentQuantile(confidence, degrees) * error / (retention * (1 - retention));
  return {
    ...none,
    retention,
    ...unionOf(least, logitInterval(Math.log(retention / (1 - retention)), half)),
    dispersion,
    bounds: group.cluster === "cohort_block" ? "block" : "cluster",
  };
}
