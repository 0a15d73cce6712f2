import { type Bounds, effectiveDegrees, wilsonBounds } from "./retention_bounds.ts";
import type { PooledGroup } from "./pooled_groups.ts";
import { normalQuantile, studentQuantile } from "./distributions.ts";

/** How many users could be lost from each month to the next, and how many were. NaN is null. */
export interface LifeTable {
  readonly atRisk: ArrayLike<number>;
  readonly lost: ArrayLike<number>;
}

/** A survival curve, month by month. NaN is null. */
interface Survival {
  readonly survival: Float64Array;
  /** The variance of the logarithm of each (Greenwood 1926); NaN from where the curve rises. */
  readonly logVariance: Float64Array;
  /** As many users as would give each its error without censoring (Peto 1977); NaN likewise. */
  readonly users: Float64Array;
}

/** Losses below this part of those at risk are the rounding of sums. */
const ROUNDING = 1e-9;

/**
 * What is left of a survival after a month; NaN where nobody of those who were left could be seen.
 */
function remaining(survival: number, atRisk: number, lost: number): number {
  if (atRisk > 0) {
    return Math.abs(lost) <= ROUNDING * atRisk ? survival : survival * (1 - lost / atRisk);
  }
  return survival === 0 && lost === 0 ? 0 : NaN;
}

/**
 * The Kaplan-Meier curve (Kaplan and Meier 1958, JASA 53, 457-481): the product, over months, of the
 * part of the users at risk that was not lost. It is 1 in month 0, which has nobody at risk.
 *
 * Losses may be negative where users came back. A month that nobody has is null, and so is all that
 * follows a month in which nobody who was still there could be seen.
 */
export function kaplanMeier({ atRisk, lost }: LifeTable): Survival {
  const made = {
    survival: new Float64Array(atRisk.length).fill(NaN),
    logVariance: new Float64Array(atRisk.length).fill(NaN),
    users: new Float64Array(atRisk.length).fill(NaN),
  };
  let [left, variance, fewest] = [1, 0, Infinity];
  for (let month = 0; month < atRisk.length; month++) {
    const [risk, gone] = [atRisk[month]!, lost[month]!];
    if (Number.isNaN(gone)) continue;
    if (!Number.isNaN(risk)) {
      const after = remaining(left, risk, gone);
      if (after > left) variance = NaN;
      if (left > 0) fewest = Math.min(fewest, risk / left);
      if (after < left) variance += gone / (risk * (risk - gone));
      left = after;
    }
    made.survival[month] = left;
    made.logVariance[month] = Number.isNaN(left) ? NaN : variance;
    made.users[month] = fewest;
  }
  return made;
}

/**
 * Bounds of a survival on the scale of `log(-log S)`, where they cannot leave [0, 1] (Kalbfleisch and
 * Prentice 1980), from its standard error by the delta method.
 */
export function logLogBounds(survival: number, error: number, quantile: number): Bounds {
  const half = quantile * error / (survival * -Math.log(survival));
  return {
    lower: survival ** Math.exp(half),
    upper: survival ** Math.exp(-half),
  };
}

/** A survival curve with bounds, month by month. NaN stands for null. */
interface BoundedSurvival {
  readonly survival: Float64Array;
  readonly bounds: readonly Bounds[];
}

const UNKNOWN: Bounds = { lower: NaN, upper: NaN };

/** The error of a survival, and what its quantile goes by. */
interface ClusterError {
  readonly error: number;
  readonly degrees: number;
}

/** The factor by which the survival goes on in each month. */
function factorsOf(survival: Float64Array): Float64Array {
  let before = 1;
  return survival.map((left) => {
    if (Number.isNaN(left)) return 1;
    const factor = before === 0 ? 0 : left / before;
    before = left;
    return factor;
  });
}

/**
 * The delete-one-cluster jackknife error of each month's survival; undefined before a second cluster
 * is seen. Where nobody can be followed without a cluster, the curve goes on there as with it, so
 * that what was unsure before stays so.
 */
function clusterErrors(group: PooledGroup, survival: Float64Array): (ClusterError | undefined)[] {
  const { months, total, clusters, byCluster } = group;
  const factors = factorsOf(survival);
  const squares = new Float64Array(months.length);
  const sizes = months.map((): number[] => []);
  for (let cluster = 0; cluster < clusters; cluster++) {
    let [left, size] = [1, 0];
    for (let month = 0; month < months.length; month++) {
      const cell = cluster * months.length + month;
      size = Math.max(size, byCluster.size[cell]!);
      if (months[month]! > 0 && total.size[month]! > 0) {
        const risk = total.atRisk[month]! - byCluster.atRisk[cell]!;
        const lost = total.lost[month]! - byCluster.lost[cell]!;
        const alone = risk <= 1e-9 * total.atRisk[month]!;
        left = alone ? left * factors[month]! : remaining(left, risk, lost);
      }
      if (size === 0) continue;
      sizes[month]!.push(size);
      squares[month]! += (left - survival[month]!) ** 2;
    }
  }
  return sizes.map((seen, month) => {
    const count = seen.length;
    if (count < 2) return undefined;
    const error = Math.sqrt(squares[month]! * (count - 1) / count);
    return { error, degrees: effectiveDegrees(seen) };
  });
}

/** The bounds for independent users: Greenwood's, and Wilson's where nobody or everybody is left. */
function independentBounds(curve: Survival, month: number, confidence: number): Bounds {
  const [survival, variance] = [curve.survival[month]!, curve.logVariance[month]!];
  if (Number.isNaN(variance)) return UNKNOWN;
  if (curve.users[month] === Infinity) return { lower: survival, upper: survival };
  if (survival === 0 || survival === 1) {
    return wilsonBounds(confidence)(survival, curve.users[month]!);
  }
  const z = -normalQuantile((1 - confidence) / 2);
  return logLogBounds(survival, survival * Math.sqrt(variance), z);
}

/**
 * The survival of a group, with bounds: from how it varies between clusters as soon as two were seen,
 * never within those for independent users, and else these.
 */
export function boundedSurvival(group: PooledGroup, confidence: number): BoundedSurvival {
  const { months, total } = group;
  const curve = kaplanMeier({
    atRisk: total.atRisk.map((risk, month) => months[month] === 0 ? NaN : risk),
    lost: total.lost.map((lost, month) => total.size[month] === 0 ? NaN : lost),
  });
  const errors = clusterErrors(group, curve.survival);
  const bounds = months.map((_, month): Bounds => {
    const [survival, error] = [curve.survival[month]!, errors[month]];
    const least = independentBounds(curve, month, confidence);
    if (error === undefined || !(survival > 0 && survival < 1)) return least;
    const quantile = studentQuantile(confidence, error.degrees);
    const { lower, upper } = logLogBounds(survival, error.error, quantile);
    return { lower: Math.min(least.lower, lower), upper: Math.max(least.upper, upper) };
  });
  return { survival: curve.survival, bounds };
}
