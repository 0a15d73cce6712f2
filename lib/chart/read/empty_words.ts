import type { DataFrame } from "../../table/polars.ts";

/** Why there is nothing to draw. */
export function emptyWords(frame: DataFrame): string {
  return frame.height === 0 ? "No data: the frame has no rows" : "No data: every value is null";
}
