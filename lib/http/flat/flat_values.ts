import { type Filling, makeRoomForText } from "./flat_column.ts";

/** The bytes of an answer, how far they have been read, and what was found. */
export interface Scan {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  at: number;
  /** For how many rows there is room. */
  room: number;
  readonly columns: Filling[];
  /** Some of the bytes as text, and where they start. */
  text: string;
  start: number;
}

/** Is thrown where the bytes are no JSON, or not as plain as what is read here. */
export const NOT_PLAIN = new Error("not plain");

/** Leaves the bytes to JSON.parse. */
export function refuse(): never {
  throw NOT_PLAIN;
}

const [QUOTE, PLUS, MINUS, POINT, ZERO, NINE] = [0x22, 0x2b, 0x2d, 0x2e, 0x30, 0x39];
const [BLANK, BACKSLASH, SMALL_A, SMALL_E, SMALL_Z] = [0x20, 0x5c, 0x61, 0x65, 0x7a];
const [OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** So many digits are exact as a number, and so is each of these powers. */
const EXACT_DIGITS = 15;
const POWERS = [1, 10, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
const BLOCK = 65_536;

/** Goes over digits, of which there must be one. */
function skipDigits({ bytes }: Scan, from: number): number {
  let at = from;
  while (bytes[at]! >= ZERO && bytes[at]! <= NINE) at++;
  return at > from ? at : refuse();
}

/** The whole number that digits are; up to fifteen lose nothing. */
function wholeOf(scan: Scan, from: number, to: number): number {
  // Nine digits are a small integer.
  if (to - from > 9) return wholeOf(scan, from, to - 9) * 1e9 + wholeOf(scan, to - 9, to);
  const { bytes } = scan;
  let whole = 0;
  for (let at = from; at < to; at++) whole = (whole * 10 + bytes[at]! - ZERO) | 0;
  return whole;
}

/** Some bytes as text, which are cut out of more that were decoded at once. */
function asciiOf(scan: Scan, from: number, to: number): string {
  if (to > scan.start + scan.text.length) {
    scan.start = from;
    scan.text = new TextDecoder("latin1").decode(
      scan.bytes.subarray(from, Math.max(to, from + BLOCK)),
    );
  }
  return scan.text.slice(from - scan.start, to - scan.start);
}

/** Reads the number that begins here: what JSON.parse makes of it. */
export function readNumber(scan: Scan): number {
  const { bytes, at: start } = scan;
  const isNegative = bytes[start] === MINUS;
  const from = isNegative ? start + 1 : start;
  const point = skipDigits(scan, from);
  if (bytes[from] === ZERO && point > from + 1) refuse();
  const end = bytes[point] === POINT ? skipDigits(scan, point + 1) : point;
  scan.at = end;
  const places = Math.max(0, end - point - 1);
  const isPlain = (bytes[end]! | 0x20) !== SMALL_E;
  if (isPlain && point - from + places <= EXACT_DIGITS) {
    const power = POWERS[places]!;
    const number = (wholeOf(scan, from, point) * power + wholeOf(scan, end - places, end)) / power;
    return isNegative ? -number : number;
  }
  if (!isPlain) {
    const sign = bytes[end + 1];
    scan.at = skipDigits(scan, sign === MINUS || sign === PLUS ? end + 2 : end + 1);
  }
  const number = Number(asciiOf(scan, start, scan.at));
  return Number.isFinite(number) ? number : refuse();
}

/** Where the text ends that begins here; no further than the bytes. */
function endOfText({ bytes }: Scan, start: number): number {
  let end = start + 1;
  while (end < bytes.length && bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1;
  return end + 1;
}

function isLetter(byte: number | undefined): boolean {
  return byte !== undefined && byte >= SMALL_A && byte <= SMALL_Z;
}

/** Has JSON.parse read what stands here. */
function parse(scan: Scan, end: number): unknown {
  const text = new TextDecoder().decode(scan.bytes.subarray(scan.at, end));
  scan.at = end;
  return JSON.parse(text);
}

/** Reads the value of any kind that begins here. */
export function readAny(scan: Scan): unknown {
  const { bytes, at: start } = scan;
  const first = bytes[start]!;
  if (first === MINUS || (first >= ZERO && first <= NINE)) return readNumber(scan);
  let [at, depth] = [start, 0];
  do {
    const byte = bytes[at] ?? refuse();
    if (byte === OPEN || byte === OPEN_LIST) depth++;
    if (byte === CLOSE || byte === CLOSE_LIST) depth--;
    at = byte === QUOTE ? endOfText(scan, at) : at + 1;
  } while (depth > 0 || isLetter(bytes[at]));
  return parse(scan, at);
}

/** Reads a text with escapes in it, that begins here. */
function readEscaped(scan: Scan, column: Filling): void {
  const text = parse(scan, endOfText(scan, scan.at)) as string;
  if (!text.isWellFormed()) refuse();
  const found = new TextEncoder().encode(text);
  makeRoomForText(column, found.length);
  column.bytes.set(found, column.length);
  column.length += found.length;
}

/** Whether none of four bytes is a quote, a backslash, a control character or no ASCII. */
function isPlainWord(word: number): boolean {
  const quote = (word ^ 0x22222222) - 0x01010101;
  const backslash = (word ^ 0x5c5c5c5c) - 0x01010101;
  return ((word | quote | backslash | (word - 0x20202020)) & 0x80808080) === 0;
}

/** Reads the text that begins here, and puts it to the end of those of a column. */
export function readText(scan: Scan, column: Filling): void {
  const { bytes, view, at: start } = scan;
  let at = start + 1;
  let to = column.length;
  for (;;) {
    if (to + 4 > column.bytes.length) {
      makeRoomForText(column, to - column.length + 64);
    }
    const word = at + 4 <= bytes.length ? view.getInt32(at, true) : -1;
    if (isPlainWord(word)) {
      column.view.setInt32(to, word, true);
      at += 4;
      to += 4;
      continue;
    }
    for (let more = 0; more < 4; more++) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) {
        column.length = to;
        scan.at = at + 1;
        return;
      }
      if (byte === BACKSLASH) return readEscaped(scan, column);
      if (byte < BLANK) refuse();
      column.bytes[to++] = byte;
      at++;
    }
  }
}
