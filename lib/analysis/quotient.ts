import { pl } from "../table/polars.ts";
import type { Expr } from "./number_of_column.ts";

/**
 * `value / divisor`, rounded as JavaScript rounds it. polars divides by a single number by
 * multiplying with its reciprocal, which makes 57 / 100 come out as 0.5700000000000001 and
 * overflows for the smallest numbers; it divides by a column properly, so the number is made one.
 */
export function quotient(value: Expr, divisor: Expr): Expr {
  return value.div(pl.when(value.isNull()).then(pl.lit(null)).otherwise(divisor));
}
