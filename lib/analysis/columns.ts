import { dateOfDay, dayOf, dayText } from "../schema/period.ts";
import { dateColumn, float64, utf8 } from "../table/columns.ts";
import { type DataFrame, pl, type Series } from "../table/polars.ts";

/** The name of the column of group numbers. The parentheses make conflicts with columns of users unlikely. */
export const GROUP = "(group)";

/** A polars expression. */
export type Expr = ReturnType<typeof pl.col>;

/**
 * Returns the numbers of a column as Float64. NaN becomes null, because polars does not treat NaN as a missing value.
 */
export function numberOfColumn(name: string): Expr {
  return pl.col(name).cast(pl.Float64).fillNan(pl.lit(null));
}

/** Returns the expressions of `numberOfColumn` for several columns, by column name. */
export function numbersOf<Name extends string>(...names: Name[]): Record<Name, Expr> {
  return Object.fromEntries(names.map((name) => [name, numberOfColumn(name)])) as Record<
    Name,
    Expr
  >;
}

/**
 * Returns the numbers of columns as arrays, by column name. NaN means null. For a million rows, arrays are faster than
 * polars expressions.
 */
export function arraysIn<Name extends string>(
  frame: DataFrame,
  names: readonly Name[],
): Record<Name, Float64Array> {
  const filled = frame.select(...names.map((name) => numberOfColumn(name).fillNull(pl.lit(NaN))));
  const arrays = names.map((name) => [name, filled.getColumn(name).toTypedArray()]);
  return Object.fromEntries(arrays) as Record<Name, Float64Array>;
}

/** Makes a frame of Float64 columns from arrays of numbers, by column name. NaN becomes null. */
export function numberColumns(arrays: Readonly<Record<string, Float64Array>>): DataFrame {
  const names = Object.keys(arrays);
  const columns = names.map((name) =>
    pl.Series(name, arrays[name] as ArrayLike<number>, pl.Float64)
  );
  return pl.DataFrame(columns).select(...names.map((name) => pl.col(name).fillNan(pl.lit(null))));
}

/** For each kind of column, the function that makes it. Dates are given as days since 1 January 1970. */
const COLUMNS = {
  text: (name: string, texts: (string | null)[]) => utf8(name, texts),
  number: (name: string, numbers: (number | null)[]) => float64(name, numbers),
  whole: (name: string, numbers: (number | null)[]) => float64(name, numbers).cast(pl.Int64),
  flag: (name: string, flags: (boolean | null)[]) => pl.Series(name, flags as boolean[], pl.Bool),
  date: (name: string, days: (number | null)[]) =>
    dateColumn(name, days.map((day) => day === null ? null : dateOfDay(day))),
};

/**
 * Makes a frame from rows, with the listed columns in the listed order. Each element of `columns` is a kind, followed
 * by the names of the columns of this kind. Missing values and NaN become null.
 */
export function tableOf(
  rows: readonly object[],
  columns: readonly (readonly [keyof typeof COLUMNS, ...string[]])[],
): DataFrame {
  const columnOf = (kind: keyof typeof COLUMNS, name: string): Series => {
    const values = rows.map((row) => (row as Record<string, unknown>)[name] ?? null);
    return COLUMNS[kind](name, values as never[]);
  };
  return pl.DataFrame(
    columns.flatMap(([kind, ...names]) => names.map((name) => columnOf(kind, name))),
  );
}

/** Replaces the group number of each row with the columns that identify the group. */
export function withKeys(table: DataFrame, keys: DataFrame): DataFrame {
  const names = [...keys.columns, ...table.columns].filter((name) => name !== GROUP);
  return table.withRowIndex("(row)").join(keys, { on: GROUP, how: "left" }).sort("(row)")
    .select(...names.map((name) => pl.col(name)));
}

/**
 * Aggregates a frame by key columns. Returns one row per group, or one row for the whole frame if there are no keys.
 * Groups keep the order of their first rows, which polars does not guarantee by default.
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

/** Aggregates a frame by key columns, and adds the group number. Groups keep the order of their first rows. */
export function numberedGroups(
  frame: DataFrame,
  keys: readonly string[],
  totals: readonly Expr[] = [],
): DataFrame {
  if (keys.length === 0) return pl.DataFrame([float64(GROUP, frame.height > 0 ? [0] : [])]);
  return inGroups(frame, keys, totals).withRowIndex(GROUP)
    .withColumn(pl.col(GROUP).cast(pl.Float64));
}

