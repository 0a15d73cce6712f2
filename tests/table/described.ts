import {
  type ColumnKind,
  computedColumns,
  servedColumns,
  setColumns,
} from "../../lib/table/track/descriptions.ts";
import type { DataFrame, Frame } from "../../lib/table/columns/polars.ts";
import { track } from "../../lib/table/track/track.ts";

/** Describes the columns of a frame: fields of the service by their names, and others by kind. */
export function described(
  frame: DataFrame,
  ...columns: readonly (readonly [ColumnKind, ...string[]])[]
): Frame {
  const all = new Map([...servedColumns(frame.columns), ...computedColumns(columns)]);
  return setColumns(track(frame), all);
}
