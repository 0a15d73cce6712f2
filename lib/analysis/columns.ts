import { type DataFrame, pl } from "../table/polars.ts";

/** Name of the column with the group numbers, unlikely to occur in a frame. */
export const GROUP = "(group)";

/** A polars expression. */
export type Expr = ReturnType<typeof pl.col>;

/** The numbers of a column as Float64. NaN, which polars distinguishes from null, becomes null. */
export function numberOfColumn(name: string): Expr {
  return pl.col(name).cast(pl.Float64).fillNan(pl.lit(null));
}

/**
 * Returns the numbers of columns as arrays, with NaN for null. Loops over a million rows are faster on
 * arrays than as polars expressions.
 */
export function arraysIn(frame: DataFrame, names: readonly string[]): Float64Array[] {
  const filled = frame.select(...names.map((name) => numberOfColumn(name).fillNull(pl.lit(NaN))));
  return names.map((name) => filled.getColumn(name).toTypedArray() as Float64Array);
}

/** Float64 columns from arrays of numbers, by name; NaN becomes null. */
export function numberColumns(arrays: Readonly<Record<string, Float64Array>>): DataFrame {
  const names = Object.keys(arrays);
  const columns = names.map((name) =>
    pl.Series(name, arrays[name] as ArrayLike<number>, pl.Float64)
  );
  return pl.DataFrame(columns).select(...names.map((name) => pl.col(name).fillNan(pl.lit(null))));
}

/**
 * Aggregates a frame by key columns: one row per group, in order of first appearance, which polars does not guarantee.
 * Without keys: one row.
 */
export function inGroups(
  frame: DataFrame,
  keys: readonly string[],
  totals: readonly Expr[],
): DataFrame {
  if (keys.length === 0) return frame.select(...totals);
  const columns = keys.map((key) => pl.col(key));
  return frame.lazy().groupBy(columns, { maintainOrder: true }).agg(...totals).collectSync();
}

/** Returns the sum of the values that are not null; null without values, where polars returns 0. */
export function sumOrNull(value: Expr): Expr {
  return pl.when(value.count().gt(0)).then(value.sum()).otherwise(pl.lit(null));
}

/**
 * `value / divisor`, rounded as JavaScript rounds it. polars divides by a single number by multiplying with its
 * reciprocal, so 57 / 100 is 0.5700000000000001, and the smallest numbers overflow. Division by a column is exact, so
 * the number is converted to a column.
 */
export function quotient(value: Expr, divisor: Expr): Expr {
  return value.div(pl.when(value.isNull()).then(pl.lit(null)).otherwise(divisor));
}

/**
 * Each value as a share of the total of the non-null values. Null if the value is null. All null if a value is
 * negative or infinite, or the total is 0, because shares are then undefined.
 */
export function shareOfTotal(value: Expr): Expr {
  // Dividing by the largest value first keeps the total of very large or very small values finite.
  const scaled = quotient(value, value.max());
  const parts = value.min().gtEq(0).and(value.max().gt(0))
    .and(value.max().ltEq(Number.MAX_VALUE));
  return pl.when(parts).then(quotient(scaled, scaled.sum())).otherwise(pl.lit(null));
}
