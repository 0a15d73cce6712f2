import { listColumn, numberColumn, type Reject, type Row, textColumn, valueOf } from "./columns.ts";
import { type DataFrame, pl, type Series } from "./polars.ts";
import type { Field } from "../schema/records.ts";

function extraNames(rows: readonly Row[], known: ReadonlySet<string>): Set<string> {
  const names = new Set<string>();
  for (const row of rows) {
    for (const name of Object.keys(row)) if (!known.has(name)) names.add(name);
  }
  return names;
}

function extraColumn(name: string, rows: readonly Row[], reject: Reject): Series {
  const values = rows.map((row) => valueOf(row, name)).filter((value) => value !== null);
  const all = (type: string) => values.length > 0 && values.every((value) => typeof value === type);
  if (all("number")) return numberColumn(name, rows, reject);
  if (all("boolean")) {
    return pl.Series(name, rows.map((row) => valueOf(row, name)) as boolean[], pl.Bool);
  }
  return textColumn(
    name,
    values.every((v) => typeof v === "string") ? "String" : "Json",
    rows,
    reject,
  );
}

/**
 * The fields that the interface does not name, in the order they were met: Float64, Boolean or String
 * where all values agree, else String with JSON text.
 */
export function extraColumns(
  rows: readonly Row[],
  known: ReadonlySet<string>,
  reject: Reject,
): Series[] {
  return [...extraNames(rows, known)].map((name) => extraColumn(name, rows, reject));
}

function columnOf({ name, dtype }: Field, rows: readonly Row[], reject: Reject): Series {
  if (dtype === "Float64") return numberColumn(name, rows, reject);
  if (dtype === "List(String)") return listColumn(name, null, rows, reject);
  if (typeof dtype === "object") return listColumn(name, dtype.struct, rows, reject);
  return textColumn(name, dtype, rows, reject);
}

/** Checks that every row is an object. */
export function objectRows(rows: readonly unknown[], reject: Reject): readonly Row[] {
  rows.forEach((row, index) => {
    if (typeof row !== "object" || row === null || Array.isArray(row)) {
      reject({ row: index, field: "data", expected: "an object", got: row });
    }
  });
  return rows as readonly Row[];
}

/**
 * The columns of a record type, from rows as they came: dtypes by schema and never inferred, a missing
 * key is null, and fields that the schema does not name follow after the ones it does.
 */
export function columnsFromRows(
  rows: readonly Row[],
  fields: readonly Field[],
  reject: Reject,
): Series[] {
  const known = new Set(fields.map(({ name }) => name));
  return [
    ...fields.map((field) => columnOf(field, rows, reject)),
    ...extraColumns(rows, known, reject),
  ];
}

/** A frame of a record type: no rows give a frame with every column and zero rows. */
export function frameFromRows(
  rows: readonly unknown[],
  fields: readonly Field[],
  reject: Reject,
): DataFrame {
  return pl.DataFrame(columnsFromRows(objectRows(rows, reject), fields, reject));
}
