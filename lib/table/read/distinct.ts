import { type DataFrame, pl } from "../columns/polars.ts";

/** Returns the number of different rows of some columns. */
export function distinct(frame: DataFrame, columns: readonly string[]): number {
  const [first, ...others] = columns;
  if (first === undefined) return Math.min(1, frame.height);
  if (others.length === 0) return frame.getColumn(first).nUnique();
  // Different hashes have different rows. Counting them is four times as fast as comparing rows.
  const rows = pl.struct(pl.cols(first, ...others)).hash().alias("(hash)");
  return frame.select(rows).getColumn("(hash)").nUnique();
}

/** Counts different rows of the columns of one frame. */
export type Count = (columns: readonly string[]) => number;

/** Returns a function that counts the different rows of some columns of a frame, each set once. */
export function counterOf(frame: DataFrame): Count {
  const known = new Map<string, number>();
  return (columns) => {
    const key = columns.toSorted().join("\0");
    const count = known.get(key) ?? distinct(frame, columns);
    known.set(key, count);
    return count;
  };
}
