import type { Bounds } from "./wilson_bounds.ts";

/** How a proportion varies between clusters of users, such as projects or cohorts. */
export interface ClusterSpread {
  /** How many clusters have users. */
  readonly clusters: number;
  /** Pearson's chi-squared by its degrees of freedom: about 1 where the clusters are alike. */
  readonly dispersion: number;
  /** The delete-one-cluster jackknife standard error of the proportion. */
  readonly error: number;
  /** The degrees of freedom of that error: as if there were so many clusters of one size, less 1. */
  readonly degrees: number;
}

/** The clusters of a month: every `step`-th number from `first` on is one cluster's. */
interface Clusters {
  readonly retained: Float64Array;
  readonly size: Float64Array;
  readonly first: number;
  readonly step: number;
}

/** As many clusters of one size as these sizes are worth, less 1, and 1 at least (Kish 1965). */
export function effectiveDegrees(sizes: Iterable<number>): number {
  let [sum, squares] = [0, 0];
  // By the largest, the squares of very large sizes stay finite.
  const every = [...sizes];
  const most = every.reduce((a, b) => Math.max(a, b), 0);
  for (const size of every) {
    sum += size / most;
    squares += (size / most) ** 2;
  }
  return squares > 0 ? Math.max(1, sum * sum / squares - 1) : 1;
}

/**
 * The delete-one jackknife standard error of an estimate (Tukey 1958): how far it moves when one
 * cluster after the other is left out.
 */
export function jackknifeError(estimate: number, without: Iterable<number>): number {
  let [count, squares] = [0, 0];
  for (const value of without) {
    count += 1;
    squares += (value - estimate) ** 2;
  }
  return count > 1 ? Math.sqrt((count - 1) / count * squares) : NaN;
}

/** The spread of a pooled proportion, between 0 and 1 exclusive, over its clusters. */
export function clusterSpread({ retained, size, first, step }: Clusters): ClusterSpread {
  let [clusters, users, kept] = [0, 0, 0];
  for (let at = first; at < size.length; at += step) {
    if (size[at]! === 0) continue;
    clusters += 1;
    users += size[at]!;
    kept += retained[at]!;
  }
  const proportion = kept / users;
  const [sizes, without]: [number[], number[]] = [[], []];
  let pearson = 0;
  for (let at = first; at < size.length; at += step) {
    const n = size[at]!;
    if (n === 0) continue;
    sizes.push(n);
    without.push((kept - retained[at]!) / (users - n));
    pearson += (retained[at]! / n - proportion) ** 2 * n;
  }
  return {
    clusters,
    dispersion: pearson / (proportion * (1 - proportion)) / (clusters - 1),
    error: jackknifeError(proportion, without),
    degrees: effectiveDegrees(sizes),
  };
}

function logistic(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/**
 * Bounds of a proportion on the logit scale, where they are symmetric and cannot leave [0, 1], from
 * its standard error by the delta method; never within `least`, the bounds for independent users.
 */
export function logitBounds(
  proportion: number,
  { error, quantile, least }: {
    readonly error: number;
    readonly quantile: number;
    readonly least: Bounds;
  },
): Bounds {
  const logit = Math.log(proportion / (1 - proportion));
  const half = quantile * error / (proportion * (1 - proportion));
  return {
    lower: Math.min(least.lower, logistic(logit - half)),
    upper: Math.max(least.upper, logistic(logit + half)),
  };
}
