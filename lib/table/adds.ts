import { columnOf } from "../schema/columns.ts";
import type { DataFrame } from "./polars.ts";

/** Over what the values of a column can be added: over entities and days, over entities only, or not at all. */
type Adds = "both" | "groups" | "none";

/** Returns over what the values of a column of a frame can be added. Returns undefined if the frame does not know. */
export function adds(_frame: DataFrame, field: string): Adds | undefined {
  const column = columnOf(field);
  if (column === undefined || column.unit === null) return undefined;
  if (!column.addsOverGroups) return "none";
  return column.addsOverTime && column.window === null ? "both" : "groups";
}

/** Returns the reason why values of several entities cannot be added. Null if they can, or if nothing is known. */
export function whyNotAdded(frame: DataFrame, field: string): string | null {
  if (adds(frame, field) !== "none") return null;
  const unit = columnOf(field)?.unit;
  return unit === "users" || unit === "addresses"
    ? "a user can be counted in several of them"
    : `it is a ${unit}`;
}
