import { clustersIn, clustersOf, type CohortGroup, type Counts } from "./cohort_counts.ts";
import { studentQuantile } from "../distributions.ts";
import {
  effectiveDegrees,
  type Interval,
  jackknifeError,
  logLogBounds,
  NO_INTERVAL,
  unionOf,
  wilsonBounds,
} from "../intervals.ts";

/** The number of users at risk and the number of users lost, by month. NaN means null. */
type LifeTable = Pick<Counts, "atRisk" | "lost">;

/** If the lost fraction of the users at risk is below this limit, it is treated as a rounding error of sums. */
const ROUNDING = 1e-9;

/** Returns the value of the curve after a month, or NaN if none of the remaining users were observed. */
function remaining(left: number, atRisk: number, lost: number): number {
  if (atRisk > 0) return Math.abs(lost) <= ROUNDING * atRisk ? left : left * (1 - lost / atRisk);
  return left === 0 && lost === 0 ? 0 : NaN;
}

/**
 * Returns `left` for each month: the product of the monthly fractions of users at risk who were not lost, up to this
 * month (Kaplan and Meier 1958, JASA 53, 457-481). It is 1 in month 0, which has no users at risk.
 *
 * Losses are negative if more users returned than left. A month without observations is null. If none of the remaining
 * users were observed in a month, this month and all later months are null.
 *
 * `logVariance` is the variance of the logarithm of `left` (Greenwood 1926). It is NaN from the first month in which
 * the curve rises. `users` is the number of uncensored users that would give this standard error (Peto 1977).
 */
function kaplanMeier({ atRisk, lost }: LifeTable) {
  let [left, variance, users] = [1, 0, Infinity];
  return Array.from(atRisk, (risk, month) => {
    const gone = lost[month]!;
    if (Number.isNaN(gone)) return { left: NaN, logVariance: NaN, users: NaN };
    if (!Number.isNaN(risk)) {
      const after = remaining(left, risk, gone);
      if (after > left) variance = NaN;
      if (left > 0) users = Math.min(users, risk / left);
      if (after < left) variance += gone / (risk * (risk - gone));
      left = after;
    }
    return { left, logVariance: Number.isNaN(left) ? NaN : variance, users };
  });
}

/** Returns Greenwood's bounds, or Wilson's bounds if none or all users are left. Both assume independent users. */
function independentBounds(
  { left, logVariance, users }: ReturnType<typeof kaplanMeier>[number],
  confidence: number,
): Interval {
  if (Number.isNaN(logVariance)) return NO_INTERVAL;
  if (left === 0 || left === 1) return wilsonBounds(confidence)(left, users);
  return logLogBounds(left, left * Math.sqrt(logVariance), studentQuantile(confidence));
}

/** Returns bounds from the spread between clusters. They are null if a month of the curve has only one cluster. */
function clusterBounds(
  group: CohortGroup,
  { left, at }: { readonly left: number; readonly at: number },
  confidence: number,
): Interval {
  const { months, total } = group;
  const seen = (size: readonly number[]) => size.slice(0, at + 1).some((users) => users > 0);
  const clusters = group.cluster === "cohort_block"
    ? clustersIn(group, at)
    : clustersOf(group, ({ size }) => seen(size));
  if (clusters.length < 2 || !(left > 0 && left < 1)) return NO_INTERVAL;
  const without = clusters.map(({ atRisk, lost }) => {
    let rest = 1;
    for (let month = 0; month <= at; month++) {
      if (months[month] === 0 || total.size[month] === 0) continue;
      const risk = total.atRisk[month]! - atRisk[month]!;
      const alone = risk <= ROUNDING * total.atRisk[month]!;
      rest = alone ? NaN : remaining(rest, risk, total.lost[month]! - lost[month]!);
    }
    return rest;
  });
  if (without.some(Number.isNaN)) return NO_INTERVAL;
  const degrees = effectiveDegrees(
    clusters.map(({ size }) => Math.max(0, ...size.slice(0, at + 1))),
  );
  return logLogBounds(left, jackknifeError(left, without), studentQuantile(confidence, degrees));
}

/**
 * Returns the product of the monthly ratios, with bounds from the spread between clusters. These bounds are at least as
 * wide as bounds that assume independent users. If the kind of clusters is `none`, only bounds that assume independent
 * users are used.
 */
export function netActivity(
  group: CohortGroup,
  confidence: number,
): readonly ({ readonly left: number } & Interval)[] {
  const { months, total, cluster } = group;
  const curve = kaplanMeier({
    atRisk: total.atRisk.map((risk, at) => months[at] === 0 ? NaN : risk),
    lost: total.lost.map((lost, at) => total.size[at] === 0 ? NaN : lost),
  });
  return curve.map((here, at) => {
    const { left } = here;
    if (Number.isNaN(left)) return { left, ...NO_INTERVAL };
    if (months[at] === 0) return { left, lower: 1, upper: 1 };
    const least = independentBounds(here, confidence);
    if (cluster === "none") return { left, ...least };
    const clustered = clusterBounds(group, { left, at }, confidence);
    return { left, ...Number.isNaN(clustered.lower) ? NO_INTERVAL : unionOf(least, clustered) };
  });
}
