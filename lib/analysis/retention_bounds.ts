import type { Refuse } from "../platform/check_options.ts";
import { normalQuantile, studentQuantile } from "./distributions.ts";
import type { PooledGroup } from "./pooled_groups.ts";

/** The rule of a confidence: the part of all intervals that hold what they estimate. */
export function aConfidence(value: unknown, refuse: Refuse): number {
  return typeof value === "number" && value > 0 && value < 1
    ? value
    : refuse("must lie between 0 and 1, as 0.95 does");
}

/** An interval. */
export interface Bounds {
  readonly lower: number;
  readonly upper: number;
}

/**
 * Makes the Wilson score interval of a confidence (Wilson 1927, JASA 22, 209-212; R's
 * `prop.test(x, n, correct = FALSE)`): it takes a proportion, 0 to 1, and the trials it rests on,
 * more than 0. NaN where one of them is.
 *
 * @throws {RangeError} when `confidence` is not between 0 and 1.
 */
export function wilsonBounds(
  confidence: number,
): (proportion: number, trials: number) => Bounds {
  aConfidence(confidence, (allowed) => {
    throw new RangeError(`confidence: ${allowed}: ${confidence}`);
  });
  // The lower tail: 1 - (1 - confidence) / 2 would round to 1 for a confidence close to 1.
  const z = -normalQuantile((1 - confidence) / 2);
  return (proportion, trials) => {
    const share = 1 / (1 + z * z / trials);
    const centre = (proportion + z * z / (2 * trials)) * share;
    const spread = proportion * (1 - proportion) / trials + z * z / (4 * trials * trials);
    const half = z * Math.sqrt(spread) * share;
    // Rounding may put a bound on the wrong side of an estimate of 0 or 1 by a last digit.
    return {
      lower: Math.max(0, Math.min(proportion, centre - half)),
      upper: Math.min(1, Math.max(proportion, centre + half)),
    };
  };
}

/** How a proportion varies between clusters of users, such as projects or cohorts. */
interface ClusterSpread {
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

/** The retention of a group in a month, and how sure it is. NaN stands for null. */
export interface RetentionEstimate extends Bounds {
  readonly size: number;
  readonly retained: number;
  readonly retention: number;
  /** How it varies between clusters; undefined where it cannot be told, and users count alone. */
  readonly spread: ClusterSpread | undefined;
  /** What the bounds rest on; null where there are none. */
  readonly bounds: "binomial" | "cluster" | null;
}

function spreadOf(group: PooledGroup, at: number): ClusterSpread | undefined {
  const [size, retained] = [group.total.size[at]!, group.total.retained[at]!];
  if (group.cluster === "none" || !(retained > 0 && retained < size)) return undefined;
  const spread = clusterSpread({ ...group.byCluster, first: at, step: group.months.length });
  return spread.clusters > 1 ? spread : undefined;
}

/**
 * The retention of a group in the month at a place of its months: Wilson's bounds where there is one
 * cluster, or nobody or everybody is retained, and else bounds by clusters.
 */
export function retentionEstimate(
  group: PooledGroup,
  at: number,
  confidence: number,
): RetentionEstimate {
  const [size, retained] = [group.total.size[at]!, group.total.retained[at]!];
  if (!(size > 0)) {
    return {
      ...{ size: 0, retained: NaN, retention: NaN, lower: NaN, upper: NaN },
      ...{ spread: undefined, bounds: null },
    };
  }
  const retention = Math.min(1, retained / size);
  const spread = spreadOf(group, at);
  const least = wilsonBounds(confidence)(retention, size);
  const common = { size, retained, retention, spread };
  if (spread === undefined) return { ...common, ...least, bounds: "binomial" };
  const quantile = studentQuantile(confidence, spread.degrees);
  const bounds = logitBounds(retention, { error: spread.error, quantile, least });
  return { ...common, ...bounds, bounds: "cluster" };
}
