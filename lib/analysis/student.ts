import { logGamma, logGammaRise } from "./gamma.ts";
import { normalQuantile } from "./wilson_bounds.ts";

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

/** The regularised incomplete beta function, for x and `1 - x` given apart. */
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

/** The probability that Student's t lies further from 0 than `t`, on either side. */
export function studentTails(t: number, degrees: number): number {
  if (degrees === Infinity) return normalTails(t);
  const [square, sum] = [t * t, degrees + t * t];
  if (square === Infinity) return 0;
  return incompleteBeta(degrees / sum, square / sum, degrees / 2, 0.5);
}

/** The probability that a standard normal value lies further from 0 than `z`, on either side. */
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
 * The distance from 0 that Student's t exceeds, on either side, with probability `1 - confidence`:
 * R's `qt(1 - (1 - confidence) / 2, degrees)`, for 1 degree of freedom or more, whole or not.
 *
 * Newton's method on logarithms: the tail's falls in the distance's, ever more steeply, so that every
 * step beyond the first comes from the far side, and none goes astray.
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
