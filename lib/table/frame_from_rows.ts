import {
  float64,
  MANY,
  numbersOf,
  type Reader,
  type Reject,
  type Row,
  type Texts,
  textsOf,
  utf8,
  valuesByField,
} from "./columns.ts";
import { listColumn, restColumn } from "./list_columns.ts";
import { type DataFrame, pl, type Series } from "./polars.ts";
import type { Field } from "../schema/records.ts";

/** The numbers of a column to be made: NaN stands for null. */
interface Numbers {
  readonly name: string;
  readonly numbers: Float64Array;
}

/** Up to so many rows it is faster to make all columns from rows. */
const FEW = 50;

type Recurring = Texts & { readonly places: Uint32Array };

/** A column, or what it is to be made of. */
export type Draft = Series | Numbers | Texts;

function isNumbers(draft: Draft): draft is Numbers {
  return "numbers" in draft;
}

function isTexts(draft: Draft): draft is Texts {
  return "distinct" in draft;
}

function isRecurring(draft: Draft): draft is Recurring {
  return isTexts(draft) && draft.places !== null;
}

function fromTypedArray(name: string, values: Float64Array | Uint32Array): Series {
  const dtype = values instanceof Float64Array ? pl.Float64 : pl.UInt32;
  // polars reads typed arrays, and its types do not say so.
  return pl.Series(name, values as unknown as number[], dtype);
}

function alone(draft: Draft): Series {
  if (isTexts(draft)) return utf8(draft.name, draft.distinct);
  if (!isNumbers(draft)) return draft;
  const { name, numbers } = draft;
  return numbers.length < MANY ? float64(name, numbers) : fromTypedArray(name, numbers);
}

// Under names of ours, until they are made: polars would read some names as patterns of names.

/** Makes columns of numbers in one select, where NaN becomes null. */
function numberColumns(drafts: readonly Numbers[]): readonly Series[] {
  const columns = drafts.map(({ numbers }, index) => fromTypedArray(`c${index}`, numbers));
  return pl.DataFrame(columns).select(pl.all().fillNan(pl.lit(null))).getColumns();
}

/** Makes columns of texts in one select, where each text is taken from its place among the distinct ones. */
function recurringColumns(drafts: readonly Recurring[]): readonly Series[] {
  const columns = drafts.map(({ places }, index) => fromTypedArray(`c${index}`, places));
  const dictionaries = drafts.map(({ distinct }, index) =>
    pl.DataFrame([utf8(`d${index}`, distinct)])
  );
  // Side by side, so that one select sees them all: the shorter ones end with nulls that nobody takes.
  const wide = pl.concat([pl.DataFrame(columns), ...dictionaries], { how: "horizontal" });
  const select = drafts.map((_, index) => pl.col(`d${index}`).gather(pl.col(`c${index}`)));
  return wide.select(...select).getColumns();
}

/** Makes the columns; where rows are many, those of a kind together. */
function columnsOfDrafts(drafts: readonly Draft[]): Series[] {
  const numbers = drafts.filter(isNumbers)
    .filter(({ numbers }) => numbers.length >= MANY && numbers.includes(NaN));
  const texts = drafts.filter(isRecurring);
  const made = new Map<Draft, Series>();
  const keep = (group: readonly Draft[], columns: readonly Series[]) =>
    columns.forEach((column, index) => {
      column.rename(group[index]!.name, true);
      made.set(group[index]!, column);
    });
  if (numbers.length > 0) keep(numbers, numberColumns(numbers));
  if (texts.length > 0) keep(texts, recurringColumns(texts));
  return drafts.map((draft) => made.get(draft) ?? alone(draft));
}

/**
 * A frame of few rows: polars is handed the rows, since to make a column costs as much as fifty of its
 * values.
 */
function frameOfFew(drafts: readonly (Numbers | Texts)[], height: number): DataFrame {
  const schema = Object.fromEntries(
    drafts.map((draft, index) => [`c${index}`, isNumbers(draft) ? pl.Float64 : pl.Utf8]),
  );
  const valueAt = (draft: Numbers | Texts, row: number) => {
    if (isTexts(draft)) return draft.distinct[row] ?? null;
    const number = draft.numbers[row]!;
    return Number.isNaN(number) ? null : number;
  };
  const rows = Array.from(
    { length: height },
    (_, row) =>
      Object.fromEntries(drafts.map((draft, index) => [`c${index}`, valueAt(draft, row)])),
  );
  const frame = pl.readRecords(rows, { schema });
  frame.columns = drafts.map(({ name }) => name);
  return frame;
}

function heightOf(draft: Numbers | Texts): number {
  return isNumbers(draft) ? draft.numbers.length : (draft.places ?? draft.distinct).length;
}

