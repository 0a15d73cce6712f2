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
  /** Receives each text that means "no number". Such a text is read as null. */
  readonly noNumber: (field: string, text: string) => void;
  /** Receives the field of each number that Float64 cannot store: it is rounded, or beyond the range and read as null. */
  readonly lost: (field: string, how: "rounded" | "null") => void;
  /** Receives each note for the user about the rows. */
  readonly note: (text: string) => void;
  /**
   * Is called for a number whose digits matter. Throws an error if the rows can be read again with the digits that the
   * service sent, as {@linkcode withDigits} parses them.
   */
  readonly needDigits: () => void;
}

/** A number with the digits that the service sent. `JSON.stringify` writes these digits. */
interface RawNumber {
  readonly rawJSON: string;
}

// The types of TypeScript do not have these functions yet.
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
};

/** Parses JSON, and keeps the digits of all numbers. This takes several times as long as `JSON.parse`. */
export function withDigits(text: string): unknown {
  const kept = (_: string, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value !== "number") return value;
    const source = context!.source!;
    return String(value) === source ? value : rawJSON(source);
  };
  return JSON.parse(text, kept);
}

/** Returns the type of a value of a response. */
export function typeOf(value: unknown): string {
  return typeof value === "object" && isRawJSON(value) ? "number" : typeof value;
}

/** Returns whether a value is a JSON object. */
export function isRow(value: unknown): value is Row {
  return typeOf(value) === "object" && value !== null && !Array.isArray(value);
}

/** A row of a response. */
export type Row = Readonly<Record<string, unknown>>;

/** Returns the value of a field, or null for a missing key. Inherited keys are ignored. */
export function valueOf(row: Row, name: string): unknown {
  return Object.hasOwn(row, name) ? row[name] ?? null : null;
}

const NUMERIC = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** Returns the number of a number or a numeric string, or undefined. The number can be infinite: JSON can contain 1e999. */
function parsed(value: unknown): number | undefined {
  if (isRawJSON(value)) return Number(value.rawJSON);
  const number = typeof value === "string" && NUMERIC.test(value) ? Number(value) : value;
  return typeof number === "number" ? number : undefined;
}

/** Returns the number if the value is a finite number or a numeric string. Returns undefined for all other values. */
export function numberOf(value: unknown): number | undefined {
  const number = parsed(value);
  return Number.isFinite(number) ? number : undefined;
}

/** Returns the digits of a number without zeros at both ends, and the exponent of the last digit. */
function significant(text: string): string {
  const [, whole = "", fraction = "", exponent = "0"] = /^[+-]?(\d*)\.?(\d*)(?:[eE](.*))?$/.exec(
    text,
  )!;
  const all = (whole + fraction).replace(/^0+/, "");
  const digits = all.replace(/0+$/, "");
  return `${digits}e${Number(exponent) - fraction.length + all.length - digits.length}`;
}

/** From this number on, Float64 cannot store all whole numbers. */
const LARGE = 2 ** 53;

/** Returns whether a value is a text that some services send if they have no number. */
function saysNoNumber(value: unknown): value is string {
  return typeof value === "string" && ["NaN", "-", "Infinity", "-Infinity", ""].includes(value);
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
export function numbersOf(
  field: string,
  values: readonly unknown[],
  { reject, noNumber, lost, needDigits }: Reader,
): Float64Array {
  const numbers = new Float64Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    if (typeof value === "number" && value > -LARGE && value < LARGE) {
      numbers[row] = value;
      continue;
    }
    numbers[row] = NaN;
    if (value === null || value === undefined) continue;
    if (typeof value === "number") needDigits();
    const number = parsed(value);
    if (number === undefined) {
      if (saysNoNumber(value)) noNumber(field, value);
      else reject({ row, field, expected: "a number", got: value });
    } else if (!Number.isFinite(number)) lost(field, "null");
    else {
      numbers[row] = number;
      const sent = isRawJSON(value) ? value.rawJSON : String(value);
      const isLarge = Math.abs(number) >= LARGE;
      if (isLarge && significant(sent) !== significant(String(number))) lost(field, "rounded");
    }
  }
  return numbers;
}

/**
 * Returns the values of rows by field, in the order in which the fields first occur. If a row lacks a field, its value
 * is undefined. All fields are read in one pass over the rows, because one pass per field would be slower.
 */
export function valuesByField(rows: readonly Row[]): Map<string, unknown[]> {
  const fields = new Map<string, unknown[]>();
  rows.forEach((row, index) => {
    for (const name of Object.keys(row)) {
      let values = fields.get(name);
      if (values === undefined) {
        values = new Array<unknown>(rows.length).fill(undefined);
        fields.set(name, values);
      }
      values[index] = row[name];
    }
  });
  return fields;
}

/**
 * How a value is converted to text: `String` accepts only texts and numbers, `Json` writes all values as JSON, and
 * `TextOrJson` keeps texts and writes all other values as JSON.
 */
type TextForm = "String" | "Json" | "TextOrJson";

/** Makes a String column. Null stays null. */
export function utf8(name: string, texts: readonly (string | null)[]): Series {
  return pl.Series(name, texts as string[], pl.Utf8);
}

/** Returns the text of a string, or the digits of a number. Returns undefined for all other values. */
export function textOf(value: unknown, { needDigits }: Reader): string | undefined {
  // Excludes texts with lone surrogates, because polars would replace these characters.
  if (typeof value === "string") return value.isWellFormed() ? value : undefined;
  if (isRawJSON(value)) return value.rawJSON;
  if (typeof value !== "number") return undefined;
  needDigits();
  return String(value);
}

/** Returns a value as JSON text, in which numbers have the digits that were sent. */
export function jsonText(value: unknown, { needDigits }: Reader): string {
  const text = JSON.stringify(value);
  // `null` can be a number beyond the range of Float64.
  if (/(?:^|[[:,])(?:-?\d|null)/.test(text)) needDigits();
  return text;
}

/** Converts a value to text. Returns undefined if `form` does not allow the value. */
function formed(value: unknown, form: TextForm, reader: Reader): string | undefined {
  if (form === "String" || (form === "TextOrJson" && typeof value === "string")) {
    return textOf(value, reader);
  }
  return jsonText(value, reader);
}

/** Returns whether a value is an object or a list, which prose can be kept as. */
export function isObjectOrList(value: unknown): boolean {
  return isRow(value) || Array.isArray(value);
}

/** Notes that a field has objects of another shape than documented, if it has any. */
export function noteNested(name: string, count: number, reader: Reader): void {
  if (count === 0) return;
  const values = count === 1
    ? "1 value of another shape is"
    : `${count} values of another shape are`;
  reader.note(`${name}: ${values} kept as JSON text`);
}

/**
 * Converts the values of one field to texts. Null and missing keys become null. In a field of prose, which is neither an
 * id nor a value, an object or a list becomes JSON text.
 */
export function textsOf(
  { name, form }: { readonly name: string; readonly form: TextForm },
  values: readonly unknown[],
  reader: Reader,
): (string | null)[] {
  const isProse = ["name", "note", "time"].includes(fieldNamed(name)?.role ?? "");
  let nested = 0;
  const texts = values.map((value, row) => {
    if (value === null || value === undefined) return null;
    const text = formed(value, form, reader);
    if (text !== undefined) return text;
    if (!isProse || !isObjectOrList(value)) {
      return reader.reject({ row, field: name, expected: "a text", got: value });
    }
    nested += 1;
    return jsonText(value, reader);
  });
  noteNested(name, nested, reader);
  return texts;
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
