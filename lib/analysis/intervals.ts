import type { Refuse } from "../platform/check_options.ts";
import { studentQuantile } from "./distributions.ts";

/** Accepts a confidence level: a number between 0 and 1. */
export function aConfidence(value: unknown, refuse: Refuse): number {
  return typeof value === "number" && value > 0 && value < 1
    ? value
    : refuse("must be between 0 and 1, such as 0.95");
}

/** An interval. NaN means null. */
export interface Interval {
  readonly lower: number;
  readonly upper: number;
}

/** The interval of an unknown value. */
export const NO_INTERVAL: Interval = { lower: NaN, upper: NaN };

/** The normal quantiles of confidences, which large tables need for each row. */
const quantiles = new Map<number, number>();

/**
 * Returns a function that computes the Wilson score interval (Wilson 1927, JASA 22, 209-212), as R's
 * `prop.test(x, n, correct = FALSE)` does. The function takes a proportion, 0 to 1, and the number of trials, more than
 * 0. The interval is NaN if the proportion or the number of trials is NaN.
 */
export function wilsonBounds(
  confidence: number,
): (proportion: number, trials: number) => Interval {
  const z = quantiles.get(confidence) ?? studentQuantile(confidence);
  quantiles.set(confidence, z);
  return (proportion, trials) => {
    const share = 1 / (1 + z * z / trials);
    const center = (proportion + z * z / (2 * trials)) * share;
    const spread = proportion * (1 - proportion) / trials + z * z / (4 * trials * trials);
    const half = z * Math.sqrt(spread) * share;
    // Without these limits, rounding errors could put a bound on the wrong side of an estimate of 0 or 1.
    return {
      lower: Math.max(0, Math.min(proportion, center - half)),
      upper: Math.min(1, Math.max(proportion, center + half)),
    };
  };
}

/** Returns the inverse of the logit. */
export function expit(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/** The scale on which a retention has a symmetric interval. */
export interface Scale {
  readonly of: (share: number) => number;
  readonly inverse: (value: number) => number;
  /** The derivative of the scale. */
  readonly slope: (share: number) => number;
  /** Whether users are trials: their variance is binomial if they are independent. */
  readonly trials: boolean;
}

const LOGIT = {
  of: (share: number) => Math.log(share / (1 - share)),
  inverse: expit,
  slope: (share: number) => 1 / (share * (1 - share)),
};

/** The scale of the share of users: the logit. */
export const USER_SHARES: Scale = { ...LOGIT, trials: true };
/** The scale of the share of the months in which users are active. Months of one user are no trials. */
export const ACTIVE_MONTHS: Scale = { ...LOGIT, trials: false };
/** The scale of amounts: the logarithm, because a ratio of amounts can exceed 1. */
export const AMOUNTS: Scale = {
  of: Math.log,
  inverse: Math.exp,
  slope: (share) => 1 / share,
  trials: false,
};

/**
 * Returns the bounds of the proportion `left` of remaining users from half of the width of its symmetric interval, by the
 * delta method. The log(-log) scale keeps the bounds within [0, 1] (Kalbfleisch and Prentice 1980).
 */
export function logLogBounds(left: number, symmetric: number): Interval {
  const half = symmetric / (left * -Math.log(left));
  return { lower: left ** Math.exp(half), upper: left ** Math.exp(-half) };
}

/** Returns the smallest interval that contains both intervals. Null intervals are ignored. */
export function unionOf(one: Interval, other: Interval): Interval {
  if (Number.isNaN(one.lower)) return other;
  if (Number.isNaN(other.lower)) return one;
  return {
    lower: Math.min(one.lower, other.lower),
    upper: Math.max(one.upper, other.upper),
  };
}

/** Returns the degrees of freedom: the effective number of clusters (Kish 1965) minus 1, but at least 1. */
export function effectiveDegrees(sizes: readonly number[]): number {
  // Dividing by the largest size keeps the squares finite.
  const most = sizes.reduce((a, b) => Math.max(a, b), 0);
  let [sum, squares] = [0, 0];
  for (const size of sizes) {
    sum += size / most;
    squares += (size / most) ** 2;
  }
  return squares > 0 ? Math.max(1, sum * sum / squares - 1) : 1;
}

/**
 * Returns the delete-one jackknife standard error of an estimate (Tukey 1958). For each cluster, `without` has the
 * estimate without this cluster.
 */
export function jackknifeError(estimate: number, without: readonly number[]): number {
  const count = without.length;
  const squares = without.reduce((sum, value) => sum + (value - estimate) ** 2, 0);
  return count > 1 ? Math.sqrt((count - 1) / count * squares) : NaN;
}
