/** The values that rows have under one name. */
export interface FlatColumn {
  readonly name: string;
  /** How many rows have the name, be it with null. */
  readonly present: number;
  /** A bit for each row, the lowest first: whether it has a value that is not null. */
  readonly valid: Uint8Array;
  /**
   * A number for each row; or texts in UTF-8, where each begins, and where the last one ends; or, where they
   * are of other kinds or of several, what `JSON.parse` makes of each, undefined for none. null where all
   * are null.
   */
  readonly values:
    | { readonly numbers: Float64Array }
    | { readonly bytes: Uint8Array; readonly starts: Int32Array }
    | { readonly mixed: readonly unknown[] }
    | null;
}

/** A column as far as it has been read. */
export interface Filling {
  readonly name: string;
  readonly index: number;
  /** The name as it stands in the bytes, with its quotes. */
  readonly key: DataView;
  kind: "numbers" | "texts" | "mixed" | null;
  present: number;
  /** The last row that has the name. */
  last: number;
  valid: Uint8Array;
  numbers: Float64Array;
  starts: Int32Array;
  /** How many of the texts have their start. */
  started: number;
  bytes: Uint8Array;
  view: DataView;
  /** How many of the bytes are texts. */
  length: number;
  mixed: unknown[];
}

const FIRST_BYTES = 4_096;

type Values = Float64Array | Int32Array | Uint8Array;

function longer<T extends Values>(values: T, length: number): T {
  const { buffer, constructor } = values;
  const size = length * values.BYTES_PER_ELEMENT;
  return new (constructor as new (buffer: ArrayBufferLike) => T)(
    (buffer as ArrayBuffer).transfer(size),
  );
}

/** A column of a name, which nothing has been read of. */
export function emptyColumn(key: Uint8Array, index: number, room: number): Filling {
  const bytes = new Uint8Array(0);
  return {
    name: new TextDecoder().decode(key).slice(1, -1),
    index,
    key: new DataView(key.slice().buffer),
    kind: null,
    present: 0,
    last: -1,
    valid: new Uint8Array(room / 8),
    numbers: new Float64Array(0),
    starts: new Int32Array(0),
    started: 0,
    bytes,
    view: new DataView(bytes.buffer),
    length: 0,
    mixed: [],
  };
}

/** Makes room for so many rows. */
export function makeRoom(column: Filling, room: number): void {
  column.valid = longer(column.valid, room / 8);
  if (column.kind === "numbers") column.numbers = longer(column.numbers, room);
  if (column.kind === "texts") column.starts = longer(column.starts, room + 1);
}

/** Says what the values of a column are, before the first of them. */
export function settle(column: Filling, kind: "numbers" | "texts"): void {
  const room = column.valid.length * 8;
  column.kind = kind;
  if (kind === "numbers") column.numbers = new Float64Array(room);
  if (kind === "texts") column.starts = new Int32Array(room + 1);
}

/** Makes room for so many bytes of texts beside those that there are. */
export function makeRoomForText(column: Filling, more: number): void {
  const needed = column.length + more;
  if (needed <= column.bytes.length) return;
  column.bytes = longer(column.bytes, Math.max(FIRST_BYTES, needed, 2 * column.bytes.length));
  column.view = new DataView(column.bytes.buffer);
}

/** Lets the text of a row begin, and those of the rows before that have none. */
export function startText(column: Filling, row: number): void {
  while (column.started <= row) column.starts[column.started++] = column.length;
}

/** Lets a column have values of any kind, from this row on. */
export function mix(column: Filling, row: number): void {
  const { kind, valid, numbers, starts, bytes } = column;
  if (kind === "texts") startText(column, row);
  column.mixed = Array.from({ length: row }, (_, before) => {
    if (((valid[before >> 3]! >> (before & 7)) & 1) === 0) return undefined;
    if (kind === "numbers") return numbers[before];
    const text = bytes.subarray(starts[before], starts[before + 1]);
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(text);
  });
  column.kind = "mixed";
  column.numbers = new Float64Array(0);
  column.bytes = new Uint8Array(0);
}

/** The column of so many rows, all of which have been read. */
export function filled(column: Filling, height: number): FlatColumn {
  const { name, present, valid, kind, numbers, starts, bytes } = column;
  const about = { name, present, valid };
  if (kind === null) return { ...about, values: null };
  if (kind === "numbers") return { ...about, values: { numbers } };
  if (kind === "mixed") {
    const mixed = Array.from({ length: height }, (_, row) => column.mixed[row]);
    return { ...about, values: { mixed } };
  }
  startText(column, height);
  return { ...about, values: { bytes, starts } };
}
