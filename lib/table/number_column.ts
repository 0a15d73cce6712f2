import { type Reject, type Row, valueOf } from "./mismatch.ts";
import { numberOf } from "./number_of.ts";
import { pl, type Series } from "./polars.ts";

/** A Float64 column of the numbers, null where one is null. */
export function float64(name: string, numbers: ArrayLike<number | null>): Series {
  // JSON has no NaN, so NaN can stand for null on the fast way through a typed array.
  const values = Float64Array.from(numbers, (number) => number ?? NaN);
  const column = pl.DataFrame([pl.Series(name, values as ArrayLike<number>, pl.Float64)]);
  return column.select(pl.col(name).fillNan(pl.lit(null))).getColumn(name);
}

/** A Float64 column from one field of the rows: a missing key is null, a numeric string is a number. */
export function numberColumn(name: string, rows: readonly Row[], reject: Reject): Series {
  const numbers = rows.map((row, index) => {
    const value = valueOf(row, name);
    if (value === null) return null;
    return numberOf(value) ?? reject({ row: index, field: name, expected: "a number", got: value });
  });
  return float64(name, numbers);
}
