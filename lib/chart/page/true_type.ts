import { Buffer } from "node:buffer";

/** A TrueType font: its tables, and the number of the glyph of a code point, 0 if the font has none. */
export interface TrueType {
  readonly table: (name: string) => Buffer;
  readonly glyphOf: (point: number) => number;
}

/** The format of tables of characters whose ranges of code points have successive glyphs. */
const RANGES = 12;

/** Returns the ranges of a table of characters: the first and the last code point, and the glyph of the first. */
function rangesOf(cmap: Buffer): [first: number, last: number, glyph: number][] {
  const subtables = Array.from(
    { length: cmap.readUInt16BE(2) },
    (_, index) => cmap.readUInt32BE(8 + 8 * index),
  );
  const start = subtables.find((at) => cmap.readUInt16BE(at) === RANGES);
  if (start === undefined) throw new RangeError(`font: expected a cmap of format ${RANGES}`);
  return Array.from({ length: cmap.readUInt32BE(start + 12) }, (_, index) => {
    const at = start + 16 + 12 * index;
    return [cmap.readUInt32BE(at), cmap.readUInt32BE(at + 4), cmap.readUInt32BE(at + 8)];
  });
}

/** Reads a font file. */
export function trueType(file: Buffer): TrueType {
  const tables = new Map(
    Array.from({ length: file.readUInt16BE(4) }, (_, index) => {
      const at = 12 + 16 * index;
      const from = file.readUInt32BE(at + 8);
      return [
        file.toString("latin1", at, at + 4),
        file.subarray(from, from + file.readUInt32BE(at + 12)),
      ];
    }),
  );
  const table = (name: string): Buffer => tables.get(name) ?? Buffer.alloc(0);
  const ranges = rangesOf(table("cmap"));
  const glyphOf = (point: number): number => {
    const range = ranges.find(([first, last]) => first <= point && point <= last);
    return range === undefined ? 0 : range[2] + point - range[0];
  };
  return { table, glyphOf };
}

/** Flags of a part of a compound glyph: its arguments have two bytes, and another part follows. */
const [WIDE, MORE] = [1, 32];
/** Flags of a part of a compound glyph that has a scale, and the bytes of the scale. */
const SCALES = [[8, 2], [64, 4], [128, 8]] as const;

/** Returns the offsets at which a glyph has the numbers of its parts, such as the letter and the accent of `é`. */
function partsOf(glyph: Buffer): number[] {
  const parts: number[] = [];
  let more = glyph.length > 0 && glyph.readInt16BE(0) < 0;
  for (let at = 10; more;) {
    const flags = glyph.readUInt16BE(at);
    parts.push(at + 2);
    at += (flags & WIDE ? 8 : 6) + (SCALES.find(([flag]) => flags & flag)?.[1] ?? 0);
    more = (flags & MORE) > 0;
  }
  return parts;
}

/** Returns numbers of two or of four bytes as a table. */
function tableOf(bytes: 2 | 4, values: readonly number[]): Buffer {
  const table = Buffer.alloc(bytes * values.length);
  values.forEach((value, index) => table.writeUIntBE(value, bytes * index, bytes));
  return table;
}

/** Returns a copy of a table, with zeros up to a multiple of four bytes. */
function padded(table: Buffer): Buffer {
  return Buffer.concat([table, Buffer.alloc(-table.length & 3)]);
}

/** Returns a font file. */
function fontOf(tables: Readonly<Record<string, Buffer>>): Buffer {
  const names = Object.keys(tables).toSorted();
  let at = 12 + 16 * names.length;
  const directory = names.map((name) => {
    const whole = padded(tables[name]!);
    let sum = 0;
    for (let word = 0; word < whole.length; word += 4) {
      sum = (sum + whole.readUInt32BE(word)) >>> 0;
    }
    const entry = Buffer.concat([Buffer.from(name), tableOf(4, [sum, at, tables[name]!.length])]);
    at += whole.length;
    return entry;
  });
  const half = Math.floor(Math.log2(names.length));
  const range = 16 * 2 ** half;
  return Buffer.concat([
    tableOf(4, [0x10000]),
    tableOf(2, [names.length, range, half, 16 * names.length - range]),
    ...directory,
    ...names.map((name) => padded(tables[name]!)),
  ]);
}

/**
 * Returns a font file with the glyphs of some code points, in successive numbers. The glyphs keep their outlines and
 * widths. Names, kerning and other features are left out. The file is not compressed, because compressed bytes differ
 * between Deno and Node.
 */
export function partOfFont({ table, glyphOf }: TrueType, points: Iterable<number>): Buffer {
  const known = [...new Set(points)].toSorted((a, b) => a - b)
    .flatMap((point) => glyphOf(point) > 0 ? [[point, glyphOf(point)] as const] : []);
  const [loca, glyf, hmtx] = [table("loca"), table("glyf"), table("hmtx")];
  const glyphAt = (id: number) =>
    padded(glyf.subarray(loca.readUInt32BE(4 * id), loca.readUInt32BE(4 * id + 4)));
  // The set grows by the parts of its glyphs while it is read.
  const ids = new Set([0, ...known.map(([, id]) => id)]);
  for (const id of ids) {
    const glyph = glyphAt(id);
    for (const at of partsOf(glyph)) ids.add(glyph.readUInt16BE(at));
  }
  const order = new Map([...ids].map((id, place) => [id, place]));
  const glyphs = [...ids].map((id) => {
    const glyph = glyphAt(id);
    for (const at of partsOf(glyph)) glyph.writeUInt16BE(order.get(glyph.readUInt16BE(at))!, at);
    return glyph;
  });
  const counted = (name: string, at: number) => {
    const copy = Buffer.from(table(name));
    copy.writeUInt16BE(ids.size, at);
    return copy;
  };
  let end = 0;
  const ranges = known.flatMap(([point, id]) => [point, point, order.get(id)!]);
  return fontOf({
    "OS/2": table("OS/2"),
    cmap: Buffer.concat([
      tableOf(2, [0, 1, 3, 10, 0, 12, RANGES, 0]),
      tableOf(4, [16 + 12 * known.length, 0, known.length, ...ranges]),
    ]),
    glyf: Buffer.concat(glyphs),
    head: table("head"),
    hhea: counted("hhea", 34),
    hmtx: Buffer.concat([...ids].map((id) => hmtx.subarray(4 * id, 4 * id + 4))),
    loca: tableOf(4, [0, ...glyphs.map(({ length }) => end += length)]),
    maxp: counted("maxp", 4),
    name: tableOf(2, [0, 0, 6]),
    post: tableOf(4, [0x30000, 0, 0, 0, 0, 0, 0, 0]),
  });
}
