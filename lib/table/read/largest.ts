import type { DataFrame } from "../columns/polars.ts";
import { columnsOf } from "../track/descriptions.ts";

/** The id and the name of the row that combines entities that are left out. */
export const OTHER = { id: "(other)", name: "Other" } as const;

/** Returns the number of entities that `topN` combined in the row `(other)` or left out. 0 if there are none. */
export function restOf(frame: DataFrame): number {
  return Math.max(0, ...[...columnsOf(frame).values()].map((column) => column?.rest ?? 0));
}
