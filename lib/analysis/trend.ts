import { chanceOf } from "./chance.ts";
import { meanOf, sumOf } from "./sums.ts";

/** The number of series, simulated or permuted, for a p value. */
const SERIES = 999;

/** Returns the sum of the products of all pairs of values whose positions differ by `lag`. */
function lagged(values: readonly number[], lag: number): number {
  return sumOf(values.slice(lag).map((value, at) => value * values[at]!));
}

/** Fits a line by least squares. Returns the Newey-West standard error of the slope as `error`. */
function lineOf(xs: readonly number[], ys: readonly number[]) {
  const count = xs.length;
  const [center, level] = [meanOf(xs), meanOf(ys)];
  const spread = sumOf(xs.map((x) => (x - center) ** 2));
  const slope = sumOf(xs.map((x, at) => (x - center) * (ys[at]! - level))) / spread;
  const intercept = level - slope * center;
  const residuals = xs.map((x, at) => ys[at]! - intercept - slope * x);
  // The scores of the slope. Because x is centered, the scores of the intercept are not needed.
  const scores = residuals.map((residual, at) => residual * (xs[at]! - center));
  const lags = Math.floor(4 * (count / 100) ** (2 / 9));
  let variance = lagged(scores, 0);
  for (let lag = 1; lag <= lags; lag++) {
    variance += 2 * (1 - lag / (lags + 1)) * lagged(scores, lag);
  }
  const error = Math.sqrt(Math.max(0, variance) * count / (count - 2)) / spread;
  return { intercept, slope, error, residuals };
}

/** Returns the autocorrelation of residuals, corrected for most of the bias that a fitted line causes (Kendall 1954). */
function autocorrelation(residuals: readonly number[]): number {
  const squares = lagged(residuals, 0);
  const found = squares > 0 ? lagged(residuals, 1) / squares : 0;
  return Math.min(0.95, Math.max(0, found + (2 + 4 * found) / residuals.length));
}

/**
 * Returns the sorted absolute t values of simulated series without a slope, whose errors have the given
 * autocorrelation.
 */
function sizesWithoutSlope(xs: readonly number[], correlation: number): number[] {
  const { normal } = chanceOf(1987);
  return Array.from({ length: SERIES }, () => {
    let error = normal() / Math.sqrt(1 - correlation ** 2);
    const { slope, error: own } = lineOf(xs, xs.map(() => error = correlation * error + normal()));
    return Math.abs(slope) / own;
  }).sort((a, b) => a - b);
}

/**
 * Fits a line by least squares. Standard errors allow for heteroscedastic and autocorrelated errors (Newey and West
 * 1987, Econometrica 55, 703-708). The standard errors use Bartlett weights up to lag ⌊4 (n / 100)^(2/9)⌋ and the
 * factor n / (n - 2).
 *
 * These standard errors are too small in short series: with normal quantiles, 17 to 34% of series of 8 values without a
 * slope have a p value below .05. So the t statistic is compared with the t statistics of 999 simulated series of equal
 * length, with a fixed seed. The simulated series have no slope, and their errors have the autocorrelation of the
 * residuals.
 */
export function trendOf(xs: readonly number[], ys: readonly number[], confidence: number) {
  const { intercept, slope, error, residuals } = lineOf(xs, ys);
  const sizes = sizesWithoutSlope(xs, autocorrelation(residuals));
  const rank = Math.min(SERIES, Math.ceil(confidence * (SERIES + 1)));
  const half = sizes[rank - 1]! * error;
  // A slope within the rounding error counts as 0.
  const flat = Math.abs(slope) * (xs.at(-1)! - xs[0]!) <= 1e-12 * Math.max(...ys.map(Math.abs));
  const larger = sizes.filter((size) => size * error >= Math.abs(slope)).length;
  return {
    intercept,
    slope,
    slope_lower: slope - half,
    slope_upper: slope + half,
    p_value: flat ? 1 : (1 + larger) / (SERIES + 1),
  };
}

/** The minimum share of the values before a break, and after it. Both parts also have at least two values. */
const TRIM = 0.15;

/**
 * Divides a series into two parts such that the F statistic of the difference of their means is largest (Chow 1960).
 * Returns the index of the last value of the first part, and F.
 */
function largestF(values: readonly number[]) {
  const count = values.length;
  const least = Math.max(2, Math.floor(TRIM * count));
  const total = sumOf(values);
  const squares = sumOf(values.map((value) => value * value));
  const whole = squares - total * total / count;
  let [left, best] = [0, { last: 0, f: -Infinity }];
  for (let size = 1; size <= count - least; size++) {
    left += values[size - 1]!;
    if (size < least) continue;
    const right = total - left;
    const within = Math.max(0, squares - left * left / size - right * right / (count - size));
    const f = whole <= 1e-12 * squares ? 0 : (whole - within) / (within / (count - 2));
    if (f > best.f) best = { last: size - 1, f };
  }
  return best;
}

/**
 * Finds one break in the mean of a series: the position with the largest F (Andrews 1993, Econometrica 61, 821-856).
 * The first and the last 15% of the values are not searched. The p value comes from 999 permutations of blocks of
 * ⌈n^(1/3)⌉ neighboring values, with a fixed seed: it is the share of the series, including the original, whose largest
 * F is at least as large as the observed F.
 *
 * With an autocorrelation of .5, 12 to 15% of series of 16 to 60 values without a break have a p value of at most .05.
 * Longer blocks would find fewer false breaks, but also fewer real breaks: in series of 24 values, blocks of 4 values
 * lower the rate of false breaks from 15 to 10%, and the power for a break of 1.5 standard deviations from 56 to 39%.
 */
export function breakOf(values: readonly number[]) {
  // Centers the values, because sums of squares of large values would lose precision.
  const level = meanOf(values);
  const centered = values.map((value) => value - level);
  const found = largestF(centered);
  const length = Math.ceil(values.length ** (1 / 3) - 1e-9);
  const blocks = Array.from(
    { length: Math.ceil(values.length / length) },
    (_, at) => centered.slice(at * length, (at + 1) * length),
  );
  const { uniform } = chanceOf(1898);
  let larger = 1;
  for (let draw = 0; draw < SERIES; draw++) {
    for (let at = blocks.length - 1; at > 0; at--) {
      const other = Math.floor(uniform() * (at + 1));
      [blocks[at], blocks[other]] = [blocks[other]!, blocks[at]!];
    }
    // A permutation that keeps the order has the same F, except for rounding errors.
    if (largestF(blocks.flat()).f >= found.f * (1 - 1e-9)) larger += 1;
  }
  return { last: found.last, break_f: found.f, break_p_value: larger / (SERIES + 1) };
}
