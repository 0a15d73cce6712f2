import { effectiveDegrees } from "./cluster_bounds.ts";
import type { PooledGroup } from "./pooled_groups.ts";
import { studentQuantile } from "./student.ts";
import { kaplanMeier, logLogBounds, remaining, type Survival } from "./survival.ts";
import { type Bounds, normalQuantile, wilsonBounds } from "./wilson_bounds.ts";

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
