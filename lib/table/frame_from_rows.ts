import type { Field } from "../schema/field.ts";
import { extraColumns } from "./extra_columns.ts";
import { listColumn } from "./list_column.ts";
import type { Reject, Row } from "./mismatch.ts";
import { numberColumn } from "./number_column.ts";
import { type DataFrame, pl, type Series } from "./polars.ts";
import { textColumn } from "./text_column.ts";

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
