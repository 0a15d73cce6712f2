// deno-lint-ignore-file no-import-prefix -- researchers import this module from folders of their own
import papaparse from "npm:papaparse@5.7.1";
import type { EntityError } from "../query/entity_list.ts";
import type { Cell } from "../engine/duckdb.ts";

/** The function of the package that is used. It has no types of its own. */
const { unparse } = papaparse as {
  unparse(rows: unknown, options: Readonly<Record<string, unknown>>): string;
};

const FORMAT = {
  header: false,
  newline: "\r\n",
  // An empty text is quoted, because an empty field means null.
  quotes: (value: unknown) => value === "",
};

/** Returns the first line of a CSV file: the names of the columns. */
export function csvHeader(columns: readonly string[]): string {
  return `${unparse([columns], FORMAT)}\r\n`;
}

/**
 * Formats rows as CSV (RFC 4180). Null becomes an empty field, and empty text becomes `""`. Numbers have their shortest
 * exact form.
 */
export function csvLines(
  columns: readonly string[],
  rows: readonly Readonly<Record<string, Cell>>[],
): string {
  return rows.length === 0 ? "" : `${unparse(rows, { ...FORMAT, columns })}\r\n`;
}

const MAX_ERRORS = 20;
const MAX_VALUE_LENGTH = 200;

/**
 * Returns the headers that report the entity errors of a CSV response. One header has the first 20 errors as JSON in
 * ASCII, and one header has the number of all errors.
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
