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

/** How the value of a text field becomes its text. */
export type TextForm = "String" | "Json" | "TextOrJson";

/** A String column of the texts, null where one is null. */
export function utf8(name: string, texts: readonly (string | null)[]): Series {
  return pl.Series(name, texts as string[], pl.Utf8);
}

function textOf(value: unknown, form: TextForm): string | undefined {
  if (form === "Json") return JSON.stringify(value);
  // polars keeps no lone surrogate: it would come back as another character.
  if (typeof value === "string") return value.isWellFormed() ? value : undefined;
  return form === "TextOrJson" ? JSON.stringify(value) : undefined;
}

/** A String column from one field of the rows: a missing key is null. */
export function textColumn(
  name: string,
  form: TextForm,
  rows: readonly Row[],
  reject: Reject,
): Series {
  const texts = rows.map((row, index) => {
    const value = valueOf(row, name);
    if (value === null) return null;
    return textOf(value, form) ??
      reject({ row: index, field: name, expected: "a text", got: value });
  });
  return utf8(name, texts);
}

/** A text, or an object of texts with these members. */
type Element = string | Record<string, string | null>;

function readText(value: unknown, reject: () => never): string {
  return typeof value === "string" && value.isWellFormed() ? value : reject();
}

function readStruct(
  value: unknown,
  members: readonly string[],
  reject: () => never,
): Record<string, string | null> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return reject();
  return Object.fromEntries(members.map((member) => {
    const text = valueOf(value as Row, member);
    return [member, text === null ? null : readText(text, reject)];
  }));
}

/**
 * A List(String) column, or with `members` a List(Struct) column, from one field of the rows.
 * A missing key is null, and an empty list stays an empty list.
 */
export function listColumn(
  name: string,
  members: readonly string[] | null,
  rows: readonly Row[],
  reject: Reject,
): Series {
  const expected = members === null ? "a list of texts" : `a list of { ${members.join(", ")} }`;
  const lists = rows.map((row, index): Element[] | null => {
    const value = valueOf(row, name);
    if (value === null) return null;
    const refuse = () => reject({ row: index, field: name, expected, got: value });
    if (!Array.isArray(value)) return refuse();
    return value.map((element) =>
      members === null ? readText(element, refuse) : readStruct(element, members, refuse)
    );
  });
  // polars builds no struct lists from JavaScript values and infers `list[null]` from empty ones:
  // it reads JSON, and a full first row, cut off again, tells it the dtype.
  const full = members === null ? "" : Object.fromEntries(members.map((member) => [member, ""]));
  const json = JSON.stringify([[full], ...lists].map((list) => ({ list })));
  return pl.readJSON(Buffer.from(json)).getColumn("list").slice(1, lists.length).rename(name);
}

/** A Date column of moments: the days that they are in UTC. */
export function dateColumn(name: string, moments: readonly Date[]): Series {
  // polars reads dates, and its types do not say so.
  return pl.Series(name, moments as unknown as string[], pl.Date);
}
