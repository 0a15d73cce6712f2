import type { Column } from "../schema/dictionary.ts";
import { utf8 } from "../table/columns/cell_values.ts";
import {
  type ColumnKind,
  columnsOf,
  computedColumns,
  setColumns,
} from "../table/track/descriptions.ts";
import { type DataFrame, pl, type Series } from "../table/columns/polars.ts";

/** A polars expression. */
export type Expr = ReturnType<typeof pl.col>;

const MISSING = pl.lit(null);

/**
 * Returns the numbers of a column as Float64. NaN becomes null, because polars does not treat NaN as a missing value.
 */
export function numberOfColumn(name: string): Expr {
  return pl.col(name).cast(pl.Float64).fillNan(MISSING);
}

/**
 * Returns the numbers of columns as arrays, by column name. NaN means null. For a million rows, arrays are faster than
 * polars expressions.
 */
export function arraysIn<Name extends string>(
  frame: DataFrame,
  names: readonly Name[],
): Record<Name, Float64Array> {
  const filled = frame.select(...names).select(
    pl.all().cast(pl.Float64).fillNull(pl.lit(NaN)),
  );
  const arrays = names.map((name) => [name, filled.getColumn(name).toTypedArray()]);
  return Object.fromEntries(arrays) as Record<Name, Float64Array>;
}

/** Returns what `arraysIn` returns. The numbers of a missing column are null. */
export function numbersIn<Name extends string>(
  frame: DataFrame,
  names: readonly Name[],
): Record<Name, Float64Array> {
  const known = new Set(frame.columns);
  const arrays = arraysIn(frame, names.filter((name) => known.has(name)));
  for (const name of names) arrays[name] ??= new Float64Array(frame.height).fill(NaN);
  return arrays;
}

/** Makes a column of Float64 from an array of numbers. NaN stays NaN. */
export function numberColumn(name: string, numbers: Float64Array): Series {
  // polars reads typed arrays much faster than arrays, but its types do not accept them.
  return pl.Series(name, numbers as ArrayLike<number>, pl.Float64);
}

/** Makes a frame of Float64 columns from arrays of numbers, by column name. NaN becomes null. */
export function numberColumns(arrays: Readonly<Record<string, Float64Array>>): DataFrame {
  const names = Object.keys(arrays);
  const columns = names.map((name) => numberColumn(name, arrays[name]!));
  return pl.DataFrame(columns).select(pl.all().fillNan(MISSING));
}

/** The cells of rows, by column name. */
type Cells = readonly Readonly<Record<string, unknown>>[];

/** Makes a column of numbers from an array, which polars reads faster than a list with nulls. NaN means null. */
function numbersOf(name: string, rows: Cells): Series {
  const numbers = new Float64Array(rows.length);
  for (let row = 0; row < rows.length; row++) numbers[row] = (rows[row]![name] ?? NaN) as number;
  return numberColumn(name, numbers);
}

const textsOf = (name: string, rows: Cells): Series =>
  utf8(name, rows.map((row) => (row[name] ?? null) as string | null));

const flagsOf = (name: string, rows: Cells): Series =>
  pl.Series(name, rows.map((row) => (row[name] ?? null) as boolean), pl.Bool);

/** For each dtype, the function that makes a column, and what numbers become. Dates are days since 1 January 1970. */
const DTYPES = {
  text: { series: textsOf },
  number: { series: numbersOf, become: (numbers: Expr) => numbers },
  whole: { series: numbersOf, become: (numbers: Expr) => numbers.cast(pl.Int64) },
  flag: { series: flagsOf },
  date: { series: numbersOf, become: (numbers: Expr) => numbers.cast(pl.Int32).cast(pl.Date) },
} satisfies Record<
  string,
  { series: (name: string, rows: Cells) => Series; become?: (numbers: Expr) => Expr }
>;

/**
 * The dtype of a column, and after a space its unit or role: `number usd`, `whole months`, `text id`. The column `key`
 * is a text that the source of the table describes.
 */
type TableKind = keyof typeof DTYPES | "key" | `${keyof typeof DTYPES} ${ColumnKind}`;

/** The units and roles of columns that state only their dtype. */
const KINDS = {
  text: "note",
  number: "number",
  whole: "count",
  flag: "note",
  date: "time",
} as const;

/** Throws a RangeError if a column that identifies rows of a result has the name of another column of the result. */
export function refuseShared(keys: readonly string[], own: readonly string[], fn: string): void {
  const shared = keys.find((name) => own.includes(name));
  if (shared === undefined) return;
  throw new RangeError(
    `${fn}: the result has a column ${shared} of its own: rename that of the frame`,
  );
}

/**
 * Makes a frame from rows, with the listed columns in the listed order. Each element of `columns` is a kind, followed
 * by the names of the columns of this kind. Missing values and NaN become null. The unit `field` is that of `field`.
 */
