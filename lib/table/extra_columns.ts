import { type Reject, type Row, valueOf } from "./mismatch.ts";
import { numberColumn } from "./number_column.ts";
import { pl, type Series } from "./polars.ts";
import { textColumn } from "./text_column.ts";

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