/** The frame of these columns. */
export function frameOfDrafts(drafts: readonly Draft[]): DataFrame {
  const plain = drafts.filter((draft) => isNumbers(draft) || isTexts(draft));
  const height = plain[0] === undefined ? 0 : heightOf(plain[0]);
  const isFew = plain.length === drafts.length && height > 0 && height <= FEW;
  return isFew ? frameOfFew(plain, height) : pl.DataFrame(columnsOfDrafts(drafts));
}

/** Refuses the name of a field that no column of polars can have: it would become another one. */
export function checkName(name: string, values: readonly unknown[], reject: Reject): void {
  if (name !== "" && name.isWellFormed()) return;
  reject({
    row: values.findIndex((value) => value !== undefined),
    field: name,
    expected: "a field whose name is a text that is not empty",
    got: name,
  });
}

/** A column of the type that the values agree on: Float64, Boolean or String, else String of JSON text. */
export function agreedDraft(name: string, values: readonly unknown[], reader: Reader): Draft {
  const types = new Set<string>();
  for (const value of values) {
    if (value !== null && value !== undefined) types.add(typeof value);
  }
  const all = (type: string) => types.size === 1 && types.has(type);
  if (all("number")) return { name, numbers: numbersOf(name, values, reader) };
  if (all("boolean")) {
    return pl.Series(name, values.map((value) => value ?? null) as boolean[], pl.Bool);
  }
  const form = all("string") || types.size === 0 ? "String" : "Json";
  return textsOf({ name, form }, values, reader.reject);
}

/** The columns of a field: one, and another for what its elements hold beside what was promised. */
function draftsOf(
  { name, dtype }: Field,
  { rows, values }: { readonly rows: readonly Row[]; readonly values: readonly unknown[] },
  reader: Reader,
): Draft[] {
  if (dtype === "Float64") return [{ name, numbers: numbersOf(name, values, reader) }];
  if (dtype === "List(String)") return [listColumn({ name, members: null }, rows, reader)];
  if (typeof dtype === "object") {
    const list = { name, members: dtype.struct };
    const column = listColumn(list, rows, reader);
    const rest = restColumn(list, rows);
    return rest === null ? [column] : [column, rest];
  }
  return [textsOf({ name, form: dtype }, values, reader.reject)];
}

/** Checks that every row is an object, with one of the fields that name it. */
export function recordRows(
  rows: readonly unknown[],
  names: readonly string[],
  reject: Reject,
): readonly Row[] {
  rows.forEach((row, index) => {
    const refuse = (expected: string) => reject({ row: index, field: "data", expected, got: row });
    if (typeof row !== "object" || row === null || Array.isArray(row)) return refuse("an object");
    if (names.some((name) => Object.hasOwn(row, name))) return;
    refuse(`an object with a field of the interface, such as ${names.slice(0, 3).join(", ")}`);
  });
  return rows as readonly Row[];
}

/**
 * The columns of a record type, from rows as they came: dtypes by schema and never inferred, a missing
 * key is null, and what the schema does not name follows after what it does: Float64, Boolean or String
 * where all values agree, else String with JSON text.
 */
export function draftsFromRows(
  rows: readonly Row[],
  fields: readonly Field[],
  reader: Reader,
): Draft[] {
  const known = new Set(fields.map(({ name }) => name));
  const values = valuesByField(rows);
  const none = new Array<unknown>(rows.length).fill(undefined);
  const named = fields.flatMap((field) =>
    draftsOf(field, { rows, values: values.get(field.name) ?? none }, reader)
  );
  const unnamed = [...values.keys()].filter((name) => !known.has(name));
  for (const name of unnamed) checkName(name, values.get(name)!, reader.reject);
  const extra = unnamed.map((name) => agreedDraft(name, values.get(name)!, reader));
  // What the elements of lists hold besides is no field of the interface either.
  const columns = [
    ...named.filter(({ name }) => known.has(name)),
    ...named.filter(({ name }) => !known.has(name)),
    ...extra,
  ];
  const taken = columns.map(({ name }) => name);
  const twice = taken.find((name, index) => taken.indexOf(name) < index);
  if (twice !== undefined) {
    const expected = "a column of its own";
    reader.reject({ row: null, field: twice, expected, got: twice });
  }
  return columns;
}

/** A frame of a record type: no rows give a frame with every column and zero rows. */
export function frameFromRows(
  rows: readonly unknown[],
  fields: readonly Field[],
  reader: Reader,
): DataFrame {
  const names = fields.map(({ name }) => name);
  return frameOfDrafts(draftsFromRows(recordRows(rows, names, reader.reject), fields, reader));
}
