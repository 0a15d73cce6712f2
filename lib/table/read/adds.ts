import type { Adds } from "../../schema/dictionary.ts";
import { columnIn } from "../track/descriptions.ts";
import type { DataFrame } from "../columns/polars.ts";

/** Returns over what the values of a column of a frame can be added. Returns undefined if the frame does not know. */
export function adds(frame: DataFrame, field: string): Adds | undefined {
  return columnIn(frame, field)?.adds ?? undefined;
}

/** Returns the reason why values of several entities cannot be added. Null if they can, or if nothing is known. */
export function whyNotAdded(frame: DataFrame, field: string): string | null {
  if (adds(frame, field) !== "none") return null;
  const { unit, from, meaning } = columnIn(frame, field)!;
  if (unit === "users" || unit === "addresses") return "a user can be counted in several of them";
  return from === null && meaning === ""
    ? 'withSource states so by default; if it adds up, state adds: "groups" or "both" there'
    : `it is a ${unit}`;
}
