import { Buffer } from "node:buffer";
import { type Reject, type Row, valueOf } from "./mismatch.ts";
import { pl, type Series } from "./polars.ts";

/** A text, or an object of texts with these members. */
type Element = string | Record<string, string | null>;

function readText(value: unknown, reject: () => never): string {
  return typeof value === "string" && value.isWellFormed() ? value : reject();
}

function readStruct(
  value: unknown,
  members: readonly string[],
  reject: () => never,
): Record<string, string | null> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return reject();
  return Object.fromEntries(members.map((member) => {
    const text = valueOf(value as Row, member);
    return [member, text === null ? null : readText(text, reject)];
  }));
}

/**
 * A List(String) column, or with `members` a List(Struct) column, from one field of the rows.
 * A missing key is null, and an empty list stays an empty list.
 */
export function listColumn(
  name: string,
  members: readonly string[] | null,
  rows: readonly Row[],
  reject: Reject,
): Series {
  const expected = members === null ? "a list of texts" : `a list of { ${members.join(", ")} }`;
  const lists = rows.map((row, index): Element[] | null => {
    const value = valueOf(row, name);
    if (value === null) return null;
    const refuse = () => reject({ row: index, field: name, expected, got: value });
    if (!Array.isArray(value)) return refuse();
    return value.map((element) =>
      members === null ? readText(element, refuse) : readStruct(element, members, refuse)
    );
  });
  // polars builds no struct lists from JavaScript values and infers `list[null]` from empty ones:
  // it reads JSON, and a full first row, cut off again, tells it the dtype.
  const full = members === null ? "" : Object.fromEntries(members.map((member) => [member, ""]));
  const json = JSON.stringify([[full], ...lists].map((list) => ({ list })));
  return pl.readJSON(Buffer.from(json)).getColumn("list").slice(1, lists.length).rename(name);
}
