import { effectiveDegrees } from "../intervals.ts";
import { meanOf, sumOf } from "../sums.ts";
import type { ClusterUsers, RetentionEstimator } from "./cohort_counts.ts";

/** Returns the users of all clusters together. */
export function sumOfUsers(clusters: readonly ClusterUsers[]) {
  return {
    size: sumOf(clusters.map(({ size }) => size)),
    retained: sumOf(clusters.map(({ retained }) => retained)),
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
