/** The smallest number for which Stirling's series is exact to double precision. */
const LARGE = 12;

/** Returns the remainder of Stirling's formula: 1/(12x) - 1/(360x³) + 1/(1260x⁵) - … */
function remainder(x: number): number {
  const square = 1 / (x * x);
  return (1 / 12 -
    square *
      (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square * (1 / 1188))))) / x;
}

/**
 * Returns the logarithm of `gamma(x + step) / gamma(x)`, for x more than 0 and a step of 0 or more. Subtracting the two
 * logarithms would lose precision for large x.
 */
export function logGammaRise(x: number, step: number): number {
  let [shifted, product] = [x, 1];
  while (shifted < LARGE) product *= 1 + step / shifted++;
  return step * Math.log(shifted) + (shifted + step - 0.5) * Math.log1p(step / shifted) - step +
    remainder(shifted + step) - remainder(shifted) - Math.log(product);
}

const TINY = 1e-300;

/** Returns the continued fraction of the incomplete beta function, by Lentz's method. */
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

/**
 * Returns the probability that Student's t is further from 0 than `t`, on either side. This is the regularized
 * incomplete beta function at `degrees / (degrees + t²)`.
 */
export function studentTails(t: number, degrees: number): number {
  if (degrees === Infinity) return normalTails(t);
  const [square, a, b] = [t * t, degrees / 2, 0.5];
  if (square === 0) return 1;
  if (square === Infinity) return 0;
  // `rest` is `1 - x`, computed without a subtraction, which would lose precision.
  const [x, rest] = [degrees / (degrees + square), square / (degrees + square)];
  const front = Math.exp(logGammaRise(a, b) + a * Math.log(x) + b * Math.log(rest / Math.PI));
  return x < (a + 1) / (a + b + 2)
    ? front * betaFraction(x, a, b) / a
    : 1 - front * betaFraction(rest, b, a) / b;
}

/** Returns the probability that a standard normal value is further from 0 than `z`, on either side. */
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
 * Returns the distance from 0 that Student's t exceeds with a given two-sided probability. The degrees of freedom are 1
 * or more and may be fractional.
 *
 * Uses Newton's method on logarithms. The slope of the tail is monotonic, so all steps after the first approach the
 * solution from the same side, and the method converges.
 */
export function quantileOf(tails: number, degrees: number): number {
  const normal = degrees === Infinity;
  const scale = normal
    ? Math.sqrt(0.5 / Math.PI)
    : Math.exp(logGammaRise(degrees / 2, 0.5)) / Math.sqrt(degrees * Math.PI);
  // Starts at an upper bound of the normal quantile: both normal tails together are at most exp(-t² / 2).
  let t = Math.max(Math.sqrt(-2 * Math.log(tails)), 1e-8);
  for (let step = 0; step < 100; step++) {
    const exponent = normal ? t * t / 2 : (degrees + 1) / 2 * Math.log1p(t * t / degrees);
    const density = 2 * scale * Math.exp(-exponent);
    const now = studentTails(t, degrees);
    const change = Math.log(now / tails) * now / (t * density);
    t *= Math.exp(change);
    if (Math.abs(change) < 1e-14) break;
  }
  return t;
}

/**
 * Returns the two-sided quantile of Student's t for a confidence, as R's `qt(1 - (1 - confidence) / 2, degrees)` does.
 * Without degrees of freedom, returns the quantile of the normal distribution.
 */
export function studentQuantile(confidence: number, degrees = Infinity): number {
  return quantileOf(1 - confidence, degrees);
}

/** Returns the probability that chi-squared with a whole number of degrees of freedom exceeds `x`. */
function chiTail(x: number, degrees: number): number {
  const odd = degrees % 2;
  let tail = odd === 1 ? normalTails(Math.sqrt(x)) : 0;
  // The exponential of a large x is below the smallest number, so its factors are applied one by one.
  let rest = x / 2;
  const factor = () => {
    const part = Math.min(rest, 700);
    rest -= part;
    return Math.exp(-part);
  };
  // The density of the number of degrees two higher, times 2.
  let term = (odd === 1 ? Math.sqrt(2 * x / Math.PI) : 1) * factor();
  for (let done = odd; done < degrees; done += 2) {
    tail += term;
    term *= x / (done + 2);
    if (rest > 0 && term > 1e250) {
      const scale = factor();
      term *= scale;
      tail *= scale;
    }
  }
  return tail * Math.exp(-rest);
}

/** Returns the quantile of chi-squared with a whole number of degrees of freedom, as R's `qchisq` does. */
export function chiQuantile(probability: number, degrees: number): number {
  let [low, high] = [0, degrees + 10];
  while (chiTail(high, degrees) > 1 - probability) high *= 2;
  for (let step = 0; step < 100; step++) {
    const half = (low + high) / 2;
    if (chiTail(half, degrees) > 1 - probability) low = half;
    else high = half;
  }
  return high;
}
