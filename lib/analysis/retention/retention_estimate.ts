import { clustersIn, type CohortGroup, type RetentionEstimator } from "./cohort_counts.ts";
import { studentQuantile } from "../distributions.ts";
import {
  effectiveDegrees,
  expit,
  type Interval,
  jackknifeError,
  logitInterval,
  NO_INTERVAL,
  unionOf,
  wilsonBounds,
} from "../intervals.ts";
import { deviation, meanOf, sumOf } from "../sums.ts";

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
  /** The number of the project, if the cluster is one. */
  readonly project?: number | undefined;
  readonly size: number;
  readonly retained: number;
}

/** Returns the users of all clusters together. */
export function sumOfUsers(clusters: readonly ClusterUsers[]) {
  return {
    size: sumOf(clusters.map(({ size }) => size)),
    retained: sumOf(clusters.map(({ retained }) => retained)),
  };
}

/**
 * Returns the spread of a pooled proportion over two or more clusters. The proportion must be above 0 and below 1.
 *
 * `dispersion` is Pearson's chi-squared divided by its degrees of freedom: about 1 if clusters differ only by chance.
 * `error` is the delete-one-cluster jackknife standard error of the proportion. `degrees` is the number of degrees of
 * freedom of `error` (Kish 1965).
 */
export function clusterSpread(clusters: readonly ClusterUsers[]) {
  const { size: users, retained: kept } = sumOfUsers(clusters);
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

/** Returns the logits of clusters as `values`, their mean, and the binomial variance of the mean. */
export function typicalLogit(clusters: readonly ClusterUsers[]) {
  const logits = clusters.map(clusterLogit);
  const values = logits.map(({ logit }) => logit);
  const variance = sumOf(logits.map(({ variance }) => variance)) / clusters.length ** 2;
  return { logit: meanOf(values), variance, values };
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
}

/**
 * Returns the logit of the retention of one or more clusters, the variance of this logit, and the degrees of freedom of
 * this variance. A variance is at least as large as for independent users.
 *
 * - `weighted`: the logit of the retention of all users, with the jackknife error.
 * - `unweighted`: the mean of the logits of k clusters. The variance is the larger of s² / k and Σv / k², where s² is the
 *   variance of the logits and v is the variance of the logit of a cluster. There are k - 1 degrees of freedom.
 */
export function logitEstimate(clusters: readonly ClusterUsers[], estimate: RetentionEstimator) {
  if (estimate === "unweighted") {
    const count = clusters.length;
    const { logit, variance, values } = typicalLogit(clusters);
    const between = count > 1 ? deviation(values) ** 2 / count : 0;
    return { logit, variance: Math.max(variance, between), degrees: count - 1 };
  }
  const { size, retained } = sumOfUsers(clusters);
  const { logit, variance } = clusterLogit({ size, retained });
  const { error, degrees } = clusterSpread(clusters);
  const share = retained / size;
  const clustered = (error / (share * (1 - share))) ** 2;
  return { logit, variance: Math.max(variance, clustered), degrees };
}

/**
 * Returns the retention of a group in one of its months: of all its users, or of its typical cluster.
 *
 * Bounds by clusters are symmetric on the logit scale. The half-width of `weighted` is the jackknife standard error of
 * the retention, converted to the logit scale by the delta method, times the quantile of Student's t. The degrees of
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
  const clusters = clustersIn(group, at).map(({ project, size, retained }): ClusterUsers => (
    { project, size: size[at]!, retained: retained[at]! }
  ));
  const none = { size, retained, clusters, ...NO_INTERVAL, dispersion: NaN };
  if (!(size > 0)) return { ...none, size: 0, retained: NaN, retention: NaN, bounds: null };
  const retention = Math.min(1, retained / size);
  if (group.months[at] === 0) return { ...none, retention, bounds: "month_0" };
  const least = wilsonBounds(confidence)(retention, size);
  if (group.cluster === "none") return { ...none, retention, ...least, bounds: "binomial" };
  const dispersed = (kind: "cluster" | "block") => (
    { dispersion: clusterSpread(clusters).dispersion, bounds: kind }
  );
  if (estimate === "unweighted") {
    const { logit, variance, degrees } = logitEstimate(clusters, estimate);
    const typical = { ...none, retention: expit(logit) };
    if (degrees === 0) return { ...typical, bounds: "one_cluster" };
    const half = studentQuantile(confidence, degrees) * Math.sqrt(variance);
    return { ...typical, ...logitInterval(logit, half), ...dispersed("cluster") };
  }
  const edge = retained > 0 && retained < size ? null : "edge";
  const without = clusters.length < 2 ? "one_cluster" : edge;
  if (without !== null) return { ...none, retention, bounds: without };
  const { error, degrees } = clusterSpread(clusters);
  const half = studentQuantile(confidence, degrees) * error / (retention * (1 - retention));
  return {
    ...none,
    retention,
    ...unionOf(least, logitInterval(Math.log(retention / (1 - retention)), half)),
    ...dispersed(group.cluster === "cohort_block" ? "block" : "cluster"),
  };
}
