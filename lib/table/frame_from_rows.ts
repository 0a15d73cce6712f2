import { type ArrowColumn, arrowOfNumbers, arrowOfTexts, frameOfArrow } from "./arrow.ts";
import {
  numbersOf,
  type Reader,
  type Reject,
  type Row,
  type Texts,
  textsOf,
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

/** A column, or what it is to be made of. */
export type Draft = Series | ArrowColumn | Numbers | Texts;

/** What polars need not make a series of; null for a series. */
function arrowOf(draft: Draft): ArrowColumn | null {
  if ("valid" in draft) return draft;
  if ("numbers" in draft) return arrowOfNumbers(draft.name, draft.numbers);
  return "texts" in draft ? arrowOfTexts(draft.name, draft.texts) : null;
}

/** The frame of these columns. */
export function frameOfDrafts(drafts: readonly Draft[]): DataFrame {
  const arrows = drafts.map(arrowOf);
  const many = arrows.filter((column) => column !== null);
  if (many.length === 0) return pl.DataFrame(drafts as Series[]);
  const frame = frameOfArrow(many);
  if (many.length === drafts.length) return frame;
  const made = frame.getColumns();
  return pl.DataFrame(
    drafts.map((draft, index) => arrows[index] ? made.shift()! : draft as Series),
  );
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

/** The values that rows have under one name. */
interface FlatColumn {
  readonly name: string;
  /** How many rows have the name, be it with null. */
  readonly present: number;
  readonly valid: ArrowColumn["valid"];
  /** Where they are not all numbers or all texts, each as it came; null where all are null. */
  readonly values: ArrowColumn["values"] | { readonly mixed: readonly unknown[] } | null;
}

/** Rows that were read column by column. */
interface FlatRows {
  readonly height: number;
  readonly columns: readonly FlatColumn[];
}

/** Whether the values of a field are of its dtype, or can be looked at one by one. */
function isReadable({ dtype }: Field, { values = null }: Partial<FlatColumn> = {}): boolean {
  if (dtype !== "Float64" && dtype !== "String") return false;
  if (values === null || "mixed" in values) return true;
  return "numbers" in values === (dtype === "Float64");
}

/** The column of a field whose values are readable, or that no row has. */
function flatDraft(
  field: Field,
  column: FlatColumn | undefined,
  { height, reader }: { readonly height: number; readonly reader: Reader },
): Draft {
  const { name, dtype } = field;
  const { values = null, valid = new Uint8Array(Math.ceil(height / 8)) } = column ?? {};
  if (values !== null && "mixed" in values) {
    return draftsOf(field, { rows: [], values: values.mixed }, reader)[0]!;
  }
  const none = () =>
    dtype === "Float64"
      ? { numbers: new Float64Array(height) }
      : { bytes: new Uint8Array(0), starts: new Int32Array(height + 1) };
  return { name, height, valid, values: values ?? none() };
}

/** The column of what no field names. */
function extraDraft(column: FlatColumn, height: number, reader: Reader): Draft {
  const { name, values } = column;
  if (values !== null && "mixed" in values) return agreedDraft(name, values.mixed, reader);
  const dtype = values !== null && "numbers" in values ? "Float64" : "String";
  return flatDraft({ name, dtype }, column, { height, reader });
}

/**
 * A frame of a record type, of rows that were read column by column: what `frameFromRows` makes of the same
 * rows. null where it takes the rows, as for lists, and numbers that all came as texts; and where a row may
 * have none of the fields that name it.
 */
export function frameFromFlat(
  { height, columns }: FlatRows,
  fields: readonly Field[],
  reader: Reader,
): DataFrame | null {
  const byName = new Map(columns.map((column) => [column.name, column]));
  if (fields.every(({ name }) => byName.get(name)?.present !== height)) return null;
  if (!fields.every((field) => isReadable(field, byName.get(field.name)))) return null;
  const named = fields.map((field) => flatDraft(field, byName.get(field.name), { height, reader }));
  for (const { name } of fields) byName.delete(name);
  const extra = [...byName.values()].map((column) => extraDraft(column, height, reader));
  return frameOfDrafts([...named, ...extra]);
}
