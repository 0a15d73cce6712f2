import { counted, shown } from "../platform/terminal.ts";
import type { TableSize } from "../table/columns/empty_cells.ts";

/** Maximum number of levels of nested lists and objects. polars hangs at 1 000 levels, and ends the process at 8 000. */
export const MOST_LEVELS = 64;

// The bytes of these characters. In UTF-8, they are not part of other characters.
const [QUOTE, BACKSLASH, LINE] = [0x22, 0x5c, 0x0a];
const [LIST, LIST_END, OBJECT, OBJECT_END, RETURN] = [0x5b, 0x5d, 0x7b, 0x7d, 0x0d];

/** Returns the index at which the JSON text that begins at `start` ends. With `lines`, a line break ends it too. */
function endOfText(json: Uint8Array, start: number, lines: boolean): number {
  for (let at = start + 1; at < json.length; at++) {
    const byte = json[at]!;
    if (byte === QUOTE || (lines && byte === LINE)) return at;
    if (byte === BACKSLASH && !(lines && json[at + 1] === LINE)) at++;
  }
  return json.length;
}

/**
 * Checks how deep lists and objects of a JSON text are nested, before a parser reads it. With `lines`, each line is a
 * text of its own.
 *
 * @throws {RangeError} for more than 64 levels.
 */
export function checkJson(
  json: Uint8Array,
  { lines = false }: { readonly lines?: boolean } = {},
): void {
  let level = 0;
  for (let at = 0; at < json.length; at++) {
    if (json[at] === QUOTE) at = endOfText(json, at, lines);
    const byte = json[at];
    if (lines && byte === LINE) level = 0;
    else if (byte === LIST_END || byte === OBJECT_END) level--;
    else if ((byte === LIST || byte === OBJECT) && ++level > MOST_LEVELS) {
      throw new RangeError(`lists and objects must have at most ${MOST_LEVELS} levels`);
    }
  }
}

/** Returns whether a text has a byte. Reads four bytes at once: large files are searched for rare bytes. */
export function hasByte(text: Uint8Array, byte: number): boolean {
  const from = (4 - text.byteOffset % 4) % 4;
  const words = text.length < 16 ? 0 : (text.length - from) >> 2;
  if (words === 0) return text.some((each) => each === byte);
  const four = new Int32Array(text.buffer, text.byteOffset + from, words);
  const same = byte * 0x01010101;
  for (let at = 0; at < words; at++) {
    // Zero bytes of the difference: Lamport (1975), Multiple byte processing with full-word instructions.
    const apart = four[at]! ^ same;
    if (((apart - 0x01010101) & ~apart & 0x80808080) !== 0) return true;
  }
  const rest = [...text.subarray(0, from), ...text.subarray(from + 4 * words)];
  return rest.includes(byte);
}

/** Throws a RangeError for a row of a CSV text that has another number of fields than the first. */
function refuseWidth(
  { row, fields, expected }: Readonly<Record<"row" | "fields" | "expected", number>>,
  separator: string,
): never {
  const separated = separator === "," ? "" : `, separated by ${shown(separator)}`;
  const rule = `expected ${
    counted(expected, "field")
  } as in the first row${separated}; got ${fields}`;
  throw new RangeError(`row ${row}: ${rule}`);
}

/** Does what `checkCsv` does, for a text without quotation marks. */
function checkPlain(csv: Uint8Array, separator: string): TableSize {
  const between = separator.charCodeAt(0);
  let [row, fields, expected, values] = [1, 0, 0, 0];
  let start = csv[0] === 0xef && csv[1] === 0xbb ? 3 : 0;
  const endRow = () => {
    if (row === 1) expected = fields;
    else if (fields !== expected) refuseWidth({ row, fields, expected }, separator);
    row += 1;
    fields = 0;
  };
  for (let at = start; at < csv.length; at++) {
    const byte = csv[at]!;
    if (byte !== between && byte !== LINE) continue;
    fields += 1;
    if (at > start && csv[start] !== RETURN) values += 1;
    start = at + 1;
    if (byte === LINE) endRow();
  }
  if (start < csv.length || fields > 0) {
    fields += 1;
    if (start < csv.length && csv[start] !== RETURN) values += 1;
    endRow();
  }
  return { rows: row - 1, columns: expected, values };
}

/**
 * Checks that all rows of a CSV text have the same number of fields. Returns the number of rows with that of the names, of
 * fields in a row, and of fields that are not empty. polars fills short rows with nulls. Rows that begin at the byte `until` or later are not checked.
 *
 * @throws {RangeError} for a row that is too short or too long, and for a quotation mark that does not belong to a
 * quoted field. The first row is 1.
 */
export function checkCsv(
  csv: Uint8Array,
  { separator = ",", until = Infinity }: {
    readonly separator?: string;
    readonly until?: number;
  } = {},
): TableSize {
  if (until === Infinity && !hasByte(csv, QUOTE)) return checkPlain(csv, separator);
  const between = separator.charCodeAt(0);
  const end = Math.min(csv.length, until);
  let expected: number | null = null;
  let row = 1;
  let values = 0;
  // polars leaves out a byte order mark.
  for (let at = csv[0] === 0xef && csv[1] === 0xbb ? 3 : 0; at < end; row++) {
    const refuse = (): never => {
      throw new RangeError(`row ${row}: quotation marks must enclose a whole field, or be doubled`);
    };
    let fields = 0;
    for (let isOpen = true; isOpen; at++) {
      fields++;
      const start = at;
      if (csv[at] === QUOTE) {
        // A doubled quotation mark belongs to the field.
        do {
          const end = csv.indexOf(QUOTE, at + 1);
          at = end < 0 ? refuse() : end + 1;
        } while (csv[at] === QUOTE);
        if (csv[at] === RETURN) at++;
        const isEnd = at >= csv.length || csv[at] === between || csv[at] === LINE;
        if (!isEnd) refuse();
      }
      while (at < csv.length && csv[at] !== between && csv[at] !== LINE) {
        if (csv[at++] === QUOTE) refuse();
      }
      if (at > start && csv[start] !== RETURN) values++;
      isOpen = csv[at] === between;
    }
    expected ??= fields;
    if (fields !== expected) refuseWidth({ row, fields, expected }, separator);
  }
  return { rows: row - 1, columns: expected ?? 0, values };
}
