import { type DataFrame, pl } from "./polars.ts";
import { Buffer } from "node:buffer";

/** A column as Arrow lays it out in memory. */
export interface ArrowColumn {
  readonly name: string;
  /** How many rows it has. */
  readonly height: number;
  /** A bit for each row, the lowest first: whether there is a value. */
  readonly valid: Uint8Array;
  /** What there is. */
  readonly values: ArrowNumbers | ArrowTexts;
}

/** One number for each row; any where there is no value. */
interface ArrowNumbers {
  readonly numbers: Float64Array;
}

/** UTF-8, and for each row where its text begins, and at last where the last one ends. */
interface ArrowTexts {
  readonly bytes: Uint8Array;
  readonly starts: Int32Array;
}

/** A bit for each row: whether it has a value. */
function bitsOf(height: number, has: (row: number) => boolean): Uint8Array {
  const bits = new Uint8Array(Math.ceil(height / 8));
  for (let row = 0; row < height; row++) if (has(row)) bits[row >> 3]! |= 1 << (row & 7);
  return bits;
}

/** A column of numbers, null where one is NaN, which JSON has none of. */
export function arrowOfNumbers(name: string, numbers: Float64Array): ArrowColumn {
  const height = numbers.length;
  const valid = bitsOf(height, (row) => !Number.isNaN(numbers[row]));
  return { name, height, valid, values: { numbers } };
}

/** A column of texts without lone surrogates. */
export function arrowOfTexts(name: string, texts: readonly (string | null)[]): ArrowColumn {
  const height = texts.length;
  const joined = texts.join("");
  const bytes = new TextEncoder().encode(joined);
  const isAscii = bytes.length === joined.length;
  const starts = new Int32Array(height + 1);
  for (let row = 0; row < height; row++) {
    const text = texts[row] ?? "";
    starts[row + 1] = starts[row]! + (isAscii ? text.length : Buffer.byteLength(text));
  }
  const valid = bitsOf(height, (row) => texts[row] !== null);
  return { name, height, valid, values: { bytes, starts } };
}

/** A flatbuffer that is being written, from its front to its end. */
interface Writing {
  readonly view: DataView;
  length: number;
}

/** Writes something at the end, and says where it stands. */
type Write = (out: Writing) => number;

/** Takes the next bytes whose place, and `before` bytes after it, is a multiple of eight. */
function take(out: Writing, size: number, before = 0): number {
  const start = Math.ceil((out.length + before) / 8) * 8 - before;
  out.length = start + size;
  return start;
}

/**
 * A table: each member a number, something that stands further behind, or null for its default. All have
 * eight bytes, in which smaller numbers are right too, since the lowest byte comes first.
 */
function table(members: readonly (number | Write | null)[]): Write {
  return (out) => {
    const places = take(out, 4 + 2 * members.length);
    const start = take(out, 8 + 8 * members.length);
    out.view.setInt32(start, start - places, true);
    out.view.setUint16(places, 4 + 2 * members.length, true);
    out.view.setUint16(places + 2, 8 + 8 * members.length, true);
    members.forEach((member, index) => {
      if (member === null) return;
      const place = start + 8 + 8 * index;
      out.view.setUint16(places + 4 + 2 * index, place - start, true);
      if (typeof member === "number") out.view.setBigInt64(place, BigInt(member), true);
      else out.view.setUint32(place, member(out) - place, true);
    });
    return start;
  };
}

/** A list of things that stand further behind. */
function list(members: readonly Write[]): Write {
  return (out) => {
    const start = take(out, 4 + 4 * members.length);
    out.view.setUint32(start, members.length, true);
    members.forEach((member, index) => {
      const place = start + 4 + 4 * index;
      out.view.setUint32(place, member(out) - place, true);
    });
    return start;
  };
}

/** A list of pairs of whole numbers. */
function pairs(members: readonly (readonly [number, number])[]): Write {
  return (out) => {
    const start = take(out, 4 + 16 * members.length, 4);
    out.view.setUint32(start, members.length, true);
    members.flat().forEach((number, index) =>
      out.view.setBigInt64(start + 4 + 8 * index, BigInt(number), true)
    );
    return start;
  };
}

