import { sumOf } from "../sums.ts";
import type { ClusterUsers, RetentionEstimator } from "./cohort_counts.ts";
import { type Scale, USER_SHARES } from "../intervals.ts";

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
 * Returns the retention of two or more clusters as `share`, its value on a scale, such as the logit, the influence of each
 * cluster on this value, its variance, and the degrees of freedom of this variance. The share of users must be above 0
 * and below 1, that of amounts above 0.
 *
 * - `weighted`: the share of all users. The degrees of freedom are those of Kish (1965).
 * - `unweighted`: the mean of the shares of k clusters, with k - 1 degrees of freedom.
 *
 * The sum of the squared influences, `between`, is the delete-one-cluster jackknife variance (Tukey 1958), carried to the
 * scale by the delta method. `least` is the variance if users are independent, and `variance` is never smaller. For
 * the mean of shares, `least` is 0 unless all shares are equal. It is 0 if users are no trials.
 */
export function logitEstimate(
  clusters: readonly ClusterUsers[],
  estimate: RetentionEstimator,
  scale: Scale = USER_SHARES,
) {
  const count = clusters.length;
  const weighted = estimate === "weighted";
  // Simulations call this for each draw, so that nothing but the influences is allocated.
  let [size, retained, shares, squares, most] = [0, 0, 0, 0, 0];
  for (const each of clusters) {
    size += each.size;
    retained += each.retained;
    shares += each.retained / each.size;
    most = Math.max(most, each.size);
  }
  for (const each of clusters) squares += (each.size / most) ** 2;
  const share = weighted ? retained / size : shares / count;
  const slope = scale.slope(share);
  const factor = Math.sqrt((count - 1) / count) * slope;
  let [between, own] = [0, 0];
  const influences = clusters.map((each) => {
    const part = each.retained / each.size;
    const influence = factor *
      (weighted
        ? share - (retained - each.retained) / (size - each.size)
        : (part - share) / (count - 1));
    between += influence * influence;
    own += part * (1 - part) / each.size;
    return influence;
  });
  const least = !scale.trials ? 0 : weighted
    ? 1 / retained + 1 / (size - retained)
    // Equal shares would have no variance.
    : between > 0
    ? 0
    : own * (slope / count) ** 2;
  return {
    share,
    logit: scale.of(share),
    influences,
    between,
    least,
    variance: Math.max(least, between),
    degrees: weighted ? Math.max(1, (size / most) ** 2 / squares - 1) : count - 1,
  };
}

/**
 * Returns a function that computes what `logitEstimate` does for all users of some clusters, and `influences`, which the
 * function overwrites. Simulations call it for each draw with other numbers of retained users, so that it allocates no array.
 */
export function weightedLogits(sizes: Float64Array) {
  const count = sizes.length;
  const influences = new Float64Array(count);
  let [size, squares] = [0, 0];
  for (const each of sizes) size += each;
  const most = sizes.reduce((a, b) => Math.max(a, b), 0);
  for (const each of sizes) squares += (each / most) ** 2;
  const degrees = Math.max(1, (size / most) ** 2 / squares - 1);
  const others = Math.sqrt((count - 1) / count);
  const estimate = (users: Float64Array) => {
    let [retained, between] = [0, 0];
    for (let at = 0; at < count; at++) retained += users[at]!;
    const share = retained / size;
    const factor = others * USER_SHARES.slope(share);
    for (let at = 0; at < count; at++) {
      const influence = factor * (share - (retained - users[at]!) / (size - sizes[at]!));
      influences[at] = influence;
      between += influence * influence;
    }
    const least = 1 / retained + 1 / (size - retained);
    return { logit: USER_SHARES.of(share), least, variance: Math.max(least, between), degrees };
  };
  return { estimate, influences };
}
