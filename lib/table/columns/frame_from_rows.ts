import {
  float64,
  isRow,
  listColumn,
  type Reader,
  readNumbers,
  type Reject,
  type Row,
  textsOf,
  utf8,
  valuesByField,
} from "./cell_values.ts";
import { type ColumnGuard, emptyCellGuard, tableSize } from "./empty_cells.ts";
import { USED_MEMBERS } from "../track/member_names.ts";
import { type DataFrame, pl, type Series } from "./polars.ts";
import type { Field } from "../../schema/records.ts";

/** The values of one column: numbers (NaN means null), texts, or a Series. */
export type ColumnData =
  | { readonly name: string; readonly numbers: Float64Array }
  | { readonly name: string; readonly texts: readonly (string | null)[] }
  | Series;

/** If a frame has fewer rows than this number, one polars call per column is faster than one query for all columns. */
const FEW_ROWS = 1_000;
/**
 * The maximum share of distinct texts in a column for which each distinct text is passed to polars only once. Above
 * this share, all texts are passed.
 */
const MOST_DISTINCT = 0.25;

function seriesOf(column: ColumnData): Series {
  if ("numbers" in column) return float64(column.name, column.numbers);
  return "texts" in column ? utf8(column.name, column.texts) : column;
}

/**
 * Returns the distinct texts of a column, and the index of each row's text. Returns null if too many texts are
 * distinct.
 */
function codesOf(texts: readonly (string | null)[]) {
  const most = texts.length * MOST_DISTINCT;
  const codes = new Uint32Array(texts.length);
  const known = new Map<string | null, number>();
  for (let row = 0; row < texts.length; row++) {
    const text = texts[row]!;
    let code = known.get(text);
    if (code === undefined) {
      if (known.size >= most) return null;
      known.set(text, code = known.size);
    }
    codes[row] = code;
  }
  return { codes, distinct: [...known.keys()] };
}

/**
 * Makes a frame with many rows.
 *
 * Passes numbers to polars as typed arrays, in which NaN means null. Passes each distinct text only once if texts
 * repeat, because polars copies texts one by one.
 */
function frameOfManyRows(columns: readonly ColumnData[], height: number): DataFrame {
  const series: Series[] = [];
  const selected = columns.map((column, index) => {
    const name = `${index}`;
    const coded = "texts" in column ? codesOf(column.texts) : null;
    if ("numbers" in column) {
      series.push(pl.Series(name, column.numbers));
      return pl.col(name).fillNan(pl.lit(null));
    }
    if (coded === null) {
      series.push(seriesOf(column).rename(name));
      return pl.col(name);
    }
    const distinct = utf8(name, coded.distinct);
    series.push(distinct.extendConstant(null, height - distinct.length).rename(name));
    series.push(pl.Series(`${name}_code`, coded.codes));
    return pl.col(name).gather(pl.col(`${name}_code`));
  });
  const frame = pl.DataFrame(series).select(...selected);
  // Sets the names last, because polars would read some names as patterns in expressions.
  frame.columns = columns.map(({ name }) => name);
  return frame;
}

/** Renames columns that would hide a member of the frame, such as `height`. */
function withoutMembers(columns: readonly ColumnData[], note: Reader["note"]): ColumnData[] {
  const taken = new Set(columns.map(({ name }) => name));
  return columns.map((column) => {
    const { name: before } = column;
    if (!USED_MEMBERS.has(before)) return column;
    let name = `${before}_`;
    while (taken.has(name)) name += "_";
    taken.add(name);
    note(`${before}: the column is named ${name}, because frames have a member ${before}`);
    return "numbers" in column || "texts" in column ? { ...column, name } : column.rename(name);
  });
}

/**
 * Makes a frame from columns. A column with the name of a member of frames, such as `height`, gets another name, and a
 * note.
 */
export function frameOfColumns(
  given: readonly ColumnData[],
  note: Reader["note"] = () => {},
): DataFrame {
  const columns = withoutMembers(given, note);
  const [height = 0] = columns.map((column) =>
    ("numbers" in column ? column.numbers : "texts" in column ? column.texts : column).length
  );
  return height < FEW_ROWS ? pl.DataFrame(columns.map(seriesOf)) : frameOfManyRows(columns, height);
}

