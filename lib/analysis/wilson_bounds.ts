import type { Refuse } from "../host/check_options.ts";

function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduceRight((sum, coefficient) => sum * x + coefficient, 0);
}

function ratio(above: readonly number[], below: readonly number[], x: number): number {
  return polynomial(above, x) / polynomial(below, x);
}

// Coefficients of PPND16, lowest power first.
const CENTRE_ABOVE = [
  3.387132872796366608,
  133.14166789178437745,
  1971.5909503065514427,
  13731.693765509461125,
  45921.953931549871457,
  67265.770927008700853,
  33430.575583588128105,
  2509.0809287301226727,
];
const CENTRE_BELOW = [
  1,
  42.313330701600911252,
  687.1870074920579083,
  5394.1960214247511077,
  21213.794301586595867,
  39307.89580009271061,
  28729.085735721942674,
  5226.495278852545925,
];
const SHOULDER_ABOVE = [
  1.42343711074968357734,
  4.6303378461565452959,
  5.7694972214606914055,
  3.64784832476320460504,
  1.27045825245236838258,
  0.24178072517745061177,
  0.0227238449892691845833,
  7.7454501427834140764e-4,
];
const SHOULDER_BELOW = [
  1,
  2.05319162663775882187,
  1.6763848301838038494,
  0.68976733498510000455,
  0.14810397642748007459,
  0.0151986665636164571966,
  5.475938084995344946e-4,
  1.05075007164441684324e-9,
];
const TAIL_ABOVE = [
  6.6579046435011037772,
  5.4637849111641143699,
  1.7848265399172913358,
  0.29656057182850489123,
  0.026532189526576123093,
  0.0012426609473880784386,
  2.71155556874348757815e-5,
  2.01033439929228813265e-7,
];
const TAIL_BELOW = [
  1,
  0.59983220655588793769,
  0.13692988092273580531,
  0.0148753612908506148525,
  7.868691311456132591e-4,
  1.8463183175100546818e-5,
  1.4215117583164458887e-7,
  2.04426310338993978564e-15,
];

/**
 * The quantile of the standard normal distribution, to about 16 digits, for a probability between 0
 * and 1 exclusive. Algorithm AS 241 (Wichura 1988, Applied Statistics 37, 477-484), as R's `qnorm`.
 */
export function normalQuantile(probability: number): number {
  const distance = probability - 0.5;
  if (Math.abs(distance) <= 0.425) {
    return distance * ratio(CENTRE_ABOVE, CENTRE_BELOW, 0.180625 - distance * distance);
  }
  const depth = Math.sqrt(-Math.log(Math.min(probability, 1 - probability)));
  const size = depth <= 5
    ? ratio(SHOULDER_ABOVE, SHOULDER_BELOW, depth - 1.6)
    : ratio(TAIL_ABOVE, TAIL_BELOW, depth - 5);
  return Math.sign(distance) * size;
}

/** The rule of a confidence: the part of all intervals that hold what they estimate. */
export function aConfidence(value: unknown, refuse: Refuse): number {
  return typeof value === "number" && value > 0 && value < 1
    ? value
    : refuse("must lie between 0 and 1, as 0.95 does");
}

/** An interval. */
export interface Bounds {
  readonly lower: number;
  readonly upper: number;
}

/**
 * Makes the Wilson score interval of a confidence (Wilson 1927, JASA 22, 209-212; R's
 * `prop.test(x, n, correct = FALSE)`): it takes a proportion, 0 to 1, and the trials it rests on,
 * more than 0. NaN where one of them is.
 *
 * @throws {RangeError} when `confidence` is not between 0 and 1.
 */
export function wilsonBounds(
  confidence: number,
): (proportion: number, trials: number) => Bounds {
  aConfidence(confidence, (allowed) => {
    throw new RangeError(`confidence: ${allowed}: ${confidence}`);
  });
  // The lower tail: 1 - (1 - confidence) / 2 would round to 1 for a confidence close to 1.
  const z = -normalQuantile((1 - confidence) / 2);
  return (proportion, trials) => {
    const share = 1 / (1 + z * z / trials);
    const centre = (proportion + z * z / (2 * trials)) * share;
    const spread = proportion * (1 - proportion) / trials + z * z / (4 * trials * trials);
    const half = z * Math.sqrt(spread) * share;
    // Rounding may put a bound on the wrong side of an estimate of 0 or 1 by a last digit.
    return {
      lower: Math.max(0, Math.min(proportion, centre - half)),
      upper: Math.min(1, Math.max(proportion, centre + half)),
    };
  };
}
