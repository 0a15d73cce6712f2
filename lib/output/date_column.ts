import type { DataFrame } from "../table/columns/polars.ts";
import { datesOf } from "../table/read/reading.ts";

/** Returns the column of dates of a frame of periods, as functions over time read it, or `date` if the frame has no such column. */
export function dateColumnOf(frame: DataFrame, fn: string): string {
  return datesOf(frame, fn)[0] ?? "date";
}
