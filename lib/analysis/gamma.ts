const HALF_LOG_TWO_PI = 0.9189385332046727;

/** From here on Stirling's series is exact to the last digit. */
const LARGE = 12;

/** What Stirling's formula lacks: 1/12x - 1/360x³ + 1/1260x⁵ - … */
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
 * The logarithm of `gamma(x + step) / gamma(x)`, for x more than 0 and a step of 0 or more. As the
 * difference of two logarithms it would lose its digits where x is large.
 */
export function logGammaRise(x: number, step: number): number {
  let [shifted, product] = [x, 1];
  while (shifted < LARGE) product *= 1 + step / shifted++;
  return step * Math.log(shifted) + (shifted + step - 0.5) * Math.log1p(step / shifted) - step +
    remainder(shifted + step) - remainder(shifted) - Math.log(product);
}
