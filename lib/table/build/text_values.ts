import { fieldNamed } from "../../schema/dictionary.ts";
import {
  isRounded,
  isRow,
  type Mismatch,
  nestedColumn,
  type Reader,
  roundedNote,
  valueOf,
} from "./cell_values.ts";
import type { Series } from "./polars.ts";

/**
 * Returns the text of a string or a number. Returns undefined for all other values, and for texts with lone surrogates,
 * which polars would replace.
 */
function textOf(value: unknown, name: string, { note }: Reader): string | undefined {
  if (typeof value === "string") return value.isWellFormed() ? value : undefined;
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  if (isRounded(value)) note(roundedNote(name));
  return String(value);
}

/** How values become texts. Undefined for a value that the dtype does not allow. */
const FORMS = {
  String: textOf,
  Json: (value: unknown): string | undefined => JSON.stringify(value),
  TextOrJson: (value: unknown, name: string, reader: Reader) =>
    typeof value === "string" ? textOf(value, name, reader) : JSON.stringify(value),
};

/** Returns an object or a list of another shape as JSON text, with a note. Refuses all other values. */
function oddText(value: unknown, mismatch: Mismatch, { reject, note }: Reader): string {
  if (typeof value !== "object" || value === null) return reject(mismatch);
  note(`${mismatch.field}: values of another shape are kept as JSON text`);
  return JSON.stringify(value);
}

/**
 * Converts the values of one field to texts. Null and missing keys become null. In a field of prose, which is neither an
 * id nor a value, an object or a list becomes JSON text.
 */
export function textsOf(
  { name, dtype }: { readonly name: string; readonly dtype: keyof typeof FORMS },
  values: readonly unknown[],
  reader: Reader,
): (string | null)[] {
  const isProse = ["name", "note", "time"].includes(fieldNamed(name)?.role ?? "");
  const form = FORMS[dtype];
  return values.map((got, row) =>
    got === null || got === undefined ? null : form(got, name, reader) ??
      oddText(isProse ? got : null, { row, field: name, expected: "a text", got }, reader)
  );
}

/**
 * Makes a column of lists from the values of one field: List(Struct) if `members` is given, else List(String).
 *
 * A missing key becomes null. An empty list stays an empty list. An object of another shape becomes JSON text: an element
 * of the list, or the last member of a struct. Other members of an object are left out, with a note.
 */
export function listColumn(
  { name, members }: { readonly name: string; readonly members: readonly string[] | null },
  values: readonly unknown[],
  reader: Reader,
): Series {
  const expected = members === null ? "a list of texts" : `a list of { ${members.join(", ")} }`;
  const cells = values.map((got, row) => {
    if (got === null || got === undefined) return "null";
    const odd = (each: unknown) => oddText(each, { row, field: name, expected, got }, reader);
    const elements = typeof got === "object" ? [got].flat() : [null];
    return JSON.stringify(elements.map((each: unknown) => {
      if (members === null) return textOf(each, name, reader) ?? odd(each);
      const names = isRow(each) ? Object.keys(each) : [];
      const texts = members.map((member) => {
        const value = isRow(each) ? valueOf(each, member) : undefined;
        return value === null ? null : textOf(value, name, reader);
      });
      if (texts.includes(undefined) || !names.some((member) => members.includes(member))) {
        texts.fill(null).splice(-1, 1, odd(each));
      } else {
        const others = names.filter((member) => !members.includes(member));
        if (others.length > 0) reader.note(`${name}: left out the members ${others.join(", ")}`);
      }
      return Object.fromEntries(members.map((member, at) => [member, texts[at]]));
    }));
  });
  const full = members === null ? "" : Object.fromEntries(members.map((member) => [member, ""]));
  return nestedColumn(name, [full], cells);
}
