import {
  emptyColumn,
  filled,
  type Filling,
  type FlatColumn,
  makeRoom,
  mix,
  settle,
  startText,
} from "./flat_column.ts";
import { NOT_PLAIN, readAny, readNumber, readText, refuse, type Scan } from "./flat_values.ts";
import { Buffer } from "node:buffer";

/** The rows of an answer, column by column. */
export interface FlatRows {
  readonly height: number;
  readonly columns: readonly FlatColumn[];
}

const [BLANK, QUOTE, COMMA, MINUS, COLON] = [0x20, 0x22, 0x2c, 0x2d, 0x3a];
const [ZERO, NINE] = [0x30, 0x39];
const [OPEN_LIST, BACKSLASH, CLOSE_LIST, SMALL_N] = [0x5b, 0x5c, 0x5d, 0x6e];
const [OPEN, CLOSE] = [0x7b, 0x7d];

const DATA = '"data"';
const NULL = new DataView(new TextEncoder().encode("null").buffer);

/** The rows are looked for up to here. */
const LATEST_START = 4_096;
const FIRST_ROOM = 64;
/** Rows with more names than this are no records. */
const MOST_COLUMNS = 1_000;

/** The next byte that is no blank; -1 at the end. */
function next(scan: Scan): number {
  const { bytes } = scan;
  while (scan.at < bytes.length) {
    const byte = bytes[scan.at]!;
    if (byte > BLANK) return byte;
    if (byte !== BLANK && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) refuse();
    scan.at++;
  }
  return -1;
}

function expect(scan: Scan, byte: number): void {
  if (next(scan) !== byte) refuse();
  scan.at++;
}

/** Whether these bytes stand here. */
function isHere({ bytes, view, at }: Scan, key: DataView): boolean {
  const length = key.byteLength;
  if (at + length > bytes.length) return false;
  let place = 0;
  for (; place + 4 <= length; place += 4) {
    if (view.getInt32(at + place, true) !== key.getInt32(place, true)) return false;
  }
  for (; place < length; place++) {
    if (bytes[at + place] !== key.getUint8(place)) return false;
  }
  return true;
}

/** Leaves rows alone that have few of all names each: columns would take more than the bytes do. */
function checkRoom({ bytes, columns, room }: Scan): void {
  const cells = columns.length * room;
  if (cells > Math.max(bytes.length, MOST_COLUMNS * FIRST_ROOM)) refuse();
}

/** The column of the name that stands here, a new one where none has it. */
function columnByName(scan: Scan): Filling {
  const { bytes, at, columns } = scan;
  const known = columns.find(({ key }) => isHere(scan, key));
  if (known !== undefined) return known;
  const first = bytes[at + 1]!;
  // Objects of JavaScript have names that are whole numbers before all others.
  if (first === QUOTE || (first >= ZERO && first <= NINE)) refuse();
  let end = at + 1;
  for (; bytes[end] !== QUOTE; end++) {
    const byte = bytes[end] ?? 0;
    if (byte < BLANK || byte >= 0x80 || byte === BACKSLASH) refuse();
  }
  if (columns.length === MOST_COLUMNS) refuse();
  const column = emptyColumn(bytes.subarray(at, end + 1), columns.length, scan.room);
  columns.push(column);
  checkRoom(scan);
  return column;
}

/** The column of the name that stands here: most rows have the names of the row before, or leave some out. */
function columnHere(scan: Scan, place: number): Filling {
  if (next(scan) !== QUOTE) refuse();
  const { columns } = scan;
  let column: Filling | undefined;
  for (let ahead = place; ahead < place + 4 && ahead < columns.length; ahead++) {
    if (!isHere(scan, columns[ahead]!.key)) continue;
    column = columns[ahead]!;
    break;
  }
  column ??= columnByName(scan);
  scan.at += column.key.byteLength;
  return column;
}

function kindOf(byte: number): "numbers" | "texts" | "mixed" {
  if (byte === QUOTE) return "texts";
  return byte === MINUS || (byte >= ZERO && byte <= NINE) ? "numbers" : "mixed";
}

function readValue(scan: Scan, column: Filling, row: number): void {
  const byte = next(scan);
  if (byte === SMALL_N) {
    if (!isHere(scan, NULL)) refuse();
    scan.at += NULL.byteLength;
    return;
  }
  const kind = kindOf(byte);
  if (column.kind === null && kind !== "mixed") settle(column, kind);
  else if (column.kind !== kind && column.kind !== "mixed") mix(column, row);
  if (column.kind === "numbers") column.numbers[row] = readNumber(scan);
  else if (column.kind === "texts") {
    startText(column, row);
    readText(scan, column);
  } else column.mixed[row] = readAny(scan);
  column.valid[row >> 3]! |= 1 << (row & 7);
}

function readRow(scan: Scan, row: number): void {
  if (row === scan.room) {
    scan.room *= 2;
    checkRoom(scan);
    for (const column of scan.columns) makeRoom(column, scan.room);
  }
  expect(scan, OPEN);
  let place = 0;
  for (;;) {
    const column = columnHere(scan, place);
    // Of a name that stands twice the later value counts.
    if (column.last === row) refuse();
    column.last = row;
    column.present++;
    place = column.index + 1;
    expect(scan, COLON);
    readValue(scan, column, row);
    const byte = next(scan);
    scan.at++;
    if (byte === CLOSE) return;
    if (byte !== COMMA) refuse();
  }
}

function readRows(scan: Scan): number {
  expect(scan, OPEN_LIST);
  for (let row = 0;; row++) {
    readRow(scan, row);
    const byte = next(scan);
    scan.at++;
    if (byte === CLOSE_LIST) return row + 1;
    if (byte !== COMMA) refuse();
  }
}

/** Rows, and where the list of them starts and ends. */
interface Found {
  readonly rows: FlatRows;
  readonly start: number;
  readonly end: number;
}

/**
 * Reads the rows that follow the first `"data":` into columns; whether that is the member of an envelope,
 * nobody has looked. null where they are not plain: where a name stands twice in a row, or is written in
 * a way of its own.
 */
export function flatRowsIn(bytes: Uint8Array): Found | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const scan: Scan = { bytes, view, at: 0, room: FIRST_ROOM, columns: [], text: "", start: 0 };
  try {
    const data = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, LATEST_START))
      .indexOf(DATA);
    if (data < 0) refuse();
    scan.at = data + DATA.length;
    expect(scan, COLON);
    const start = scan.at;
    const height = readRows(scan);
    const columns = scan.columns.map((column) => filled(column, height));
    return { rows: { height, columns }, start, end: scan.at };
  } catch (error) {
    if (error === NOT_PLAIN || error instanceof SyntaxError) return null;
    throw error;
  }
}
