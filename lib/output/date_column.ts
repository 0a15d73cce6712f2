import type { DataFrame } from "../table/columns/polars.ts";
import { datesOf } from "../table/read/reading.ts";

/** Returns the column of dates of a frame of periods, as functions over time read it: `date` if there is none. */
export function dateColumnOf(frame: DataFrame, fn: string): string {
  return datesOf(frame, fn)[0] ?? "date";
}
