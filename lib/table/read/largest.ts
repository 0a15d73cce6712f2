import type { DataFrame } from "../build/polars.ts";
import { columnsOf } from "../track/descriptions.ts";

/** The id and the name of the row that combines entities that are left out. */
export const OTHER = { id: "(other)", name: "Other" } as const;

/** Returns the number of entities that `topN` combined in the row `(other)` or left out. 0 if there are none. */
export function restOf(frame: DataFrame): number {
  return Math.max(0, ...[...columnsOf(frame).values()].map((column) => column?.rest ?? 0));
}

/** A value of a series, in order of time. */
interface Point {
  readonly y: number | null;
  /** Whether the period is complete. */
  readonly complete: boolean;
}

/**
 * Returns the value by which a series is compared with others: the value of the last complete period that has a value.
 * If there is no such period, returns the last value, or null if there are no values.
 */
export function sizeOfSeries(points: readonly Point[]): number | null {
  const settled = points.findLast(({ y, complete }) => complete && y !== null);
  return (settled ?? points.findLast(({ y }) => y !== null))?.y ?? null;
}

/** Sorts items by size, largest first. Items without a size come last. Items of equal size keep their order. */
export function bySize<Item>(
  items: readonly Item[],
  sizeOf: (item: Item) => number | null,
): Item[] {
  const size = (item: Item) => sizeOf(item) ?? -Number.MAX_VALUE;
  return items.toSorted((a, b) => size(b) - size(a));
}

/** Returns the sum of the values that are not null; null if all values are null. */
export function sumOfKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}
