import { pl } from "../table/polars.ts";
import { normalQuantile } from "./normal_quantile.ts";
import type { Expr } from "./number_of_column.ts";

/**
 * The Wilson score interval of a proportion, as two expressions (Wilson 1927, JASA 22, 209-212; R's
 * `prop.test(x, n, correct = FALSE)`). Null where the proportion or the count is null.
 *
 * @param proportion successes / trials, 0 to 1
 * @param trials how many trials, more than 0
 * @throws {RangeError} when `confidence` is not between 0 and 1.
 */
export function wilsonBounds(
  proportion: Expr,
  trials: Expr,
  confidence: number,
): { lower: Expr; upper: Expr } {
  if (!(confidence > 0 && confidence < 1)) {
    throw new RangeError(`confidence: it lies between 0 and 1, as 0.95 does: ${confidence}`);
  }
  // The lower tail: 1 - (1 - confidence) / 2 would round to 1 for a confidence close to 1.
  const z = -normalQuantile((1 - confidence) / 2);
  const zz = pl.lit(z * z);
  const share = pl.lit(1).div(pl.lit(1).plus(zz.div(trials)));
  const centre = proportion.plus(zz.div(trials.mul(2))).mul(share);
  const spread = proportion.mul(pl.lit(1).minus(proportion)).div(trials)
    .plus(zz.div(trials.mul(trials).mul(4)));
  const half = spread.pow(0.5).mul(pl.lit(z)).mul(share);
  const lower = centre.minus(half).clip(0, 1);
  const upper = centre.plus(half).clip(0, 1);
  // Rounding may put a bound on the wrong side of an estimate of 0 or 1 by a last digit.
  // `minHorizontal` would skip nulls: without a count, the estimate would pass for a bound.
  return {
    lower: pl.when(lower.gt(proportion)).then(proportion).otherwise(lower),
    upper: pl.when(upper.lt(proportion)).then(proportion).otherwise(upper),
  };
}
