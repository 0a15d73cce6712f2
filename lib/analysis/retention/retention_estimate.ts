import { counted } from "../../platform/terminal.ts";
import { clusterParts, type CohortGroup, type RetentionEstimator } from "./cohort_counts.ts";
import { studentQuantile } from "../distributions.ts";
import {
  effectiveDegrees,
  expit,
  type Interval,
  NO_INTERVAL,
  unionOf,
  wilsonBounds,
} from "../intervals.ts";
import { meanOf, sumOf } from "../sums.ts";

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
  /** The number of the unit, if the cluster is one. Units have the same number in all groups. */
  readonly unit?: number | undefined;
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

/** The smallest number of retained users, or of lost users, on which a result can rest without a remark. */
const FEW_USERS = 10;

/** Returns remarks on a result that rests on few retained users, or on few lost users. */
export function fewUsers({ size, retained }: ClusterUsers, name?: string | null): string[] {
  const has = name === undefined ? "" : `${name} has `;
  return ([["retained", retained], ["lost", size - retained]] as const)
    .filter(([, users]) => users < FEW_USERS)
    .map(([what, users]) => `${has}only ${counted(Math.round(users), `${what} user`)}`);
}

/**
 * Returns Pearson's chi-squared of the clusters divided by its degrees of freedom: about 1 if clusters differ only by
 * chance. The pooled proportion must be above 0 and below 1.
 */
function dispersionOf(clusters: readonly ClusterUsers[]): number {
  const { size: users, retained: kept } = sumOfUsers(clusters);
  const share = kept / users;
  const pearson = sumOf(
    clusters.map(({ size, retained }) => (retained / size - share) ** 2 * size),
  );
  return pearson / (share * (1 - share)) / (clusters.length - 1);
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
export interface RetentionEstimate extends Interval, ClusterUsers {
  readonly retention: number;
  /** The kind of the bounds. Null if there is no retention. */
  readonly bounds: BoundsKind | null;
  /** The clusters that have users in the month. */
  readonly clusters: readonly ClusterUsers[];
  /** The dispersion between clusters. NaN if the bounds do not come from clusters. */
  readonly dispersion: number;
}

/**
 * Returns the retention of two or more clusters as `share`, its logit, the influence of each cluster on the logit, the
 * variance of the logit, and the degrees of freedom of this variance. The share must be above 0 and below 1.
 *
 * - `weighted`: the share of all users. The degrees of freedom are those of Kish (1965).
 * - `unweighted`: the mean of the shares of k clusters, with k - 1 degrees of freedom.
 *
 * The sum of the squared influences, `between`, is the delete-one-cluster jackknife variance (Tukey 1958), carried to the
 * logit by the delta method. `least` is the variance of the logit if users are independent, and `variance` is never
 * smaller. For the mean of shares, `least` is 0 unless all shares are equal.
 */
export function logitEstimate(clusters: readonly ClusterUsers[], estimate: RetentionEstimator) {
  const count = clusters.length;
  const { size, retained } = sumOfUsers(clusters);
  const weighted = estimate === "weighted";
  const shares = clusters.map((each) => each.retained / each.size);
  const share = weighted ? retained / size : meanOf(shares);
  const slope = share * (1 - share);
  const scale = Math.sqrt((count - 1) / count) / slope;
  const influences = clusters.map((each, at) =>
    scale *
    (weighted
      ? share - (retained - each.retained) / (size - each.size)
      : (shares[at]! - share) / (count - 1))
  );
  const between = sumOf(influences.map((each) => each * each));
  const own = () =>
    sumOf(clusters.map((each, at) => shares[at]! * (1 - shares[at]!) / each.size)) /
    (count * slope) ** 2;
  // Equal shares would have no variance.
  const least = weighted ? 1 / retained + 1 / (size - retained) : between > 0 ? 0 : own();
  return {
    share,
    logit: Math.log(share / (1 - share)),
    influences,
    least,
    between,
    variance: Math.max(least, between),
    degrees: weighted ? effectiveDegrees(clusters.map((each) => each.size)) : count - 1,
  };
}

/**
 * Returns the retention of a group in one of its months: of all its users, or of its typical cluster.
 *
 * Bounds by clusters are symmetric on the logit scale. Bounds of all users are at least as wide as Wilson's.
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
  const clusters = clusterParts(group, ({ size }) => size[at]! > 0).map((parts): ClusterUsers => ({
    unit: parts[0]!.unit,
    size: sumOf(parts.map(({ size }) => size[at]!)),
    retained: sumOf(parts.map(({ retained }) => retained[at]!)),
  }));
  const none = { size, retained, clusters, ...NO_INTERVAL, dispersion: NaN };
  if (!(size > 0)) return { ...none, size: 0, retained: NaN, retention: NaN, bounds: null };
  const retention = estimate === "weighted"
    ? Math.min(1, retained / size)
    : meanOf(clusters.map((each) => each.retained / each.size));
  if (group.months[at] === 0) return { ...none, retention, bounds: "month_0" };
  const least = wilsonBounds(confidence)(Math.min(1, retained / size), size);
  if (group.cluster === "none") return { ...none, retention, ...least, bounds: "binomial" };
  if (clusters.length < 2) return { ...none, retention, bounds: "one_cluster" };
  if (!(retained > 0 && retained < size)) return { ...none, retention, bounds: "edge" };
  const { logit, between, variance, degrees } = logitEstimate(clusters, estimate);
  const error = Math.sqrt(estimate === "weighted" ? between : variance);
  const half = studentQuantile(confidence, degrees) * error;
  const spread = { lower: expit(logit - half), upper: expit(logit + half) };
  return {
    ...none,
    retention,
    ...estimate === "weighted" ? unionOf(least, spread) : spread,
    dispersion: dispersionOf(clusters),
    bounds: group.cluster === "cohort_block" ? "block" : "cluster",
  };
}
