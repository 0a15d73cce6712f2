import { pl } from "../table/polars.ts";

/** A polars expression. */
export type Expr = ReturnType<typeof pl.col>;

/** The numbers of a column as Float64: NaN, which polars keeps apart from null, is null here. */
export function numberOfColumn(name: string): Expr {
  return pl.col(name).cast(pl.Float64).fillNan(pl.lit(null));
}
