import type { DataFrame } from "../../table/polars.ts";
import { cohortTexts } from "./cohort_texts.ts";
import { textValues } from "./text_values.ts";

function distinct(keys: readonly string[]): number {
  return new Set(keys).size;
}

/**
 * A label for each row, equal where the rows belong to one group: made of the fewest of the columns, taken in
 * order, that tell the groups apart. Names before ids: the id appears where two entities share a name.
 */
export function groupLabels(frame: DataFrame, columns: readonly string[], alone: string): string[] {
  const values = columns.filter((column) => frame.columns.includes(column)).map((column) => {
    const texts = column === "cohort" ? cohortTexts(frame) : textValues(frame, column);
    return texts.map((text) => text === null || text.trim() === "" ? "unnamed" : text);
  });
  let keys: string[] = Array.from({ length: frame.height }, () => "");
  for (const column of values) {
    const finer = keys.map((key, row) => (key === "" ? column[row]! : `${key} · ${column[row]!}`));
    if (distinct(finer) > Math.max(1, distinct(keys))) keys = finer;
  }
  if (keys.some((key) => key !== "")) return keys;
  return keys.map((_, row) => values[0]?.[row] ?? alone);
}
