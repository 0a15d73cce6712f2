import { type ArrowColumn, frameOfArrow } from "./arrow.ts";
import type { DataFrame } from "./polars.ts";
import type { Field } from "../schema/records.ts";

/** The values that rows have under one name. */
interface FlatColumn {
  readonly name: string;
  /** How many rows have the name, be it with null. */
  readonly present: number;
  readonly valid: ArrowColumn["valid"];
  /** null where all are null. */
  readonly values: ArrowColumn["values"] | null;
}

/** Rows that were read column by column: texts alone, or numbers alone, under each name. */
interface FlatRows {
  readonly height: number;
  readonly columns: readonly FlatColumn[];
}

/** The column of a field; null where the values are not of its dtype. */
function columnOf(
  { name, dtype }: Field,
  column: FlatColumn | undefined,
  height: number,
): ArrowColumn | null {
  if (dtype !== "Float64" && dtype !== "String") return null;
  const isNumber = dtype === "Float64";
  const { values = null, valid = new Uint8Array(Math.ceil(height / 8)) } = column ?? {};
  if (values !== null) return isNumber === "numbers" in values ? { name, valid, values } : null;
  const none = isNumber
    ? { numbers: new Float64Array(height) }
    : { bytes: new Uint8Array(0), starts: new Int32Array(height + 1) };
  return { name, valid, values: none };
}

/**
 * A frame of a record type, of rows that were read column by column: what `frameFromRows` makes of the same
 * rows. null where it would have to look at values one by one, such as numbers that came as texts, or
 * would refuse a row.
 */
export function frameFromFlat(
  { height, columns }: FlatRows,
  fields: readonly Field[],
): DataFrame | null {
  const byName = new Map(columns.map((column) => [column.name, column]));
  // A row may be one that has none of the fields that name it.
  if (fields.every(({ name }) => byName.get(name)?.present !== height)) return null;
  const named = fields.map((field) => columnOf(field, byName.get(field.name), height));
  for (const { name } of fields) byName.delete(name);
  const extra = [...byName.values()].map((column) => {
    const dtype = column.values !== null && "numbers" in column.values ? "Float64" : "String";
    return columnOf({ name: column.name, dtype }, column, height);
  });
  const made = [...named, ...extra].filter((column) => column !== null);
  return made.length < named.length + extra.length ? null : frameOfArrow(made, height);
}
