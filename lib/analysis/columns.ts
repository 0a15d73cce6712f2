import { type DataFrame, pl } from "../table/polars.ts";

/** A polars expression. */
export type Expr = ReturnType<typeof pl.col>;

/** The numbers of a column as Float64: NaN, which polars keeps apart from null, is null here. */
export function numberOfColumn(name: string): Expr {
  return pl.col(name).cast(pl.Float64).fillNan(pl.lit(null));
}

const NUMERIC = /^(U?Int|Float)\d+$|^(Decimal|Null)$/;

/** The columns that an analysis function needs, and where they come from. */
export interface Requirement {
  /** The name of the function that asks. */
  readonly asker: string;
  /** What kind of frame has these columns. */
  readonly source: string;
  /** Columns that have to be there, whatever they hold. */
  readonly columns?: readonly string[];
  /** Columns that have to be there and hold numbers. */
  readonly numbers?: readonly string[];
}

/** The name of a column's dtype. */
export function dtypeOf(frame: DataFrame, name: string): string {
  return String((frame.schema as Record<string, { variant: string }>)[name]?.variant);
}

/** Tells whether a column holds numbers; a column of nulls without a dtype does. */
export function isNumeric(frame: DataFrame, name: string): boolean {
  return NUMERIC.test(dtypeOf(frame, name));
}

/**
 * Checks that a frame has the columns that a function works on.
 *
 * @throws {RangeError} when columns are missing: names all of them.
 * @throws {TypeError} when a column that has to hold numbers does not: names it and its dtype.
 */
export function requireColumns(
  frame: DataFrame,
  { asker, source, columns = [], numbers = [] }: Requirement,
): void {
  const there = new Set(frame.columns);
  const missing = [...columns, ...numbers].filter((name) => !there.has(name));
  if (missing.length > 0) {
    throw new RangeError(
      `${asker}: it works on ${source}; this frame lacks ${missing.join(", ")} and has ${
        frame.columns.join(", ") || "no columns"
      }`,
    );
  }
  for (const name of numbers) {
    if (isNumeric(frame, name)) continue;
    throw new TypeError(
      `${asker}: column ${name} has to hold numbers, and its dtype is ${dtypeOf(frame, name)}`,
    );
  }
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

/** The sum of the values that are not null; null, not polars' 0, when there is none. */
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
