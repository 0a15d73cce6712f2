import { pl, type Series } from "./polars.ts";

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

/** Callbacks for values that differ from the schema. */
export interface Reader {
  readonly reject: Reject;
  /** Called with each text that means "no number", which is read as null. */
  readonly noNumber: (field: string, text: string) => void;
  /** Is called with what the user should know about the rows. */
  readonly note: (text: string) => void;
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

/** A Float64 column of the numbers, null where one is null or NaN, which JSON has none of. */
export function float64(name: string, numbers: ArrayLike<number | null>): Series {
  const values = Array.from(numbers, (number) => Number.isNaN(number) ? null : number);
  return pl.Series(name, values as number[], pl.Float64);
}

/**
 * Returns the numbers of one field. A numeric string is a number. Null, a missing key and a text that means
 * "no number" are NaN, which becomes null.
 */
export function numbersOf(
  field: string,
  values: readonly unknown[],
  { reject, noNumber }: Reader,
): Float64Array {
  const numbers = new Float64Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    // The difference is not 0 for Infinity, which JSON can write as 1e999.
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
 * Returns the values of rows, field by field, in the order in which the fields first occur; undefined where a
 * row has no such field. Rows are read one by one: reading them once per field goes through all memory for each.
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

/** The text of a value in a form; undefined for what has none there. */
function formed(value: unknown, form: TextForm): string | undefined {
  if (form === "String" || (form === "TextOrJson" && typeof value === "string")) {
    return textOf(value);
  }
  return JSON.stringify(value);
}

/** Reads the texts of one field: null and a missing key are null. */
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

/** A Date column of moments, null where one is null: the days that they are in UTC. */
export function dateColumn(name: string, moments: readonly (Date | null)[]): Series {
  // polars reads dates, and its types do not say so.
  return pl.Series(name, moments as unknown as string[], pl.Date);
}

/** A Datetime column of moments, to the millisecond, in UTC. */
export function momentColumn(name: string, moments: readonly Date[]): Series {
  return pl.Series(name, moments as unknown as string[], pl.Datetime("ms"));
}
