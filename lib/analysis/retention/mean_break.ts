import { meanOf } from "../sums.ts";
import { lagged, shareAbove, simulated } from "../trend.ts";

/** The minimum share of the values before a break, and after it. Both parts also have at least two values. */
const TRIM = 0.15;

/** Series with a larger autocorrelation would have no mean. */
const LARGEST_CORRELATION = 0.95;

/** The number of values that the break test needs. With 12, it finds a step of two standard deviations in 31%. */
export const FEWEST_FOR_BREAK = 20;

/**
 * Divides a series into two parts such that the F statistic of the difference of their means is largest (Chow 1960).
 * Returns the index of the last value of the first part, and F.
 */
function largestF(values: ArrayLike<number>) {
  const count = values.length;
  const least = Math.max(2, Math.floor(TRIM * count));
  let [total, squares] = [0, 0];
  for (let at = 0; at < count; at++) {
    total += values[at]!;
    squares += values[at]! * values[at]!;
  }
  const whole = squares - total * total / count;
  let [left, last, most] = [0, 0, -Infinity];
  for (let size = 1; size <= count - least; size++) {
    left += values[size - 1]!;
    if (size < least) continue;
    const right = total - left;
    const within = Math.max(0, squares - left * left / size - right * right / (count - size));
    const f = whole <= 1e-12 * squares ? 0 : (whole - within) / (within / (count - 2));
    if (f > most) [last, most] = [size - 1, f];
  }
  return { last, f: most };
}

/**
 * Finds one break in the mean of a series: the position with the largest F (Andrews 1993, Econometrica 61, 821-856).
 * The first and the last 15% of the values are not searched.
 *
 * The p value is the share of 999 simulated series without a break, and of the series itself, whose largest F is at least
 * as large as the observed F. The simulated series have the autocorrelation of the series, by least squares. A series of
 * fewer than 20 values has no break.
 */
export function breakOf(values: readonly number[]) {
  if (values.length < FEWEST_FOR_BREAK) return { last: -1, break_f: NaN, break_p_value: NaN };
  // Centers the values, because sums of squares of large values would lose precision.
  const level = meanOf(values);
  const centered = Float64Array.from(values, (value) => value - level);
  const { last, f } = largestF(centered);
  const found = lagged(centered, 1) / lagged(centered.subarray(0, -1), 0);
  const correlation = Math.min(LARGEST_CORRELATION, Math.max(0, found));
  const without = () => simulated(values.length, correlation, (series) => largestF(series).f);
  return { last, break_f: f, break_p_value: f === 0 ? 1 : shareAbove(without(), f) };
}
