import { counted } from "../platform/terminal.ts";

/** Maximum number of levels of nested lists and objects. polars hangs at 1 000 levels, and ends the process at 8 000. */
export const MOST_LEVELS = 64;
/** Maximum number of cells of a JSON text. In 1 MB, 100 000 objects can have a member of their own each. */
const MOST_CELLS = 200_000_000;

// The bytes of these characters. In UTF-8, they are not part of other characters.
const [QUOTE, BACKSLASH, LINE, COMMA, COLON, SPACE] = [0x22, 0x5c, 0x0a, 0x2c, 0x3a, 0x20];
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

/** Returns whether a colon follows, so that the text before it is the name of a member. */
function isName(json: Uint8Array, end: number): boolean {
  let at = end + 1;
  while (json[at]! <= SPACE) at++;
  return json[at] === COLON;
}

function hashOf(json: Uint8Array, start: number, end: number): number {
  let hash = 0;
  for (let at = start; at < end; at++) hash = (hash * 31 + json[at]!) | 0;
  return hash;
}

/**
 * Checks the size of a JSON text before a parser reads it: how deep lists and objects are nested, and the number of cells
 * if each object becomes a row with all members. With `lines`, each line is a text of its own.
 *
 * @throws {RangeError} for more than 64 levels, or more than 200 million cells.
 */
export function checkJson(
  json: Uint8Array,
  { lines = false }: { readonly lines?: boolean } = {},
): void {
  const names = new Set<number>();
  let [level, objects] = [0, 0];
  for (let at = 0; at < json.length; at++) {
    if (json[at] === QUOTE) {
      const start = at;
      at = endOfText(json, at, lines);
      if (isName(json, at)) names.add(hashOf(json, start, at));
    }
    const byte = json[at];
    if (lines && byte === LINE) level = 0;
    else if (byte === LIST_END || byte === OBJECT_END) level--;
    else if (byte === LIST || byte === OBJECT) {
      if (++level > MOST_LEVELS) {
        throw new RangeError(`lists and objects must have at most ${MOST_LEVELS} levels`);
      }
      if (byte === OBJECT) objects++;
    }
  }
  // A table without gaps has fewer cells than bytes.
  if (objects * names.size > Math.max(MOST_CELLS, json.length)) {
    const got = `${counted(objects, "object")} and ${counted(names.size, "name")}`;
    throw new RangeError(`must have at most ${MOST_CELLS} cells; got ${got}`);
  }
}

/**
 * Checks that all rows of a CSV text have the same number of fields. polars fills short rows with nulls, and a short
 * text of empty rows can fill the memory.
 *
 * @throws {RangeError} for a row that is too short or too long, and for a quotation mark that does not belong to a
 * quoted field. The first row is 1.
 */
export function checkCsv(csv: Uint8Array): void {
  let expected: number | null = null;
  let row = 1;
  // polars leaves out a byte order mark.
  for (let at = csv[0] === 0xef && csv[1] === 0xbb ? 3 : 0; at < csv.length; row++) {
    const refuse = (): never => {
      throw new RangeError(`row ${row}: quotation marks must enclose a whole field, or be doubled`);
    };
    let fields = 0;
    for (let isOpen = true; isOpen; at++) {
      fields++;
      if (csv[at] === QUOTE) {
        // A doubled quotation mark belongs to the field.
        do {
          const end = csv.indexOf(QUOTE, at + 1);
          at = end < 0 ? refuse() : end + 1;
        } while (csv[at] === QUOTE);
        if (csv[at] === RETURN) at++;
        const isEnd = at >= csv.length || csv[at] === COMMA || csv[at] === LINE;
        if (!isEnd) refuse();
      }
      while (at < csv.length && csv[at] !== COMMA && csv[at] !== LINE) {
        if (csv[at++] === QUOTE) refuse();
      }
      isOpen = csv[at] === COMMA;
    }
    expected ??= fields;
    if (fields !== expected) {
      const rule = `expected ${expected} fields as in the first row; got ${fields}`;
      throw new RangeError(`row ${row}: ${rule}`);
    }
  }
}