export function tableOf(
  rows: readonly object[],
  columns: readonly (readonly [TableKind, ...string[]])[],
  field?: Column,
): DataFrame {
  const parts = columns.map(([kind, ...names]) => {
    const [text = "text", ...unit] = (kind === "key" ? "text" : kind).split(" ");
    const dtype = text as keyof typeof DTYPES;
    const described = unit.join(" ") || KINDS[dtype];
    return {
      dtype,
      names,
      series: names.map((name) => DTYPES[dtype].series(name, rows as Cells)),
      known: kind === "key" ? [] : [[described as ColumnKind, ...names] as const],
    };
  });
  // One expression for all columns of a dtype, since the engine collects objects of polars late.
  const numbers = Object.entries(DTYPES).flatMap(([dtype, made]) => {
    const names = parts.filter((part) => part.dtype === dtype).flatMap(({ names }) => names);
    if (!("become" in made) || names.length === 0) return [];
    return made.become(pl.col(names).fillNan(MISSING));
  });
  return setColumns(
    pl.DataFrame(parts.flatMap(({ series }) => series)).withColumns(...numbers),
    computedColumns(parts.flatMap(({ known }) => known), field),
  );
}

/** Returns the rows with the given indices. A frame without columns is returned unchanged. */
export function rowsAt(frame: DataFrame, rows: readonly number[] | Uint32Array): DataFrame {
  if (frame.width === 0) return frame;
  const indices = rows instanceof Uint32Array
    ? pl.Series("", rows as unknown as number[], pl.UInt32)
    : pl.Series("", [...rows], pl.Int64);
  // polars accepts a series here, but its types do not.
  return frame.select(pl.all().gather(indices as unknown as Expr));
}

/**
 * Adds the columns that identify a group to each row, before the other columns. `keys` has one row per group, and
 * `groups` has the index of the group of each row.
 */
export function withKeys(
  table: DataFrame,
  keys: DataFrame,
  { fn, groups }: { readonly fn: string; readonly groups: readonly number[] },
): DataFrame {
  if (keys.width === 0) return table;
  refuseShared(keys.columns, table.columns, fn);
  const made = pl.concat([rowsAt(keys, groups), table], { how: "horizontal" });
  return setColumns(made, new Map([...columnsOf(keys), ...columnsOf(table)]));
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

/** Returns, for each row, the index of the first row of its group: the smallest `(row)` of the group. */
export function firstRow(keys: readonly string[]): Expr {
  return keys.length === 0 ? pl.lit(0) : pl.col("(row)").min().over(...keys as [string]);
}

/** The text of an error about a row. */
interface WrongRow {
  readonly message: string;
  /** The columns of the row that the message shows. */
  readonly shown?: readonly string[];
  /** The end of the message: what the user can do. */
  readonly then?: string;
}

/** Throws a RangeError that shows the first row of a frame, if there is one. */
export function refuseFirst(
  frame: DataFrame,
  { message, shown = frame.columns, then = "" }: WrongRow,
): void {
  for (const row of frame.head(1).select(...shown).toRecords()) {
    const texts = Object.entries(row as object).map(([name, value]) =>
      // A date has no time.
      `${name} ${value instanceof Date ? value.toISOString().replace("T00:00:00.000Z", "") : value}`
    );
    throw new RangeError(`${message} ${texts.join(", ")}${then}`);
  }
}

/** Throws a RangeError that shows the first wrong row, if there is one. */
export function refuseWhere(frame: DataFrame, wrong: Expr, why: WrongRow): void {
  refuseFirst(frame.filter(wrong), why);
}

/** Throws a RangeError if the frame already has columns that a function adds. */
export function refuseTaken(frame: DataFrame, names: readonly string[], fn: string): void {
  const taken = names.filter((name) => frame.columns.includes(name));
  if (taken.length === 0) return;
  throw new RangeError(
    `${fn}: the frame already has ${taken.join(", ")}; rename or drop the column`,
  );
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
export function valueWhere(condition: Expr, value: Expr): Expr {
  return pl.when(condition).then(value).otherwise(pl.lit(null));
}

/** Returns the sum of the non-null values. If all values are null, the sum is null; in polars it would be 0. */
export function sumOrNull(value: Expr): Expr {
  return valueWhere(value.count().gt(0), value.sum());
}

/**
 * Returns `value / divisor`, rounded as in JavaScript, or null if it is not finite. If the divisor is a single number, polars multiplies by its
 * reciprocal instead: 57 / 100 is 0.5700000000000001, and division by the smallest numbers overflows. Division by a
 * column is rounded correctly, so this function makes the divisor a column.
 */
export function quotient(value: Expr, divisor: Expr): Expr {
  const divided = value.div(valueWhere(value.isNotNull(), divisor));
  return valueWhere(divided.abs().ltEq(Number.MAX_VALUE), divided);
}

/**
 * Returns each value as a share of the total of the non-null values; null stays null. All shares are null if a value is
 * negative, or if the total is 0, because shares are then undefined.
 */
export function shareOfTotal(value: Expr): Expr {
  return valueWhere(value.min().gtEq(0).and(value.max().gt(0)), quotient(value, value.sum()));
}
