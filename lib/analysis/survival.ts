import type { Bounds } from "./wilson_bounds.ts";

/** How many users could be lost from each month to the next, and how many were. NaN is null. */
export interface LifeTable {
  readonly atRisk: ArrayLike<number>;
  readonly lost: ArrayLike<number>;
}

/** A survival curve, month by month. NaN is null. */
export interface Survival {
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
export function remaining(survival: number, atRisk: number, lost: number): number {
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
