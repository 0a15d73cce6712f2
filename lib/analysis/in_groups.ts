import type { DataFrame } from "../table/polars.ts";
import { pl } from "../table/polars.ts";
import type { Expr } from "./number_of_column.ts";

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
