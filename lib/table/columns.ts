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
  /** Receives each note for the user about the rows. */
  readonly note: (text: string) => void;
}

/** A row of a response. */
export type Row = Readonly<Record<string, unknown>>;

/** Returns the value of a field, or null for a missing key. Inherited keys are ignored. */
export function valueOf(row: Row, name: string): unknown {
  return Object.hasOwn(row, name) ? row[name] ?? null : null;
}

const NUMERIC = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** Returns the number if the value is a finite number or a numeric string. Returns undefined for all other values. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === "string" && NUMERIC.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** Returns whether a value is a text that some services send if they have no number. */
export function saysNoNumber(value: unknown): value is string {
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
  { reject, noNumber }: Reader,
): Float64Array {
  const numbers = new Float64Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    // The condition excludes Infinity, because Infinity minus itself is NaN. JSON can contain Infinity as 1e999.
    if (typeof value === "number" && value - value === 0) {
      numbers[row] = value;
      continue;
    }
    numbers[row] = NaN;
    if (value === null || value === undefined) continue;
    const number = numberOf(value);
    if (number !== undefined) numbers[row] = number;
    else if (saysNoNumber(value)) noNumber(field, value);
    else reject({ row, field, expected: "a number", got: value });
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
export type TextForm = "String" | "Json" | "TextOrJson";

/** Makes a String column. Null stays null. */
export function utf8(name: string, texts: readonly (string | null)[]): Series {
  return pl.Series(name, texts as string[], pl.Utf8);
}

/** Returns the text of a string or a number. Returns undefined for all other values. */
export function textOf(value: unknown): string | undefined {
  // Excludes texts with lone surrogates, because polars would replace these characters.
  if (typeof value === "string") return value.isWellFormed() ? value : undefined;
  // Excludes whole numbers beyond 2^53: their last digits are lost, so the text of an id would be wrong.
  const exact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  return exact ? String(value) : undefined;
}

/** Converts a value to text. Returns undefined if `form` does not allow the value. */
function formed(value: unknown, form: TextForm): string | undefined {
  if (form === "String" || (form === "TextOrJson" && typeof value === "string")) {
    return textOf(value);
  }
  return JSON.stringify(value);
}

/** Converts the values of one field to texts. Null and missing keys become null. */
export function textsOf(
  { name, form }: { readonly name: string; readonly form: TextForm },
  values: readonly unknown[],
  reject: Reject,
): (string | null)[] {
  return values.map((value, row) =>
    value === null || value === undefined
      ? null
      : formed(value, form) ?? reject({ row, field: name, expected: "a text", got: value })
  );
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
