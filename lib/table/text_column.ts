import { type Reject, type Row, valueOf } from "./mismatch.ts";
import { pl, type Series } from "./polars.ts";

/** How the value of a text field becomes its text. */
export type TextForm = "String" | "Json" | "TextOrJson";

/** A String column of the texts, null where one is null. */
export function utf8(name: string, texts: readonly (string | null)[]): Series {
  return pl.Series(name, texts as string[], pl.Utf8);
}

function textOf(value: unknown, form: TextForm): string | undefined {
  if (form === "Json") return JSON.stringify(value);
  // polars keeps no lone surrogate: it would come back as another character.
  if (typeof value === "string") return value.isWellFormed() ? value : undefined;
  return form === "TextOrJson" ? JSON.stringify(value) : undefined;
}

/** A String column from one field of the rows: a missing key is null. */
export function textColumn(
  name: string,
  form: TextForm,
  rows: readonly Row[],
  reject: Reject,
): Series {
  const texts = rows.map((row, index) => {
    const value = valueOf(row, name);
    if (value === null) return null;
    return textOf(value, form) ??
      reject({ row: index, field: name, expected: "a text", got: value });
  });
  return utf8(name, texts);
}
