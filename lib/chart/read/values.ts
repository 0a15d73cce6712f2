import type { DataFrame } from "../../table/polars.ts";
import type { Asker } from "./options.ts";
import { formatMonth } from "../text/format.ts";
import { annotationOf } from "../../table/provenance.ts";

/**
 * The numbers of a column; null where one is null, NaN or infinite, because none of them has a place on an
 * axis.
 *
 * @throws {RangeError} when the column holds something else than numbers.
 */
export function numberValues(frame: DataFrame, column: string, asker: Asker): (number | null)[] {
  return [...frame.getColumn(column)].map((value: unknown) => {
    if (value === null || value === undefined) return null;
    if (typeof value !== "number" && typeof value !== "bigint") {
      throw new RangeError(
        `${asker.name}: the column ${column} must hold numbers, it holds ${typeof value}: ${value}`,
      );
    }
    const number = Number(value);
    return Number.isFinite(number) ? number : null;
  });
}

/** The values of a column as texts, null where one is null. */
export function textValues(frame: DataFrame, column: string): (string | null)[] {
  return [...frame.getColumn(column)].map((value: unknown) => {
    if (value === null || value === undefined) return null;
    return value instanceof Date ? value.toISOString().slice(0, 10) : String(value);
  });
}

/** The cohort of each row: as a month where it names one, else as it came. */
export function cohortTexts(frame: DataFrame): (string | null)[] {
  const texts = textValues(frame, "cohort");
  if (!frame.columns.includes("cohort_date")) return texts;
  const dates = textValues(frame, "cohort_date");
  return texts.map((text, row) => {
    const date = dates[row];
    return date === null || date === undefined ? text : formatMonth(new Date(date));
  });
}

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

/** The name that all rows of a frame share, for a title: `: Copperleaf Swap`; empty when there is none. */
export function onlyName(frame: DataFrame, columns: readonly string[]): string {
  for (const column of columns.filter((column) => frame.columns.includes(column))) {
    const names = new Set(textValues(frame, column));
    const [name = null] = names;
    if (names.size === 1 && name !== null) return `: ${name}`;
  }
  return "";
}

/** Why there is nothing to draw. */
export function emptyWords(frame: DataFrame): string {
  return frame.height === 0 ? "No data: the frame has no rows" : "No data: every value is null";
}

const FROM = {
  service: "",
  cache: " (kept answer)",
  sample: "",
} as const;

/** Where the data of a chart came from, for its caption. Sample data says so first. */
export function sourceNote(frame: DataFrame): string {
  const annotation = annotationOf(frame);
  if (annotation === undefined) return "Source not recorded.";
  const { operation, source, retrieved_at } = annotation.provenance;
  const words = `${operation.replaceAll("_", " ")}, ${retrieved_at.toISOString().slice(0, 10)}${
    FROM[source]
  }.`;
  return source === "sample"
    ? `Sample data, invented: not facts about the world. Source: ${words}`
    : `Source: ${words}`;
}
