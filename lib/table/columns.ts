import { pl, type Series } from "./polars.ts";
import { Buffer } from "node:buffer";

/** A place where an answer is not of the promised shape. */
export interface Mismatch {
  /** The index of the row; null when the whole answer is meant. */
  readonly row: number | null;
  /** The name of the field. */
  readonly field: string;
  /** What was promised there. */
  readonly expected: string;
  /** What stood there. */
  readonly got: unknown;
}

/** Is called at the first mismatch, and throws the caller's error. */
export type Reject = (mismatch: Mismatch) => never;

/** Who has rows read, and is told what is not as it was promised. */
export interface Reader {
  readonly reject: Reject;
  /** Is told of each text that says that there is no number, and is read as null. */
  readonly noNumber: (field: string, text: string) => void;
}

/** A row as it came. */
export type Row = Readonly<Record<string, unknown>>;

/** The value of a field, with a missing key as null: only a row's own keys count. */
export function valueOf(row: Row, name: string): unknown {
  return Object.hasOwn(row, name) ? row[name] ?? null : null;
}

const NUMERIC = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** The finite number that a value is, or that a numeric string stands for; undefined for all else. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === "string" && NUMERIC.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** Whether a value is one of the texts by which services say that there is no number. */
export function saysNoNumber(value: unknown): value is string {
  return typeof value === "string" && ["NaN", "-", "Infinity", "-Infinity", ""].includes(value);
}

/** A Float64 column of the numbers, null where one is null. */
export function float64(name: string, numbers: ArrayLike<number | null>): Series {
  // JSON has no NaN, so NaN can stand for null on the fast way through a typed array.
  const values = Float64Array.from(numbers, (number) => number ?? NaN);
  // polars would read some names as patterns of names.
  const column = pl.DataFrame([pl.Series("column", values as ArrayLike<number>, pl.Float64)]);
  const filled = column.select(pl.col("column").fillNan(pl.lit(null)));
  return filled.getColumn("column").rename(name);
}

/**
 * The numbers that the values of one field are: a numeric string is a number; null, a missing key and a
 * text that says that there is none are null.
 */
export function numbersOf(
  field: string,
  values: readonly unknown[],
  { reject, noNumber }: Reader,
): (number | null)[] {
  return values.map((value, row) => {
    if (value === null || value === undefined) return null;
    const number = numberOf(value);
    if (number !== undefined) return number;
    if (!saysNoNumber(value)) return reject({ row, field, expected: "a number", got: value });
    noNumber(field, value);
    return null;
  });
}

/** A Float64 column from one field of the rows. */
export function numberColumn(name: string, rows: readonly Row[], reader: Reader): Series {
  return float64(name, numbersOf(name, rows.map((row) => valueOf(row, name)), reader));
}

/** How the value of a text field becomes its text. */
export type TextForm = "String" | "Json" | "TextOrJson";

/** A String column of the texts, null where one is null. */
export function utf8(name: string, texts: readonly (string | null)[]): Series {
  return pl.Series(name, texts as string[], pl.Utf8);
}

/** The text that a value is, or that a number stands for; undefined for all else. */
export function textOf(value: unknown): string | undefined {
  // polars keeps no lone surrogate: it would come back as another character.
  if (typeof value === "string") return value.isWellFormed() ? value : undefined;
  // Of a larger whole number the last digits are lost already, and an id would be another one.
  const exact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  return exact ? String(value) : undefined;
}

function formed(value: unknown, form: TextForm): string | undefined {
  if (form === "String" || (form === "TextOrJson" && typeof value === "string")) {
    return textOf(value);
  }
  return JSON.stringify(value);
}

/** A String column of the values of one field: null and a missing key are null. */
export function textSeries(
  { name, form }: { readonly name: string; readonly form: TextForm },
  values: readonly unknown[],
  reject: Reject,
): Series {
  const texts = values.map((value, row) => {
    if (value === null || value === undefined) return null;
    return formed(value, form) ?? reject({ row, field: name, expected: "a text", got: value });
  });
  return utf8(name, texts);
}

/** A column of the type that the values agree on: Float64, Boolean or String, else String of JSON text. */
export function agreedColumn(name: string, values: readonly unknown[], reader: Reader): Series {
  const there = values.filter((value) => value !== null && value !== undefined);
  const types = new Set<string>(there.map((value) => typeof value));
  const all = (type: string) => types.size === 1 && types.has(type);
  if (all("number")) return float64(name, numbersOf(name, values, reader));
  if (all("boolean")) {
    return pl.Series(name, values.map((value) => value ?? null) as boolean[], pl.Bool);
  }
  return textSeries(
    { name, form: all("string") || types.size === 0 ? "String" : "Json" },
    values,
    reader.reject,
  );
}

/** A text, or an object of texts with these members. */
type Element = string | Record<string, string | null>;

function structOf(
  value: unknown,
  members: readonly string[],
): Record<string, string | null> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const texts = members.map((member): [string, string | null | undefined] => {
    const text = valueOf(value as Row, member);
    return [member, text === null ? null : textOf(text)];
  });
  const whole = texts.every((pair): pair is [string, string | null] => pair[1] !== undefined);
  return whole ? Object.fromEntries(texts) : undefined;
}

/**
 * A List(String) column, or with `members` a List(Struct) column, of the values of one field.
 * A missing key is null, and an empty list stays an empty list.
 */
export function listColumn(
  { name, members }: { readonly name: string; readonly members: readonly string[] | null },
  rows: readonly Row[],
  { reject }: Reader,
): Series {
  const expected = members === null ? "a list of texts" : `a list of { ${members.join(", ")} }`;
  const lists = rows.map((row, index): Element[] | null => {
    const value = valueOf(row, name);
    if (value === null) return null;
    const refuse = () => reject({ row: index, field: name, expected, got: value });
    if (!Array.isArray(value)) return refuse();
    return value.map((each) =>
      (members === null ? textOf(each) : structOf(each, members)) ?? refuse()
    );
  });
  // polars builds no struct lists from JavaScript values and infers `list[null]` from empty ones:
  // it reads JSON, and a full first row, cut off again, tells it the dtype.
  const full = members === null ? "" : Object.fromEntries(members.map((member) => [member, ""]));
  const json = JSON.stringify([[full], ...lists].map((list) => ({ list })));
  return pl.readJSON(Buffer.from(json)).getColumn("list").slice(1, lists.length).rename(name);
}

/** A Date column of moments, null where one is null: the days that they are in UTC. */
export function dateColumn(name: string, moments: readonly (Date | null)[]): Series {
  // polars reads dates, and its types do not say so.
  return pl.Series(name, moments as unknown as string[], pl.Date);
}

/**
 * What the elements of a list of objects hold beside their members, as a column of JSON text: a list with
 * one object for each element, null for a row that has no more. null where no row has more.
 */
export function restColumn(
  { name, members }: { readonly name: string; readonly members: readonly string[] },
  rows: readonly Row[],
): Series | null {
  const rests = rows.map((row) => {
    const value = valueOf(row, name);
    if (!Array.isArray(value)) return null;
    const rest = value.map((each: Row) =>
      Object.fromEntries(Object.entries(each).filter(([member]) => !members.includes(member)))
    );
    return rest.some((each) => Object.keys(each).length > 0) ? JSON.stringify(rest) : null;
  });
  return rests.every((rest) => rest === null) ? null : utf8(`${name}_extra`, rests);
}

/** A Datetime column of moments, to the millisecond, in UTC. */
export function momentColumn(name: string, moments: readonly Date[]): Series {
  return pl.Series(name, moments as unknown as string[], pl.Datetime("ms"));
}
