import { columnsOfDrafts, type Draft, textsOf } from "./bulk_columns.ts";
import {
  listColumn,
  numbersOf,
  type Reader,
  type Reject,
  restColumn,
  type Row,
  valuesOf,
} from "./columns.ts";
import { type DataFrame, pl, type Series } from "./polars.ts";
import type { Field } from "../schema/records.ts";

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
