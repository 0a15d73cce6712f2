import { Buffer, isUtf8 } from "node:buffer";
import { inWords } from "../platform/statement.ts";
import { counted, listed, shown } from "../platform/terminal.ts";
import { isMissing, momentIn, NUMBER_WAYS, numberIn, writtenNumberIn } from "../schema/grammar.ts";
import { tableGuard } from "../table/columns/empty_cells.ts";
import { pl, type Series } from "../table/columns/polars.ts";
import { checkCsv, hasByte } from "./check_text.ts";
import type { Findings } from "./findings.ts";

/** The separators of fields that are recognized. */
export const SEPARATORS = [",", ";", "\t", "|"] as const;

/** How a CSV text is written. */
export interface CsvShape {
  readonly separator?: typeof SEPARATORS[number];
  readonly header?: number;
  readonly footer?: number;
  readonly encoding?: string;
}

const [LINE, RETURN, QUOTE] = [0x0a, 0x0d, 0x22];
/** Number of bytes from whose rows the separator is recognized. */
const SAMPLE = 65_536;
/** A day as people write it: `31.01.2026`, `1/31/26`. */
const WRITTEN_DAY = /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}$/;

/** Returns a text as UTF-8 without a byte order mark. */
function utf8Of(bytes: Buffer, encoding: string | undefined): Buffer {
  const begins = (...mark: number[]) => mark.every((byte, at) => bytes[at] === byte);
  const marked = begins(0xff, 0xfe) ? "utf-16le" : begins(0xfe, 0xff) ? "utf-16be" : undefined;
  const label = new TextDecoder(encoding ?? marked ?? "utf-8").encoding;
  if (label === "utf-8") {
    const text = bytes.subarray(begins(0xef, 0xbb, 0xbf) ? 3 : 0);
    if (text.subarray(0, SAMPLE).includes(0)) {
      throw new RangeError('encoding: the text has bytes of 0; pass such as encoding: "utf-16le"');
    }
    if (isUtf8(text)) return text;
    throw new RangeError('encoding: the text is not UTF-8; pass such as encoding: "windows-1252"');
  }
  try {
    return Buffer.from(new TextDecoder(label, { fatal: true }).decode(bytes));
  } catch {
    throw new RangeError(`encoding: the text is not ${label}`);
  }
}

/** Returns a text in which `\n` or `\r\n` ends each line. A `\r` inside of quotation marks stays. */
function withLineFeeds(text: Buffer): Buffer {
  if (!hasByte(text, RETURN)) return text;
  let made: Buffer | null = null;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at];
    if (byte === QUOTE) isQuoted = !isQuoted;
    else if (byte === RETURN && !isQuoted && text[at + 1] !== LINE) {
      made ??= Buffer.from(text);
      made[at] = LINE;
    }
  }
  return made ?? text;
}

/** Returns the text after a number of lines. */
function afterLines(text: Buffer, lines: number): Buffer {
  let at = 0;
  for (let line = 0; line < lines; line++) {
    const end = text.indexOf(LINE, at);
    if (end < 0) return text.subarray(text.length);
    at = end + 1;
  }
  return text.subarray(at);
}

/** Returns the beginning of the last line. */
function lastLine(text: Buffer): number {
  return text.length < 2 ? 0 : text.lastIndexOf(LINE, text.length - 2) + 1;
}

/** Returns a text without the lines at its end that match, and the number of these lines. */
function withoutLast(text: Buffer, isLeftOut: (line: string) => boolean): [Buffer, number] {
  let [rest, count] = [text, 0];
  while (rest.length > 0) {
    const start = lastLine(rest);
    if (start === 0 || !isLeftOut(rest.toString("utf8", start))) break;
    rest = rest.subarray(0, start);
    count++;
  }
  return [rest, count];
}

/** Returns the number of fields of all rows of the beginning of a text; 0 if rows differ. */
function fieldsIn(text: Buffer, separator: string): number {
  try {
    return checkCsv(text, { separator, until: SAMPLE }).columns;
  } catch {
    return 0;
  }
}

