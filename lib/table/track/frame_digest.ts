import { sha256 } from "../../platform/machine.ts";
import { dtypeNames, isNested } from "../columns/dtypes.ts";
import { type DataFrame, pl, type Series } from "../columns/polars.ts";

/** Below this number of rows, reading all rows at once is faster than reading one column after the other. */
const FEW_ROWS = 1_000;

/**
 * Returns the cells of a column as exact texts: numbers in their shortest exact form, dates as `2025-01-31`, and lists
 * and structs as JSON. Null stays null.
 */
export function exactTexts(column: Series, dtype: string): (string | null)[] {
  if (isNested(dtype) || dtype === "Float64") {
    const textOf = (value: unknown) =>
      typeof value !== "number" ? JSON.stringify(value) : Object.is(value, -0) ? "-0" : `${value}`;
    return Array.from(column.toArray(), (value) => value === null ? null : textOf(value));
  }
  const texts = column.cast(pl.Utf8).toArray() as (string | null)[];
  return dtype === "Datetime" ? texts.map((text) => text?.replace(" ", "T") ?? null) : texts;
}

/** Sorts the members of objects by name, for `JSON.stringify`. */
function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));
}

function canonical(text: string, dtype: string): string {
  if (isNested(dtype)) return JSON.stringify(JSON.parse(text, sorted));
  return dtype.startsWith("Float") && /^-0(?:\.0)?$/.test(text) ? "0" : text;
}

/**
 * Returns the SHA-256 of the values of a frame, in hex. Frames with the same columns, dtypes and rows have the same
 * digest, in whatever order their columns and rows are.
 *
 * The digest is computed from lines of JSON, as UTF-8. The first line is a list of the names and dtypes of the columns,
 * sorted by name. Each row is a line: a list of the texts of its cells, with null for null and `0` for -0. Lists and
 * structs are JSON texts with sorted members. The lines of rows are sorted.
 *
 * @param columns the columns that count; by default, all
 */
export function frameDigest(frame: DataFrame, columns: readonly string[] = frame.columns): string {
  const [names, dtypes] = [frame.columns, dtypeNames(frame)];
  const few = frame.height < FEW_ROWS ? frame.rows() : null;
  const textsOf = (name: string, dtype: string) => {
    if (few === null || !/^(?:Float64|String)$/.test(dtype)) {
      return exactTexts(frame.getColumn(name), dtype);
    }
    return few.map((row) => {
      const value = row[places.get(name)!];
      return value === null ? null : Object.is(value, -0) ? "-0" : String(value);
    });
  };
  const places = new Map(names.map((name, index) => [name, index]));
  const header = columns.toSorted().map((name) => [name, dtypes[places.get(name)!]!] as const);
  const cells = header.map(([name, dtype]) =>
    textsOf(name, dtype).map((text) => text === null ? null : canonical(text, dtype))
  );
  const rows = Array.from(
    { length: frame.height },
    (_, row) => JSON.stringify(cells.map((texts) => texts[row])),
  );
  return sha256([JSON.stringify(header), ...rows.sort()].join("\n"));
}