function text(bytes: Uint8Array): Write {
  return (out) => {
    // One more than its length: it ends with a zero.
    const start = take(out, 4 + bytes.length + 1);
    out.view.setUint32(start, bytes.length, true);
    new Uint8Array(out.view.buffer, start + 4).set(bytes);
    return start;
  };
}

const [VERSION_5, SCHEMA, RECORD_BATCH] = [4, 1, 3];
const [FLOATING_POINT, UTF8, DOUBLE] = [3, 5, 2];

/** A message of a stream: what it is, and how many bytes of a body follow. */
function message(kind: number, header: Write, { room, body }: { room: number; body: number }) {
  const out: Writing = { view: new DataView(new ArrayBuffer(256 + room)), length: 12 };
  out.view.setUint32(8, table([VERSION_5, kind, header, body])(out) - 8, true);
  const length = take(out, 0);
  out.view.setUint32(0, 0xffffffff, true);
  out.view.setUint32(4, length - 8, true);
  return new Uint8Array(out.view.buffer, 0, length);
}

function isNumbers(values: ArrowNumbers | ArrowTexts): values is ArrowNumbers {
  return "numbers" in values;
}

function schemaOf(columns: readonly ArrowColumn[]): Uint8Array {
  const names = columns.map(({ name }) => new TextEncoder().encode(name));
  const fields = columns.map(({ values }, index) => {
    const [type, about] = isNumbers(values) ? [FLOATING_POINT, table([DOUBLE])] : [UTF8, table([])];
    return table([text(names[index]!), 1, type, about, null, list([])]);
  });
  const room = names.reduce((sum, name) => sum + name.length + 256, 0);
  return message(SCHEMA, table([0, list(fields)]), { room, body: 0 });
}

/** The bytes of a buffer, as far as rows need them. */
function bytesOf(values: Float64Array | Int32Array | Uint8Array, length: number): Uint8Array {
  const { buffer, byteOffset, BYTES_PER_ELEMENT } = values;
  return new Uint8Array(buffer, byteOffset, length * BYTES_PER_ELEMENT);
}

function buffersOf({ height, valid, values }: ArrowColumn): Uint8Array[] {
  const bits = bytesOf(valid, Math.ceil(height / 8));
  if (isNumbers(values)) return [bits, bytesOf(values.numbers, height)];
  const { starts, bytes } = values;
  return [bits, bytesOf(starts, height + 1), bytesOf(bytes, starts[height]!)];
}

function nullsIn({ height, valid }: ArrowColumn): number {
  let nulls = height;
  for (let row = 0; row < height; row++) nulls -= (valid[row >> 3]! >> (row & 7)) & 1;
  return nulls;
}

/**
 * The frame of columns that are in memory already, of one at least: polars reads them as an Arrow stream, all at once, and
 * with their nulls, where it makes a series of texts from them one by one.
 *
 * The format: https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format
 */
export function frameOfArrow(columns: readonly ArrowColumn[]): DataFrame {
  const { height } = columns[0]!;
  const buffers = columns.flatMap(buffersOf);
  let body = 0;
  const places = buffers.map(({ length }): readonly [number, number] => {
    const start = body;
    body += Math.ceil(length / 8) * 8;
    return [start, length];
  });
  const nodes = columns.map((column) => [height, nullsIn(column)] as const);
  const batch = table([height, pairs(nodes), pairs(places)]);
  const room = 16 * (nodes.length + places.length);
  const head = [schemaOf(columns), message(RECORD_BATCH, batch, { room, body })];
  const start = head.reduce((sum, { length }) => sum + length, 0);
  const stream = Buffer.alloc(start + body + 8);
  stream.set(head[0]!);
  stream.set(head[1]!, head[0]!.length);
  buffers.forEach((buffer, index) => stream.set(buffer, start + places[index]![0]));
  // A message without anything ends the stream.
  stream.writeUInt32LE(0xffffffff, start + body);
  return pl.readIPCStream(stream);
}