/** Returns the lines of the beginning of a text. */
function firstLines(text: Buffer): string[] {
  const lines = text.toString("utf8", 0, SAMPLE).split(/\r?\n/);
  return text.length > SAMPLE || lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** Returns the separator with which most lines have the same number of fields, at least two. */
function usualSeparator(lines: readonly string[]) {
  return SEPARATORS.map((separator) => {
    const widths = lines.map((line) => line.split(separator).length);
    const counts = new Map<number, number>();
    for (const width of widths) counts.set(width, (counts.get(width) ?? 0) + 1);
    counts.delete(1);
    const [width, most] = [...counts].reduce((best, each) => each[1] > best[1] ? each : best, [
      1,
      0,
    ]);
    return { separator, width, most };
  }).reduce((best, each) => each.most > best.most ? each : best);
}

/** Returns the separator with which all rows have the same number of fields, at least two. */
function separatorOf(text: Buffer): string {
  const found = SEPARATORS.filter((each) => fieldsIn(text, each) > 1);
  if (found.length > 1) {
    throw new RangeError(
      `separator: must be stated, because it can be ${listed(found.map(shown))}`,
    );
  }
  if (found[0] !== undefined) return found[0];
  // If no separator fits, the check of all rows names a row that differs.
  const lines = firstLines(text);
  const usual = usualSeparator(lines);
  return usual.most > lines.length / 2 ? usual.separator : ",";
}

/** Returns the number of the row, from 1, that seems to have the names: the first of the usual width whose cells are names. */
function headerIn(text: Buffer): number {
  const lines = firstLines(text);
  const { separator, width, most } = usualSeparator(lines);
  const isNumber = (cell: string) =>
    numberIn(cell) !== undefined ||
    NUMBER_WAYS.some((way) => writtenNumberIn(cell, way) !== undefined);
  const isName = (cell: string) =>
    !isMissing(cell) && !isNumber(cell) && momentIn(cell) === null && !WRITTEN_DAY.test(cell);
  return most <= lines.length / 2 ? 0 : lines.findIndex((line) => {
    const cells = line.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"));
    return cells.length === width && new Set(cells).size === width && cells.every(isName);
  }) + 1;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Refuses texts that are no table of CSV. */
function requireTable(text: Buffer, separator: string): void {
  const begin = text.toString("utf8", 0, 200).trimStart();
  if (/^[{[]/.test(begin) && [text.toString(), text.toString().split("\n")[0]!].some(isJson)) {
    throw new RangeError(
      `format: expected CSV; got JSON: ${shown(begin.slice(0, 60))}; pass format: "json"`,
    );
  }
  const isOne = lastLine(text) === 0 && !text.includes(separator);
  if (isOne && text.length > 0) {
    throw new RangeError(`expected a table; got one line: ${shown(begin.trimEnd())}`);
  }
}

/** Options of polars: all cells are texts, and the names are a row. */
interface TextOptions {
  readonly hasHeader: false;
  readonly inferSchemaLength: 0;
  readonly truncateRaggedLines: false;
}

/**
 * All columns are text: an inferred dtype would make a number of an id such as `007`, and null could not be distinguished from
 * an empty text. The names are a row, because polars leaves doubled quotation marks in the names of a header.
 */
const AS_TEXTS: TextOptions = {
  hasHeader: false,
  inferSchemaLength: 0,
  truncateRaggedLines: false,
};

/** Returns the columns of a CSV text without an empty line, as texts. */
export function csvTexts(text: Buffer, separator = ","): Map<string, Series> {
  const size = checkCsv(text, { separator });
  const guard = tableGuard(size.rows, () => size);
  for (let column = 0; column < size.columns; column++) guard();
  // polars calls the separator sep, which its types lack.
  const frame = pl.readCSV(text, { ...AS_TEXTS, sep: separator } as TextOptions);
  const names = frame.row(0).map((name) => name ?? "");
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new RangeError(`has two columns ${shown(twice)}`);
  return new Map(
    frame.getColumns().map((column, at) => [names[at]!, column.slice(1, frame.height - 1)]),
  );
}

/** Returns the rows before a footer, and the number of lines without values at the end, which are no rows. */
function rowsBefore(text: Buffer, { footer, separators }: {
  readonly footer: number;
  readonly separators: readonly string[];
}): { readonly rows: Buffer; readonly empty: number } {
  const isEmpty = (line: string) =>
    [...line].every((character) => character.trim() === "" || separators.includes(character));
  const [filled, empty] = withoutLast(text, isEmpty);
  let left = footer;
  const [above] = withoutLast(filled, () => left-- > 0);
  if (left > 0) throw new RangeError(`footer: the table has fewer than ${counted(footer, "row")}`);
  const [rows, between] = withoutLast(above, isEmpty);
  return { rows, empty: empty + between };
}

/**
 * Returns the columns of a CSV text of another source, as texts. The separator is recognized.
 *
 * @throws {RangeError} when the text is no table, or an option does not fit it.
 */
export function foreignCsv(
  bytes: Buffer,
  shape: CsvShape,
  { notes }: Findings,
): Map<string, Series> {
  const { header = 1, footer = 0 } = shape;
  const all = withLineFeeds(utf8Of(bytes, shape.encoding));
  const [, stated] = /^sep=([,;\t|])\r?\n/.exec(all.toString("latin1", 0, 8)) ?? [];
  const text = afterLines(all, header - 1 + Number(stated !== undefined));
  if (text.length === 0 && header > 1) {
    throw new RangeError(`header: the text has fewer than ${counted(header, "row")}`);
  }
  const separator = shape.separator ?? stated ??
    separatorOf(rowsBefore(text, { footer, separators: SEPARATORS }).rows);
  const { rows, empty } = rowsBefore(text, { footer, separators: [separator] });
  requireTable(rows, separator);
  if (empty > 0) notes.push(`left out ${counted(empty, "line")} without values at the end`);
  try {
    const columns = csvTexts(rows, separator);
    if (separator !== "," && columns.size > 1) {
      notes.push(`fields are separated by ${shown(separator)}`);
    }
    return columns;
  } catch (cause) {
    const row = header === 1 && cause instanceof RangeError ? headerIn(text) : 0;
    if (row < 2) throw cause;
    throw new RangeError(
      `${(cause as Error).message}; the names seem to be in row ${row}: pass ${
        inWords({ flags: `--header ${row}`, code: `header: ${row}` })
      }`,
    );
  }
}
