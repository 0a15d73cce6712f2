import { chanceOf } from "./chance.ts";
import { studentQuantile, studentTails } from "./distributions.ts";

/** A line through values, and how sure its slope is. */
interface Trend {
  readonly intercept: number;
  readonly slope: number;
  readonly lower: number;
  readonly upper: number;
  readonly p: number;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/**
 * Fits a line by least squares. Standard errors allow for heteroscedastic and autocorrelated errors (Newey and
 * West 1987, Econometrica 55, 703-708): Bartlett weights up to lag ⌊4 (n / 100)^(2/9)⌋, times n / (n - 2), with
 * Student's t of n - 2 degrees of freedom.
 */
export function trendOf(
  xs: readonly number[],
  ys: readonly number[],
  confidence: number,
): Trend {
  const count = xs.length;
  const [center, level] = [sumOf(xs) / count, sumOf(ys) / count];
  const spread = sumOf(xs.map((x) => (x - center) ** 2));
  const slope = sumOf(xs.map((x, at) => (x - center) * (ys[at]! - level))) / spread;
  const intercept = level - slope * center;
  // The slope's score of each value; the intercept's drops out, as x is centered.
  const scores = xs.map((x, at) => (x - center) * (ys[at]! - intercept - slope * x));
  const lags = Math.floor(4 * (count / 100) ** (2 / 9));
  let variance = sumOf(scores.map((score) => score * score));
  for (let lag = 1; lag <= lags; lag++) {
    const products = sumOf(scores.slice(lag).map((score, at) => score * scores[at]!));
    variance += 2 * (1 - lag / (lags + 1)) * products;
  }
  const error = Math.sqrt(Math.max(0, variance) * count / (count - 2)) / spread;
  const half = studentQuantile(confidence, count - 2) * error;
  const p = error > 0 ? studentTails(slope / error, count - 2) : slope === 0 ? 1 : 0;
  return { intercept, slope, lower: slope - half, upper: slope + half, p };
}

/** A change of the mean of a series. */
interface Break {
  /** The place of the last value before it. */
  readonly last: number;
  readonly f: number;
  readonly p: number;
}

/** Each side of a break has this part of the values, and two at least. */
const TRIM = 0.15;
const PERMUTATIONS = 999;

/** The place that divides a series best into two means, and its F (Chow 1960). */
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
 * Looks for one break in the mean of a series: the largest F over all places but the outer 15 % (Andrews
 * 1993, Econometrica 61, 821-856). The p value is the part of 999 permutations of blocks of
 * ⌈n^(1/3)⌉ neighboring values, with a fixed seed, whose largest F is no smaller.
 */
export function breakOf(values: readonly number[]): Break {
  // Around their mean, sums of squares lose no digits.
  const level = sumOf(values) / values.length;
  const centered = values.map((value) => value - level);
  const found = largestF(centered);
  const length = Math.ceil(values.length ** (1 / 3) - 1e-9);
  const blocks = Array.from(
    { length: Math.ceil(values.length / length) },
    (_, at) => centered.slice(at * length, (at + 1) * length),
  );
  const { uniform } = chanceOf(1898);
  let larger = 1;
  for (let draw = 0; draw < PERMUTATIONS; draw++) {
    for (let at = blocks.length - 1; at > 0; at--) {
      const other = Math.floor(uniform() * (at + 1));
      [blocks[at], blocks[other]] = [blocks[other]!, blocks[at]!];
    }
    if (largestF(blocks.flat()).f >= found.f) larger += 1;
  }
  return { ...found, p: larger / (PERMUTATIONS + 1) };
}
