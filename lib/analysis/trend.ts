import { chanceOf } from "./chance.ts";
import { meanOf, sumOf } from "./sums.ts";

/** A fitted line, and the uncertainty of its slope. */
interface Trend {
  readonly intercept: number;
  readonly slope: number;
  readonly lower: number;
  readonly upper: number;
  readonly p: number;
}

/** Number of simulated series for a p value. */
const SERIES = 999;

/** A line, and the Newey-West error of its slope. */
interface Line {
  readonly intercept: number;
  readonly slope: number;
  readonly error: number;
  readonly residuals: readonly number[];
}

function lineOf(xs: readonly number[], ys: readonly number[]): Line {
  const count = xs.length;
  const [center, level] = [meanOf(xs), meanOf(ys)];
  const spread = sumOf(xs.map((x) => (x - center) ** 2));
  const slope = sumOf(xs.map((x, at) => (x - center) * (ys[at]! - level))) / spread;
  const intercept = level - slope * center;
  const residuals = xs.map((x, at) => ys[at]! - intercept - slope * x);
  // The score of the slope for each value. The score of the intercept is zero, because x is centered.
  const scores = residuals.map((residual, at) => residual * (xs[at]! - center));
  const lags = Math.floor(4 * (count / 100) ** (2 / 9));
  let variance = sumOf(scores.map((score) => score * score));
  for (let lag = 1; lag <= lags; lag++) {
    const products = sumOf(scores.slice(lag).map((score, at) => score * scores[at]!));
    variance += 2 * (1 - lag / (lags + 1)) * products;
  }
  const error = Math.sqrt(Math.max(0, variance) * count / (count - 2)) / spread;
  return { intercept, slope, error, residuals };
}

/** The autocorrelation of residuals, corrected for most of the bias of a fitted line (Kendall 1954). */
function autocorrelation(residuals: readonly number[]): number {
  const squares = sumOf(residuals.map((each) => each * each));
  const products = sumOf(residuals.slice(1).map((each, at) => each * residuals[at]!));
  const found = squares > 0 ? products / squares : 0;
  return Math.min(0.95, Math.max(0, found + (2 + 4 * found) / residuals.length));
}

/** Sorted absolute t values of series without a slope, with this autocorrelation of errors. */
function sizesWithoutSlope(xs: readonly number[], correlation: number): number[] {
  const { normal } = chanceOf(1987);
  return Array.from({ length: SERIES }, () => {
    let error = normal() / Math.sqrt(1 - correlation ** 2);
    const { slope, error: own } = lineOf(xs, xs.map(() => error = correlation * error + normal()));
    return Math.abs(slope) / own;
  }).sort((a, b) => a - b);
}

/**
 * Fits a line by least squares. Standard errors allow for heteroscedastic and autocorrelated errors (Newey and
 * West 1987, Econometrica 55, 703-708): Bartlett weights up to lag ⌊4 (n / 100)^(2/9)⌋, times n / (n - 2). In short
 * series these errors are too small: with normal quantiles 17 to 34% of series of 8 values without a slope
 * have a p value below .05. So t is compared with 999 series of the same length without a slope, whose errors
 * have the autocorrelation of the residuals, with a fixed seed.
 */
export function trendOf(
  xs: readonly number[],
  ys: readonly number[],
  confidence: number,
): Trend {
  const { intercept, slope, error, residuals } = lineOf(xs, ys);
  const sizes = sizesWithoutSlope(xs, autocorrelation(residuals));
  const rank = Math.min(SERIES, Math.ceil(confidence * (SERIES + 1)));
  const half = sizes[rank - 1]! * error;
  // Rounding errors do not count as a slope.
  const flat = Math.abs(slope) * (xs.at(-1)! - xs[0]!) <= 1e-12 * Math.max(...ys.map(Math.abs));
  const larger = sizes.filter((size) => size * error >= Math.abs(slope)).length;
  const p = flat ? 1 : (1 + larger) / (SERIES + 1);
  return { intercept, slope, lower: slope - half, upper: slope + half, p };
}

/** A change of the mean of a series. */
interface Break {
  /** The index of the last value before it. */
  readonly last: number;
  readonly f: number;
  readonly p: number;
}

/** Each side of a break has at least this share of the values, and at least two. */
const TRIM = 0.15;

/** The position that best divides a series into two means, and its F (Chow 1960). */
function largestF(values: readonly number[]): { readonly last: number; readonly f: number } {
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
 * Looks for one break in the mean of a series: the largest F over all places but the outer 15% (Andrews
 * 1993, Econometrica 61, 821-856). The p value is the part of 999 permutations of blocks of
 * ⌈n^(1/3)⌉ neighboring values, with a fixed seed, whose largest F is no smaller.
 *
 * With an autocorrelation of .5, 12 to 15% of series of 16 to 60 values without a break have a p value of at most
 * .05. Longer blocks would find fewer breaks: with 24 values, blocks of 4 lower 15 to 10%, and the power for a break
 * of 1.5 standard deviations from 56 to 39%.
 */
export function breakOf(values: readonly number[]): Break {
  // Sums of squares around the mean keep their precision.
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
    // The same order of blocks has the same F but for rounding errors.
    if (largestF(blocks.flat()).f >= found.f * (1 - 1e-9)) larger += 1;
  }
  return { ...found, p: larger / (SERIES + 1) };
}
