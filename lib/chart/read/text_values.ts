import type { DataFrame } from "../../table/polars.ts";

/** The values of a column as texts, null where one is null. */
export function textValues(frame: DataFrame, column: string): (string | null)[] {
  return [...frame.getColumn(column)].map((value: unknown) => {
    if (value === null || value === undefined) return null;
    return value instanceof Date ? value.toISOString().slice(0, 10) : String(value);
  });
}
