import { type DataFrame, pl } from "../table/polars.ts";

/** The name of the column that numbers groups; no frame is likely to have it. */
export const GROUP = "(group)";

/** A polars expression. */
export type Expr = ReturnType<typeof pl.col>;

/** The numbers of a column as Float64: NaN, which polars keeps apart from null, is null here. */
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

/** Float64 columns from arrays of numbers, by name: null where one is NaN. */
export function numberColumns(arrays: Readonly<Record<string, Float64Array>>): DataFrame {
  const names = Object.keys(arrays);
  const columns = names.map((name) =>
    pl.Series(name, arrays[name] as ArrayLike<number>, pl.Float64)
  );
  return pl.DataFrame(columns).select(...names.map((name) => pl.col(name).fillNan(pl.lit(null))));
}

/**
 * Sums up a frame by key columns: one row per group, in the order in which the groups first appear,
 * which polars does not promise by itself. No keys: one row for the whole frame.
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
 * `value / divisor`, rounded as JavaScript rounds it. polars divides by a single number by
 * multiplying with its reciprocal, which makes 57 / 100 come out as 0.5700000000000001 and
 * overflows for the smallest numbers; it divides by a column properly, so the number is made one.
 */
export function quotient(value: Expr, divisor: Expr): Expr {
  return value.div(pl.when(value.isNull()).then(pl.lit(null)).otherwise(divisor));
}

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
