import { pl } from "../table/polars.ts";
import type { Expr } from "./number_of_column.ts";
import { quotient } from "./quotient.ts";

/**
 * Each value as a part of the total of those that are not null. Null where the value is, and
 * everywhere when a value is negative or infinite or the total is 0: then there is no whole that
 * the values are parts of.
 */
export function shareOfTotal(value: Expr): Expr {
  // Dividing by the largest first keeps the total of very large or very small values finite.
  const scaled = quotient(value, value.max());
  const parts = value.min().gtEq(0).and(value.max().gt(0))
    .and(value.max().ltEq(Number.MAX_VALUE));
  return pl.when(parts).then(quotient(scaled, scaled.sum())).otherwise(pl.lit(null));
}
