import { drawsOf } from "../chance.ts";
import { inverted } from "../maximum.ts";
import { dot, meanOf, sumOf } from "../sums.ts";

/** The number of simulated series for a p value. */
const SERIES = 999;
/** The number of simulated values before each simulated series. */
const WARM_UP = 50;
const uniforms = drawsOf("uniform", 1898);
/** The largest modulus of the inverse roots of the autoregression. Larger roots would make a series without a mean. */
const LARGEST_ROOT = 0.97;
/** The minimum share of the values before a break, and after it. Both parts also have at least two values. */
const TRIM = 0.15;

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
 * Fits an autoregression by least squares, to the values from index `from` on. Roots beyond `LARGEST_ROOT` are moved
 * there. Residuals are scaled to make up for the fitted parameters.
 */
function autoregression(values: readonly number[], order: number, from = order) {
  const lagged = (lag: number) => {
    const column = values.slice(from - lag, values.length - lag);
    const mean = meanOf(column);
    return column.map((value) => value - mean);
  };
  const [now, ...before] = Array.from({ length: order + 1 }, (_, lag) => lagged(lag));
  const inverse = before.flatMap((one) => before.map((other) => dot(one, other)));
  const isRegular = inverted(inverse, order);
  const products = before.map((column) => dot(column, now!));
  const [first = 0, second = 0] = isRegular
    ? products.map((_, i) => dot(products, inverse.slice(order * i, order * (i + 1))))
    : [];
  const errors = now!.map((value, at) =>
    value - sumOf([first, second].map((each, lag) => each * (before[lag]?.[at] ?? 0)))
  );
  const count = errors.length;
  const square = first * first + 4 * second;
  const root = square < 0 ? Math.sqrt(-second) : (Math.abs(first) + Math.sqrt(square)) / 2;
  const shrink = Math.min(1, LARGEST_ROOT / root);
  return {
    order,
    first: first * shrink,
    second: second * shrink ** 2,
    residuals: errors.map((error) => error * Math.sqrt(count / (count - order - 1))),
    aic: isRegular ? count * Math.log(dot(errors, errors) / count) + 2 * order : Infinity,
  };
}

/**
 * Finds one break in the mean of a series: the position with the largest F (Andrews 1993, Econometrica 61, 821-856).
 * The first and the last 15% of the values are not searched.
 *
 * The p value comes from a bootstrap of series without a break: an autoregression of order 0 to 2 (the order with the
 * least AIC on the same values) is fitted to the series, and 999 series are simulated from its residuals, with a fixed seed. The p value
 * is the share of the series, including the original, whose largest F is at least as large as the observed F. A series
 * of fewer than 20 values has no break.
 */
export function breakOf(values: readonly number[]) {
  if (values.length < FEWEST_FOR_BREAK) return { last: -1, break_f: NaN, break_p_value: NaN };
  // Centers the values, because sums of squares of large values would lose precision.
  const level = meanOf(values);
  const centered = values.map((value) => value - level);
  const found = largestF(centered);
  const result = { last: found.last, break_f: found.f };
  if (found.f === 0) return { ...result, break_p_value: 1 };
  const { order } = [0, 1, 2].map((each) => autoregression(centered, each, 2))
    .reduce((best, each) => each.aic < best.aic ? each : best);
  const { first, second, residuals } = autoregression(centered, order);
  const draws = uniforms(SERIES * (WARM_UP + values.length));
  let [larger, drawn] = [1, 0];
  const series = new Float64Array(values.length);
  for (let draw = 0; draw < SERIES; draw++) {
    let [last, before] = [0, 0];
    for (let at = -WARM_UP; at < values.length; at++) {
      const error = residuals[Math.floor(draws[drawn++]! * residuals.length)]!;
      [last, before] = [first * last + second * before + error, last];
      if (at >= 0) series[at] = last;
    }
    if (largestF(series).f >= found.f) larger += 1;
  }
  return { ...result, break_p_value: larger / (SERIES + 1) };
}
