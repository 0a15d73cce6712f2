import { counted } from "../../platform/terminal.ts";
import {
  type ClusterUsers,
  type MonthUsers,
  type RetentionEstimator,
  usersBy,
} from "./cohort_counts.ts";
import {
  type Interval,
  NO_INTERVAL,
  type Scale,
  unionOf,
  USER_SHARES,
  wilsonBounds,
} from "../intervals.ts";
import { logitEstimate, sumOfUsers } from "./logit_estimate.ts";
import { meanOf, sumOf } from "../sums.ts";
import { type Clustered, shocksOf, withShocks } from "./shared_shocks.ts";

/**
 * The method of `lower` and `upper`, or the reason why they are missing.
 *
 * - `cluster`, `block`: bounds from the spread between clusters, or between blocks of neighboring cohorts.
 * - `binomial`: Wilson's bounds, which assume independent users.
 * - `one_cluster`: no bounds, because there is only one cluster, or fewer than three cohorts to divide into blocks.
 * - `edge`: no bounds, because clusters have no spread: none or all of the users are retained, or all units have the same
 *   ratio of amounts.
 * - `few_units`: no bounds, because amounts need three units.
 * - `month_0`: no bounds, because retention is 1 by definition.
 */
type BoundsKind =
  | "cluster"
  | "block"
  | "binomial"
  | "one_cluster"
  | "few_units"
  | "edge"
  | "month_0";

/** Half of a width below this is a rounding error. */
const ROUNDING = 1e-12;

/** Bounds of amounts need so many units. */
export const FEWEST_AMOUNTS = 3;

/** The smallest number of retained users, or of lost users, on which a result can rest without a remark. */
const FEW_USERS = 10;

/** Returns remarks on a result that rests on few retained users, or on few lost users. */
export function fewUsers(
  { size, retained, scale = USER_SHARES }: ClusterUsers & { readonly scale?: Scale | undefined },
  name?: string | null,
): string[] {
  if (!scale.trials) return [];
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

/** The retention of a group in a month, and its bounds. NaN means null. */
export interface RetentionEstimate extends Interval, ClusterUsers, Clustered {
  readonly retention: number;
  /** The kind of the bounds. Null if there is no retention. */
  readonly bounds: BoundsKind | null;
  /** The dispersion between clusters. NaN if the bounds do not come from clusters. */
  readonly dispersion: number;
}

/**
 * Returns the retention of a group in one of its months: of all its users, or of its typical cluster.
 *
 * Bounds by clusters are symmetric on the logit scale. Bounds of all users are at least as wide as Wilson's.
 */
export function retentionEstimate(
  { month, cluster, cells, dates, scale = USER_SHARES }: MonthUsers,
  { confidence, estimate = "weighted" }: {
    readonly confidence: number;
    readonly estimate?: RetentionEstimator;
  },
): RetentionEstimate {
  const clusters = usersBy(
    cells,
    ({ unit, block }) => unit ?? (cluster === "cohort_block" ? block : 0),
  );
  const { size, retained } = sumOfUsers(clusters);
  const none = { size, retained, clusters, cells, dates, scale, ...NO_INTERVAL, dispersion: NaN };
  if (!(size > 0)) return { ...none, size: 0, retained: NaN, retention: NaN, bounds: null };
  const retention = estimate === "weighted"
    ? scale.trials ? Math.min(1, retained / size) : retained / size
    : meanOf(clusters.map((each) => each.retained / each.size));
  if (month === 0) return { ...none, retention, bounds: "month_0" };
  if (!scale.trials && (cells[0]?.unit === undefined || clusters.length < FEWEST_AMOUNTS)) {
    return { ...none, retention, bounds: "few_units" };
  }
  const least = wilsonBounds(confidence)(Math.min(1, retained / size), size);
  if (cluster === "none") return { ...none, retention, ...least, bounds: "binomial" };
  if (clusters.length < 2) return { ...none, retention, bounds: "one_cluster" };
  if (!Number.isFinite(scale.of(retention))) return { ...none, retention, bounds: "edge" };
  const { logit, between, variance, degrees } = logitEstimate(clusters, estimate, scale);
  const units = { variance: estimate === "weighted" ? between : variance, degrees };
  const half = withShocks(units, shocksOf({ cells, dates, scale }, estimate)).halfAt(confidence);
  const spread = { lower: scale.inverse(logit - half), upper: scale.inverse(logit + half) };
  if (!scale.trials) {
    return half > ROUNDING
      ? { ...none, retention, ...spread, bounds: "cluster" }
      : { ...none, retention, bounds: "edge" };
  }
  return {
    ...none,
    retention,
    ...estimate === "weighted" ? unionOf(least, spread) : spread,
    dispersion: dispersionOf(clusters),
    bounds: cluster === "cohort_block" ? "block" : "cluster",
  };
}
