import { loadPackage } from "./package.ts";

// The types of d3-dsv are a package of their own.
interface D3Dsv {
  csvParseRows(text: string): string[][];
}

const QUOTED_FIELD = /(^|[,\r\n])"[^"]*(?:""[^"]*)*"(?=[,\r\n]|$)/g;

/**
 * Reads a CSV text (RFC 4180) into rows of texts. The first row is usually the header. Empty lines are left out.
 *
 * @throws {RangeError} if a row has another number of fields than the first row, or a quotation mark does not belong to
 * a quoted field. The error names the row: the first row is 1, and empty lines count.
 */
export async function csvRows(given: string): Promise<string[][]> {
  const text = given.replace(/^\ufeff/, "");
  // d3-dsv accepts any quotation mark, and reads the rest of the text as one field if a quoted field does not end.
  const unquoted = text.replace(QUOTED_FIELD, "$1");
  const mark = unquoted.indexOf('"');
  if (mark >= 0) {
    const row = unquoted.slice(0, mark).split(/\r\n|\r|\n/).length;
    throw new RangeError(`row ${row}: quotation marks must enclose a whole field, or be doubled`);
  }
  const { csvParseRows } = await loadPackage<D3Dsv>("npm:d3-dsv@3.0.2");
  const rows = csvParseRows(text);
  const isEmpty = (row: readonly string[]) => row.length === 1 && row[0] === "";
  const fields = rows.find((row) => !isEmpty(row))?.length;
  const wrong = rows.findIndex((row) => !isEmpty(row) && row.length !== fields);
  if (wrong >= 0) {
    throw new RangeError(
      `row ${wrong + 1}: expected ${fields} fields as in the first row; got ${rows[wrong]!.length}`,
    );
  }
  return rows.filter((row) => !isEmpty(row));
}
