import { type DataFrame, pl } from "../columns/polars.ts";
import { BARE } from "../track/descriptions.ts";

/** The number of the group of each row, in order of first appearance, and the first row of each group. */
export interface Numbered {
  readonly numbers: Uint32Array;
  readonly first: number[];
}

/** Returns numbers of a column as an array. NaN means null. */
export function typed(frame: DataFrame, column: ReturnType<typeof pl.col>): Float64Array {
  const filled = frame.select(column.cast(pl.Float64).fillNull(pl.lit(NaN)).alias("(value)"));
  return filled.getColumn("(value)").toTypedArray() as Float64Array;
}

/** Numbers groups of equal numbers in order of first appearance. */
export function numbered(values: Float64Array | Uint32Array): Numbered {
  const known = new Map<number, number>();
  const first: number[] = [];
  const numbers = new Uint32Array(values.length);
  let [last, number] = [0, -1];
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    if (value !== last || number < 0) {
      last = value;
      const found = known.get(value);
      number = found ?? known.size;
      if (found === undefined) {
        known.set(value, number);
        first.push(row);
      }
    }
    numbers[row] = number;
  }
  return { numbers, first };
}

/**
 * Numbers the groups of equal values of a column. The codes of categories come from a table of the process, so they are
 * numbered.
 */
export function numberedValues(frame: DataFrame, name: string): Numbered {
  const column = pl.col(name);
  const dtype = frame.getColumn(name).dtype;
  if (dtype.equals(pl.Date)) return numbered(typed(frame, column));
  if (dtype.variant === "Datetime") {
    return numbered(typed(frame, column.cast(pl.Datetime("us")).cast(pl.Int64)));
  }
  const codes = column.cast(pl.Utf8).cast(pl.Categorical).cast(pl.UInt32)
    .fillNull(pl.lit(2 ** 32 - 1).cast(pl.UInt32));
  return numbered(frame.select(codes).getColumn(name).toTypedArray() as Uint32Array);
}

/** Returns whether a frame cannot be changed in place. */
export function isTracked(frame: DataFrame): boolean {
  return (frame as { readonly [BARE]?: unknown })[BARE] !== undefined;
}

function countOf(frame: DataFrame, columns: readonly string[]): number {
  const [first, ...others] = columns;
  if (first === undefined) return Math.min(1, frame.height);
  if (others.length === 0) return frame.getColumn(first).nUnique();
  // Different hashes have different rows. Counting them is four times as fast as comparing rows.
  const rows = pl.struct(pl.cols(first, ...others)).hash().alias("(hash)");
  return frame.select(rows).getColumn("(hash)").nUnique();
}

/** Numbers of different rows of frames, by the columns. */
const counts = new WeakMap<DataFrame, Map<string, number>>();

/** Returns the number of different rows of some columns. A frame that cannot change is counted once. */
export function distinct(frame: DataFrame, columns: readonly string[]): number {
  const known = counts.get(frame) ?? new Map<string, number>();
  const key = columns.toSorted().join("\0");
  const count = known.get(key) ?? countOf(frame, columns);
  if (isTracked(frame)) counts.set(frame, known.set(key, count));
  return count;
}

/** Counts different rows of the columns of one frame. */
export type Count = (columns: readonly string[]) => number;

/**
 * Returns a function that counts the different rows of some columns of a frame, each set once. A set that has a set of
 * unique rows is not counted.
 */
export function counterOf(frame: DataFrame): Count {
  const known = new Map<string, number>();
  const unique: (readonly string[])[] = [];
  return (columns) => {
    if (unique.some((some) => some.every((name) => columns.includes(name)))) return frame.height;
    const key = columns.toSorted().join("\0");
    const count = known.get(key) ?? distinct(frame, columns);
    known.set(key, count);
    if (count === frame.height && columns.length > 0) unique.push(columns);
    return count;
  };
}
