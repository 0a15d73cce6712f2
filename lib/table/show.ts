import type { DataFrame } from "./polars.ts";

/** Gives a frame its display. */
export function show(frame: DataFrame): DataFrame {
  return frame;
}
