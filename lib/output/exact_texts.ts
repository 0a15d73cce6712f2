import { pl, type Series } from "../table/polars.ts";

function numberText(value: number): string {
  if (Object.is(value, -0)) return "-0";
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "inf" : "-inf";
}

/** JSON would make null of a number that is not finite: within a list it stands as a text. */
function finite(_: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isFinite(value) ? numberText(value) : value;
}

/**
 * The cells of a column as texts that lose nothing, null where a cell is null: numbers in their
 * shortest exact form, dates as `2025-01-31`, times as `2025-01-31T10:00:00.000`, lists and structs
 * as JSON.
 */
export function exactTexts(column: Series, dtype: string): (string | null)[] {
  const each = <Value>(text: (value: Value) => string): (string | null)[] =>
    (column.toArray() as (Value | null)[]).map((value) => value === null ? null : text(value));
  if (dtype === "String") return each((value: string) => value);
  if (dtype === "Float64") return each(numberText);
  if (/^(List|Array|Struct)/.test(dtype)) return each((value) => JSON.stringify(value, finite));
  // polars' own texts: JavaScript has no whole numbers beyond 2^53 and no nanoseconds.
  const texts = column.cast(pl.Utf8).toArray() as (string | null)[];
  return dtype === "Datetime" ? texts.map((text) => text?.replace(" ", "T") ?? null) : texts;
}
