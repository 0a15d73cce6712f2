const HALF_LOG_TWO_PI = 0.9189385332046727;

/** Stirling's series is exact from here on. */
const LARGE = 12;

/** The remainder of Stirling's formula: 1/12x - 1/360x³ + 1/1260x⁵ - … */
function remainder(x: number): number {
  const square = 1 / (x * x);
  return (1 / 12 -
    square *
      (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square * (1 / 1188))))) / x;
}

/** The logarithm of the gamma function, for x more than 0. */
export function logGamma(x: number): number {
  let [shifted, product] = [x, 1];
  while (shifted < LARGE) product *= shifted++;
  return (shifted - 0.5) * Math.log(shifted) - shifted + HALF_LOG_TWO_PI + remainder(shifted) -
    Math.log(product);
}

/**
 * The logarithm of `gamma(x + step) / gamma(x)`, for x more than 0 and a step of 0 or more. The difference of two
 * logarithms would lose precision for large x.
 */
export function logGammaRise(x: number, step: number): number {
  let [shifted, product] = [x, 1];
  while (shifted < LARGE) product *= 1 + step / shifted++;
  return step * Math.log(shifted) + (shifted + step - 0.5) * Math.log1p(step / shifted) - step +
    remainder(shifted + step) - remainder(shifted) - Math.log(product);
}

function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduceRight((sum, coefficient) => sum * x + coefficient, 0);
}

function ratio(above: readonly number[], below: readonly number[], x: number): number {
  return polynomial(above, x) / polynomial(below, x);
}

// Coefficients of PPND16, lowest power first.
const CENTER_ABOVE = [
  3.387132872796366608,
  133.14166789178437745,
  1971.5909503065514427,
  13731.693765509461125,
  45921.953931549871457,
  67265.770927008700853,
  33430.575583588128105,
  2509.0809287301226727,
];
const CENTER_BELOW = [
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
    return distance * ratio(CENTER_ABOVE, CENTER_BELOW, 0.180625 - distance * distance);
  }
  const depth = Math.sqrt(-Math.log(Math.min(probability, 1 - probability)));
  const size = depth <= 5
    ? ratio(SHOULDER_ABOVE, SHOULDER_BELOW, depth - 1.6)
    : ratio(TAIL_ABOVE, TAIL_BELOW, depth - 5);
  return Math.sign(distance) * size;
}

const TINY = 1e-300;

/** The continued fraction of the incomplete beta function, by Lentz's method. */
function betaFraction(x: number, a: number, b: number): number {
  let [c, d] = [1, 1 / (Math.abs(1 - (a + b) * x / (a + 1)) || TINY)];
  let value = d;
  for (let step = 1; step <= 1000; step++) {
    const even = step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step));
    const odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1));
    let change = 1;
    for (const term of [even, odd]) {
      d = 1 / (1 + term * d || TINY);
      c = 1 + term / c || TINY;
      change = c * d;
      value *= change;
    }
    if (Math.abs(change - 1) < 1e-15) break;
  }
  return value;
}

/** The regularized incomplete beta function; x and `1 - x` are separate arguments. */
function incompleteBeta(x: number, rest: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (rest <= 0) return 1;
  const front = Math.exp(
    logGammaRise(a, b) - logGamma(b) + a * Math.log(x) + b * Math.log(rest),
  );
  return x < (a + 1) / (a + b + 2)
    ? front * betaFraction(x, a, b) / a
    : 1 - front * betaFraction(rest, b, a) / b;
}

/** The two-sided probability that Student's t is further from 0 than `t`. */
export function studentTails(t: number, degrees: number): number {
  if (degrees === Infinity) return normalTails(t);
  const [square, sum] = [t * t, degrees + t * t];
  if (square === Infinity) return 0;
  return incompleteBeta(degrees / sum, square / sum, degrees / 2, 0.5);
}

/** The two-sided probability that a standard normal value is further from 0 than `z`. */
export function normalTails(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  if (x < 2) {
    let [term, sum] = [x, x];
    for (let n = 1; Math.abs(term) > 1e-17 * sum; n++) {
      term *= 2 * x * x / (2 * n + 1);
      sum += term;
    }
    return Math.max(0, 1 - 2 / Math.sqrt(Math.PI) * Math.exp(-x * x) * sum);
  }
  let fraction = x;
  for (let n = 60; n > 0; n--) fraction = x + n / 2 / fraction;
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / fraction;
}

/**
 * The two-sided quantile of Student's t for a confidence: R's `qt(1 - (1 - confidence) / 2, degrees)`, for 1 degree of
 * freedom or more, also fractional.
 *
 * Newton's method on logarithms: the slope of the tail is monotonic, so every step after the first approaches from the
 * far side, and the method converges.
 */
export function studentQuantile(confidence: number, degrees: number): number {
  const tails = 1 - confidence;
  const normal = -normalQuantile(tails / 2);
  if (degrees === Infinity) return normal;
  const scale = Math.exp(logGammaRise(degrees / 2, 0.5)) /
    Math.sqrt(degrees * Math.PI);
  let t = Math.max(normal, 1e-8);
  for (let step = 0; step < 100; step++) {
    const density = 2 * scale * Math.exp(-(degrees + 1) / 2 * Math.log1p(t * t / degrees));
    const now = studentTails(t, degrees);
    const change = Math.log(now / tails) * now / (t * density);
    t *= Math.exp(change);
    if (Math.abs(change) < 1e-14) break;
  }
  return t;
}