/** Returns, for each row, the index of the first row of its group: the smallest `(row)` of the group. */
export function firstRow(keys: readonly string[]): Expr {
  return keys.length === 0 ? pl.lit(0) : pl.col("(row)").min().over(...keys as [string]);
}

/** Throws a RangeError that shows the first wrong row, if there is one. */
export function refuseWhere(
  frame: DataFrame,
  wrong: Expr,
  { message, shown = frame.columns, then = "" }: {
    readonly message: string;
    /** The columns of the row that the message shows. */
    readonly shown?: readonly string[];
    /** The end of the message: what the user can do. */
    readonly then?: string;
  },
): void {
  const rows = frame.filter(wrong).select(...shown.map((name) => pl.col(name))).head(1);
  for (const row of rows.toRecords()) {
    const texts = Object.entries(row as object).map(([name, value]) =>
      `${name} ${value instanceof Date ? dayText(dayOf(value)) : value}`
    );
    throw new RangeError(`${message} ${texts.join(", ")}${then}`);
  }
}

/** Throws a RangeError if two rows have the same keys. */
export function refuseRepeats(
  frame: DataFrame,
  keys: readonly string[],
  { fn, then }: { readonly fn: string; readonly then: string },
): void {
  // Counts the distinct keys first: this is much faster than a search for the repeated rows.
  if (frame.unique({ subset: [...keys] }).height === frame.height) return;
  const repeated = pl.struct(keys.map((name) => pl.col(name))).isDuplicated();
  refuseWhere(frame, repeated, { message: `${fn}: two rows have`, shown: keys, then });
}

/** Returns the value if a condition holds, else null. */
export function where(condition: Expr, value: Expr): Expr {
  return pl.when(condition).then(value).otherwise(pl.lit(null));
}

/** Returns the sum of the non-null values. If all values are null, the sum is null; in polars it would be 0. */
export function sumOrNull(value: Expr): Expr {
  return where(value.count().gt(0), value.sum());
}

/**
 * Returns `value / divisor`, rounded as in JavaScript. If the divisor is a single number, polars multiplies by its
 * reciprocal instead: 57 / 100 is 0.5700000000000001, and division by the smallest numbers overflows. Division by a
 * column is rounded correctly, so this function makes the divisor a column.
 */
export function quotient(value: Expr, divisor: Expr): Expr {
  return value.div(where(value.isNotNull(), divisor));
}

/**
 * Returns each value as a share of the total of the non-null values; null stays null. All shares are null if a value is
 * negative or infinite, or if the total is 0, because shares are then undefined.
 */
export function shareOfTotal(value: Expr): Expr {
  // Divides by the largest value first, so that the total of very large values stays finite.
  const scaled = quotient(value, value.max());
  const parts = value.min().gtEq(0).and(value.max().gt(0))
    .and(value.max().ltEq(Number.MAX_VALUE));
  return where(parts, quotient(scaled, scaled.sum()));
}

/**
 * Stacks number columns into one column `value`. Each row of the frame becomes one row per number column, with the keys
 * of the original row, the texts that `columns` lists for the column, and the number. The order of rows and columns is
 * kept.
 */
export function longForm<Text extends string>(
  frame: DataFrame,
  keys: readonly string[],
  columns: readonly (Readonly<Record<Text, string | null>> & { readonly column: string })[],
): DataFrame {
  const texts = Object.keys(columns[0]!).filter((name) => name !== "column");
  const names = columns.map(({ column }) => column);
  const table = tableOf(
    columns.map((column, place) => ({ ...column, "(column)": column.column, "(place)": place })),
    [["text", "(column)", ...texts], ["number", "(place)"]],
  );
  return frame
    .select(...keys.map((key) => pl.col(key)), ...names.map(numberOfColumn))
    .withRowIndex("(row)")
    .unpivot(["(row)", ...keys], names, { variableName: "(column)", valueName: "(value)" })
    .join(table, { on: "(column)", how: "left" })
    .sort(["(row)", "(place)"])
    .select(
      ...[...keys, ...texts].map((name) => pl.col(name)),
      pl.col("(value)").alias("value"),
    );
}
