import { Buffer } from "node:buffer";
import { numberIn, saysNoNumber } from "../../schema/grammar.ts";
import { fieldNamed } from "../../schema/dictionary.ts";
import { pl, type Series } from "./polars.ts";

/** A value that does not have the documented shape. */
export interface Mismatch {
  /** The index of the row. Null if the mismatch concerns the whole response. */
  readonly row: number | null;
  /** The name of the field. */
  readonly field: string;
  /** The documented type or shape. */
  readonly expected: string;
  /** The received value. */
  readonly got: unknown;
}

/** Throws an error for a mismatch. Called at the first mismatch. */
export type Reject = (mismatch: Mismatch) => never;

/** Callbacks that are called while values are read. */
export interface Reader {
  readonly reject: Reject;
  /** Receives each text that means "no number", and each number beyond the range of Float64. They are read as null. */
  readonly noNumber: (field: string, text: string) => void;
  /** Receives notes for the user about the rows. The same note can come several times. */
  readonly note: (text: string) => void;
}

/** Returns whether a value is a JSON object. */
export function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A row of a response. */
export type Row = Readonly<Record<string, unknown>>;

/** Returns the value of a field, or null for a missing key. Inherited keys are ignored. */
export function valueOf(row: Row, name: string): unknown {
  return Object.hasOwn(row, name) ? row[name] ?? null : null;
}

/** Returns the number if the value is a finite number or a numeric string. Returns undefined for all other values. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === "string") return numberIn(value);
  return Number.isFinite(value) ? value as number : undefined;
}

/** Returns whether a number is so large that JSON.parse can have rounded it. */
function isRounded(number: number): boolean {
  return Math.abs(number) > Number.MAX_SAFE_INTEGER;
}

/** Returns the note on a field with such numbers. */
function roundedNote(field: string): string {
  return `${field}: whole numbers above 2^53 are rounded`;
}

/** Makes a Float64 column. NaN becomes null, because JSON does not have NaN. */
export function float64(name: string, numbers: ArrayLike<number | null>): Series {
  const values = Array.from(numbers, (number) => Number.isNaN(number) ? null : number);
  return pl.Series(name, values as number[], pl.Float64);
}

/**
 * Returns the numbers of one field. Numeric strings become numbers. Null, missing keys and texts that mean "no number"
 * become NaN. {@linkcode float64} converts NaN to null.
 */
export function readNumbers(
  field: string,
  values: readonly unknown[],
  { reject, noNumber, note }: Reader,
): Float64Array {
  const numbers = new Float64Array(values.length).fill(NaN);
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    if (value === null || value === undefined) continue;
    const number = numberOf(value);
    if (number !== undefined) {
      numbers[row] = number;
      if (isRounded(number)) note(roundedNote(field));
    } else if (typeof value === "number" || (typeof value === "string" && saysNoNumber(value))) {
      noNumber(field, String(value));
    } else reject({ row, field, expected: "a number", got: value });
  }
  return numbers;
}

/**
 * Returns the values of rows by field, in the order in which the fields first occur. If a row lacks a field, its value
 * is undefined. All fields are read in one pass over the rows, because one pass per field would be slower. `onField`
 * is called for each field.
 */
export function valuesByField(
  rows: readonly Row[],
  onField?: (name: string) => unknown,
): Map<string, unknown[]> {
  const fields = new Map<string, unknown[]>();
  rows.forEach((row, index) => {
    for (const name of Object.keys(row)) {
      let values = fields.get(name);
      if (values === undefined) {
        onField?.(name);
        values = new Array<unknown>(rows.length).fill(undefined);
        fields.set(name, values);
      }
      values[index] = row[name];
    }
  });
  return fields;
}

/** Makes a String column. Null stays null. */
export function utf8(name: string, texts: readonly (string | null)[]): Series {
  return pl.Series(name, texts as string[], pl.Utf8);
}

/** Makes a Date column. Each moment becomes its day in UTC, and null stays null. */
export function dateColumn(name: string, moments: readonly (Date | null)[]): Series {
  // polars accepts Date objects here, but its types do not.
  return pl.Series(name, moments as unknown as string[], pl.Date);
}

/** Makes a Datetime column in UTC, with millisecond precision. */
export function momentColumn(name: string, moments: readonly Date[]): Series {
  return pl.Series(name, moments as unknown as string[], pl.Datetime("ms"));
}

/**
 * Makes a column of lists or structs from JSON texts. polars cannot build lists of structs from JavaScript values, and
 * infers the wrong dtype from empty lists. So polars reads JSON whose first row is `complete`, an example with all
 * members. This row is then removed.
 */
