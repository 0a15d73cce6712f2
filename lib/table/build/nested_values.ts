import {
  isObjectOrList,
  isRow,
  jsonText,
  noteNested,
  type Reader,
  type Row,
  textOf,
  utf8,
  valueOf,
} from "./cell_values.ts";
import { pl, type Series } from "./polars.ts";
import { Buffer } from "node:buffer";

/** An element of a list: a text, or an object whose members are texts. */
type Element = string | Record<string, string | null>;

function structOf(
  value: unknown,
  members: readonly string[],
  reader: Reader,
): Record<string, string | null> | undefined {
  if (!isRow(value)) return undefined;
  const texts = members.map((member): [string, string | null | undefined] => {
    const text = valueOf(value, member);
    return [member, text === null ? null : textOf(text, reader)];
  });
  const whole = texts.every((pair): pair is [string, string | null] => pair[1] !== undefined);
  return whole ? Object.fromEntries(texts) : undefined;
}

/**
 * Makes a column of lists or structs from JSON texts. polars cannot build lists of structs from JavaScript values, and
 * infers the wrong dtype from empty lists. So polars reads JSON whose first row is `complete`, an example with all
 * members. This row is then removed.
 */
export function nestedColumn(name: string, complete: unknown, cells: readonly string[]): Series {
  const json = [JSON.stringify(complete), ...cells].map((cell) => `{"cell":${cell}}`).join(",");
  return pl.readJSON(Buffer.from(`[${json}]`)).getColumn("cell").slice(1, cells.length)
    .rename(name);
}

/** Returns a struct whose last member is a text, and whose other members are null. */
function asLast(members: readonly string[], text: string): Record<string, string | null> {
  return Object.fromEntries(
    members.map((member, at) => [member, at === members.length - 1 ? text : null]),
  );
}

/**
 * Makes a column of lists from the values of one field: List(Struct) if `members` is given, else List(String).
 *
 * A missing key becomes null. An empty list stays an empty list. An object of another shape becomes JSON text: an element
 * of the list, or the last member of a struct.
 */
export function listColumn(
  { name, members }: { readonly name: string; readonly members: readonly string[] | null },
  rows: readonly Row[],
  reader: Reader,
): Series {
  const expected = members === null ? "a list of texts" : `a list of { ${members.join(", ")} }`;
  let nested = 0;
  const lists = rows.map((row, index): Element[] | null => {
    const value = valueOf(row, name);
    if (value === null) return null;
    const elements = Array.isArray(value) ? value : isRow(value) ? [value] : [undefined];
    return elements.map((each) => {
      const element = members === null ? textOf(each, reader) : structOf(each, members, reader);
      if (element !== undefined && Array.isArray(value)) return element;
      if (!isObjectOrList(each)) {
        return reader.reject({ row: index, field: name, expected, got: value });
      }
      nested += 1;
      const text = jsonText(each, reader);
      return members === null ? text : asLast(members, text);
    });
  });
  noteNested(name, nested, reader);
  const full = members === null ? "" : Object.fromEntries(members.map((member) => [member, ""]));
  return nestedColumn(name, [full], lists.map((list) => JSON.stringify(list)));
}

/**
 * Returns a column of JSON text with the unknown members of the elements of a list field.
 *
 * Each cell is a JSON list with one object per element. The cell is null if the elements of its row have no unknown
 * members. Returns null instead of a column if all cells would be null.
 */
export function restColumn(
  { name, members }: { readonly name: string; readonly members: readonly string[] },
  rows: readonly Row[],
  reader: Reader,
): Series | null {
  const rests = rows.map((row) => {
    const value = valueOf(row, name);
    if (!Array.isArray(value)) return null;
    const rest = value.map((each) => {
      // An object of another shape is kept whole.
      const known = structOf(each, members, reader) === undefined ? Object.keys(each) : members;
      return Object.fromEntries(Object.entries(each).filter(([member]) => !known.includes(member)));
    });
    return rest.some((each) => Object.keys(each).length > 0) ? jsonText(rest, reader) : null;
  });
  return rests.every((rest) => rest === null) ? null : utf8(`${name}_extra`, rests);
}