/** Throws an error for a field name that is empty or has lone surrogates, because polars would change such a name. */
export function checkName(name: string, values: readonly unknown[], reject: Reject): void {
  if (name !== "" && name.isWellFormed()) return;
  reject({
    row: values.findIndex((value) => value !== undefined),
    field: name,
    expected: "a field whose name is a text that is not empty",
    got: name,
  });
}

/**
 * Makes a column whose dtype fits all values: Float64 for numbers, Boolean for booleans, String for texts. If the
 * values are of several types, makes a column of JSON text.
 */
export function agreedColumn(
  name: string,
  values: readonly unknown[],
  reader: Reader,
): ColumnData {
  const filled = values.filter((value) => value !== null && value !== undefined);
  const [type = "string", ...others] = new Set<string>(filled.map((value) => typeof value));
  const isOne = others.length === 0;
  if (isOne && type === "number") return { name, numbers: readNumbers(name, values, reader) };
  if (isOne && type === "boolean") {
    return pl.Series(name, values.map((value) => value ?? null) as boolean[], pl.Bool);
  }
  const dtype = isOne && type === "string" ? "String" : "Json";
  return { name, texts: textsOf({ name, dtype }, values, reader) };
}

/** Returns the column of a field of the schema. */
function columnOf({ name, dtype }: Field, values: readonly unknown[], reader: Reader): ColumnData {
  if (dtype === "Float64") return { name, numbers: readNumbers(name, values, reader) };
  if (dtype === "List(String)") return listColumn({ name, members: null }, values, reader);
  return typeof dtype === "object"
    ? listColumn({ name, members: dtype.struct }, values, reader)
    : { name, texts: textsOf({ name, dtype }, values, reader) };
}

/** Checks that every row is an object with at least one known field. */
export function recordRows(
  rows: readonly unknown[],
  names: readonly string[],
  reject: Reject,
): readonly Row[] {
  rows.forEach((row, index) => {
    const refuse = (expected: string) => reject({ row: index, field: "data", expected, got: row });
    if (!isRow(row)) return refuse("an object");
    if (names.some((name) => Object.hasOwn(row, name))) return;
    refuse(`an object with a field of the interface, such as ${names.slice(0, 3).join(", ")}`);
  });
  return rows as readonly Row[];
}

/** Returns a guard for the columns that the schema does not name. */
function guardOf(
  rows: readonly Row[],
  fields: readonly Field[],
  { reject }: Reader,
): ColumnGuard {
  const known = new Set(fields.map(({ name }) => name));
  return emptyCellGuard(
    rows.length,
    () => tableSize(rows, known),
    (expected, got) => reject({ row: null, field: "data", expected, got }),
  );
}

/**
 * Reads rows into columns. Dtypes come from the schema, and are never inferred. A missing key is null.
 *
 * The columns of unknown fields come last. Such a column is Float64 if all its values are numbers, Boolean if all are
 * booleans, and String if all are texts. Otherwise it is String, with JSON text.
 */
export function columnsFromRows(
  rows: readonly Row[],
  fields: readonly Field[],
  reader: Reader,
  guard: ColumnGuard = guardOf(rows, fields, reader),
): ColumnData[] {
  const known = new Set(fields.map(({ name }) => name));
  const values = valuesByField(rows, (name) => known.has(name) || guard());
  const none = new Array<unknown>(rows.length).fill(undefined);
  const named = fields.map((field) => columnOf(field, values.get(field.name) ?? none, reader));
  for (const { name } of fields) values.delete(name);
  for (const [name, each] of values) checkName(name, each, reader.reject);
  return [...named, ...[...values].map(([name, each]) => agreedColumn(name, each, reader))];
}

/** Makes a frame from rows, with all columns that `fields` lists, even if there are no rows. */
export function frameFromRows(
  rows: readonly unknown[],
  fields: readonly Field[],
  reader: Reader,
): DataFrame {
  const names = fields.map(({ name }) => name);
  const columns = columnsFromRows(recordRows(rows, names, reader.reject), fields, reader);
  return frameOfColumns(columns, reader.note);
}