export function nestedColumn(name: string, complete: unknown, cells: readonly string[]): Series {
  const json = [JSON.stringify(complete), ...cells].map((cell) => `{"cell":${cell}}`).join(",");
  return pl.readJSON(Buffer.from(`[${json}]`)).getColumn("cell").slice(1, cells.length)
    .rename(name);
}

/**
 * Returns the text of a string or a number. Returns undefined for all other values, and for texts with lone surrogates,
 * which polars would replace.
 */
function textOf(value: unknown, name: string, { note }: Reader): string | undefined {
  if (typeof value === "string") return value.isWellFormed() ? value : undefined;
  if (typeof value !== "number") return undefined;
  if (isRounded(value)) note(roundedNote(name));
  return String(value);
}

/** Returns a value as JSON text, with a note if it contains numbers that JSON.parse can have rounded. */
function jsonOf(value: unknown, name: string, { note }: Reader): string {
  for (const inside = [value]; inside.length > 0;) {
    const each = inside.pop();
    if (typeof each === "number" && isRounded(each)) note(roundedNote(name));
    if (typeof each !== "object" || each === null) continue;
    for (const member of Object.values(each)) inside.push(member);
  }
  return JSON.stringify(value);
}

/** How values become texts. Undefined for a value that the dtype does not allow. */
const FORMS = {
  String: textOf,
  Json: jsonOf,
  TextOrJson: (value: unknown, name: string, reader: Reader) =>
    typeof value === "string" ? textOf(value, name, reader) : jsonOf(value, name, reader),
};

/** Returns an object or a list of another shape as JSON text, with a note. Refuses all other values. */
function oddText(value: unknown, mismatch: Mismatch, reader: Reader): string {
  if (typeof value !== "object" || value === null) return reader.reject(mismatch);
  reader.note(`${mismatch.field}: values of another shape are kept as JSON text`);
  return jsonOf(value, mismatch.field, reader);
}

/**
 * Converts the values of one field to texts. Null and missing keys become null. In a field of prose, which is neither an
 * id nor a value, an object or a list becomes JSON text.
 */
export function textsOf(
  { name, dtype }: { readonly name: string; readonly dtype: keyof typeof FORMS },
  values: readonly unknown[],
  reader: Reader,
): (string | null)[] {
  const role = fieldNamed(name)?.role ?? "";
  const isProse = ["name", "note", "time"].includes(role);
  const form = FORMS[dtype];
  return values.map((got, row) => {
    if (got === null || got === undefined) return null;
    if (role === "id" && typeof got === "number" && isRounded(got)) {
      // Two ids could become one.
      reader.reject({ row, field: name, expected: "a text, or a number below 2^53", got });
    }
    return form(got, name, reader) ??
      oddText(isProse ? got : null, { row, field: name, expected: "a text", got }, reader);
  });
}

/**
 * Makes a column of lists from the values of one field: List(Struct) if `members` is given, else List(String).
 *
 * A missing key becomes null. An empty list stays an empty list. An object of another shape becomes JSON text: an element
 * of the list, or the last member of a struct. Other members of an object are left out, with a note.
 */
export function listColumn(
  { name, members }: { readonly name: string; readonly members: readonly string[] | null },
  values: readonly unknown[],
  reader: Reader,
): Series {
  const expected = members === null ? "a list of texts" : `a list of { ${members.join(", ")} }`;
  const cells = values.map((got, row) => {
    if (got === null || got === undefined) return "null";
    const odd = (each: unknown) => oddText(each, { row, field: name, expected, got }, reader);
    const elements = typeof got === "object" ? [got].flat() : [null];
    return JSON.stringify(elements.map((each: unknown) => {
      if (members === null) return textOf(each, name, reader) ?? odd(each);
      const names = isRow(each) ? Object.keys(each) : [];
      const texts = members.map((member) => {
        const value = isRow(each) ? valueOf(each, member) : undefined;
        return value === null ? null : textOf(value, name, reader);
      });
      if (texts.includes(undefined) || !names.some((member) => members.includes(member))) {
        texts.fill(null).splice(-1, 1, odd(each));
      } else {
        const others = names.filter((member) => !members.includes(member));
        if (others.length > 0) reader.note(`${name}: left out the members ${others.join(", ")}`);
      }
      return Object.fromEntries(members.map((member, at) => [member, texts[at]]));
    }));
  });
  const full = members === null ? "" : Object.fromEntries(members.map((member) => [member, ""]));
  return nestedColumn(name, [full], cells);
}
