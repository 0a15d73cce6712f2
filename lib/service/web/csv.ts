import type { EntityError } from "../query/entity_list.ts";
import type { Cell } from "../engine/duckdb.ts";

/** A table to be written as CSV: the names of its columns, and rows that have them. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, Cell>>[];
}

// An empty text is quoted: nothing at all is null.
function field(value: Cell | undefined): string {
  if (value === null || value === undefined) return "";
  const text = String(value);
  return text === "" || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A table as CSV of RFC 4180, with a header: null is an empty field, an empty text is `""`, and a
 * number stands in its shortest exact form.
 */
export function csvText({ columns, rows }: Table): string {
  const lines = [columns.map(field), ...rows.map((row) => columns.map((name) => field(row[name])))];
  return lines.map((cells) => `${cells.join(",")}\r\n`).join("");
}

const MAX_ERRORS = 20;
const MAX_VALUE_LENGTH = 200;

/**
 * The headers that say which entities a CSV does not hold, as CSV has no place for them: the first 20
 * as JSON in ASCII, and how many there are.
 */
export function entityErrorHeaders(errors: readonly EntityError[]): Record<string, string> {
  if (errors.length === 0) return {};
  const first = errors.slice(0, MAX_ERRORS)
    .map(({ code, field, value }) => ({ code, field, value: value.slice(0, MAX_VALUE_LENGTH) }));
  const json = JSON.stringify(first).replace(
    /[\u007f-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return { "entity-errors": json, "entity-errors-count": String(errors.length) };
}
