import {
  float64,
  formed,
  listColumn,
  numbersOf,
  type Reader,
  type Reject,
  restColumn,
  type Row,
  type TextForm,
  utf8,
  valuesOf,
} from "./columns.ts";
import { type DataFrame, pl, type Series } from "./polars.ts";
import type { Field } from "../schema/records.ts";

/** Takes the rows out of `data`; undefined when it is not of the promised shape. */
export type RowsOf = (data: unknown) => readonly unknown[] | undefined;

/** The rows of a `data` that must be a list. */
export function listOfRows(data: unknown): readonly unknown[] | undefined {
  return Array.isArray(data) ? data : undefined;
}

/** The numbers of a column to be made: NaN stands for null. */
interface Numbers {
  readonly name: string;
  readonly numbers: Float64Array;
}

/** The texts of a column to be made: each distinct one once, and which one stands in which row. */
interface Texts {
  readonly name: string;
  readonly distinct: readonly (string | null)[];
  /** For each row, the place of its text; null where the texts stand row by row. */
  readonly places: Uint32Array | null;
}

/** A column, or what it is to be made of. */
export type Draft = Series | Numbers | Texts;

/** From so many rows on it is faster to make all columns together. */
const MANY = 1_000;

/**
 * Reads the texts of one field: null and a missing key are null. Where texts recur, each is looked at and
 * handed to polars once: that is what costs.
 */
export function textsOf(
  { name, form }: { readonly name: string; readonly form: TextForm },
  values: readonly unknown[],
  reject: Reject,
): Texts {
  const read = (value: unknown, row: number) =>
    value === null || value === undefined
      ? null
      : formed(value, form) ?? reject({ row, field: name, expected: "a text", got: value });
  const plain = () => ({ name, distinct: values.map(read), places: null });
  if (values.length < MANY || form === "Json") return plain();
  const seen = new Map<unknown, number>();
  const distinct: (string | null)[] = [];
  const places = new Uint32Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    let place = seen.get(value);
    if (place === undefined) {
      place = distinct.length;
      if (place > MANY && place > row / 2) return plain();
      seen.set(value, place);
      distinct.push(read(value, row));
    }
    places[row] = place;
  }
  return { name, distinct, places };
}

function isNumbers(draft: Draft): draft is Numbers {
  return "numbers" in draft;
}

function isTexts(draft: Draft): draft is Texts {
  return "distinct" in draft;
}

function alone(draft: Draft): Series {
  if (isNumbers(draft)) return float64(draft.name, draft.numbers);
  return isTexts(draft) ? utf8(draft.name, draft.distinct) : draft;
}

/**
 * Makes the columns. Those of many rows come out of one select: NaN becomes null there, and each text is
 * taken from its place among the distinct ones.
 */
export function columnsOfDrafts(drafts: readonly Draft[]): Series[] {
  const height = Math.max(
    0,
    ...drafts.map((draft) => isNumbers(draft) ? draft.numbers.length : 0),
    ...drafts.map((draft) => isTexts(draft) ? draft.places?.length ?? 0 : 0),
  );
  if (height < MANY) return drafts.map(alone);

  // Under names of ours: polars would read some names as patterns of names.
  const columns: Series[] = [];
  const dictionaries = [];
  const select = [];
  for (const [index, draft] of drafts.entries()) {
    const own = `c${index}`;
    if (isNumbers(draft)) {
      columns.push(pl.Series(own, draft.numbers as ArrayLike<number>, pl.Float64));
      select.push(pl.col(own).fillNan(pl.lit(null)));
    } else if (isTexts(draft) && draft.places !== null) {
      columns.push(pl.Series(own, draft.places as unknown as number[], pl.UInt32));
      dictionaries.push(pl.DataFrame([utf8(`d${index}`, draft.distinct)]));
      select.push(pl.col(`d${index}`).gather(pl.col(own)).alias(own));
    }
  }
  // Side by side, so that one select sees them all: the shorter ones end with nulls that nobody takes.
  const wide = pl.concat([pl.DataFrame(columns), ...dictionaries], { how: "horizontal" });
  const made = wide.select(...select);
  const names = new Set(made.columns);
  return drafts.map((draft, index) =>
    names.has(`c${index}`) ? made.getColumn(`c${index}`).rename(draft.name) : alone(draft)
  );
}

/** The names of the fields that the interface does not name, in the order they were met. */
function unnamed(rows: readonly Row[], known: ReadonlySet<string>, reject: Reject): string[] {
  const names = new Set<string>();
  let before: readonly string[] = [];
  rows.forEach((row, index) => {
    const keys = Object.keys(row);
    // Most rows have the keys of the row before.
    if (keys.length === before.length && keys.every((key, place) => key === before[place])) return;
    before = keys;
    for (const name of keys) {
      if (known.has(name) || names.has(name)) continue;
      checkName(name, index, reject);
      names.add(name);
    }
  });
  return [...names];
}

/** Refuses the name of a field that no column of polars can have: it would become another one. */
export function checkName(name: string, row: number, reject: Reject): void {
  if (name !== "" && name.isWellFormed()) return;
  reject({
    row,
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
function draftsOf({ name, dtype }: Field, rows: readonly Row[], reader: Reader): Draft[] {
  if (dtype === "Float64") {
    return [{ name, numbers: numbersOf(name, valuesOf(rows, name), reader) }];
  }
  if (dtype === "List(String)") return [listColumn({ name, members: null }, rows, reader)];
  if (typeof dtype === "object") {
    const list = { name, members: dtype.struct };
    const column = listColumn(list, rows, reader);
    const rest = restColumn(list, rows);
    return rest === null ? [column] : [column, rest];
  }
  return [textsOf({ name, form: dtype }, valuesOf(rows, name), reader.reject)];
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
export function columnsFromRows(
  rows: readonly Row[],
  fields: readonly Field[],
  reader: Reader,
): Series[] {
  const known = new Set(fields.map(({ name }) => name));
  const named = fields.flatMap((field) => draftsOf(field, rows, reader));
  const extra = unnamed(rows, known, reader.reject).map((name) =>
    agreedDraft(name, valuesOf(rows, name), reader)
  );
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
  return columnsOfDrafts(columns);
}

/** A frame of a record type: no rows give a frame with every column and zero rows. */
export function frameFromRows(
  rows: readonly unknown[],
  fields: readonly Field[],
  reader: Reader,
): DataFrame {
  const names = fields.map(({ name }) => name);
  return pl.DataFrame(columnsFromRows(recordRows(rows, names, reader.reject), fields, reader));
}
