import type { DataFrame } from "../../table/polars.ts";
import { textValues } from "./text_values.ts";

/** The name that all rows of a frame share, for a title: `: Copperleaf Swap`; empty when there is none. */
export function onlyName(frame: DataFrame, columns: readonly string[]): string {
  for (const column of columns.filter((column) => frame.columns.includes(column))) {
    const names = new Set(textValues(frame, column));
    const [name = null] = names;
    if (names.size === 1 && name !== null) return `: ${name}`;
  }
  return "";
}
