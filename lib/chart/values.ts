import type { DataFrame } from "../table/polars.ts";
import { annotationOf } from "../table/provenance.ts";
import { formatDay, formatMonth } from "./format.ts";
import type { Settings } from "./options.ts";

/**
 * The numbers of a column; null where one is null, NaN or infinite, because none of them has a place on an
 * axis.
 */
export function numberValues(frame: DataFrame, column: string): (number | null)[] {
  return [...frame.getColumn(column)].map((value: unknown) => {
    const number = value === null || value === undefined ? NaN : Number(value);
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

/** The columns that may name a row of any frame, names before ids. */
export const ANY_NAMES = [
  ...["chain_name", "project_name", "market_sector_name", "chain_id", "project_id"],
  ...["market_sector_id", "product_id", "data_id", "cohort"],
];

const IDS = ["project_id", "product_id", "market_sector_id", "chain_id", "data_id", "cohort"];

/** What is drawn, row by row: its label, and the id by which it keeps its colour. */
interface Groups {
  readonly labels: readonly string[];
  readonly ids: readonly string[];
}

/**
 * The group of each row: named by the column that the user chose, else by the fewest of `names` that tell the
 * groups apart. The id is that of the column that tells as many apart, else the label.
 */
export function groupsOf(
  frame: DataFrame,
  { names, label, alone = "all" }: {
    names: readonly string[];
    label?: string | undefined;
    alone?: string;
  },
): Groups {
  const labels = groupLabels(frame, label === undefined ? names : [label], alone);
  const pairs = (ids: readonly (string | null)[]) =>
    distinct(labels.map((l, i) => `${l}\n${ids[i]}`));
  const ids = IDS.filter((column) => frame.columns.includes(column))
    .map((column) => textValues(frame, column))
    .find((ids) =>
      distinct(ids.map(String)) === distinct(labels) && pairs(ids) === distinct(labels)
    );
  return { labels, ids: ids === undefined ? labels : ids.map((id, row) => id ?? labels[row]!) };
}

/** The name that all rows of a frame share: `Copperleaf Swap`; null when there is none. */
export function onlyName(frame: DataFrame, columns: readonly string[]): string | null {
  for (const column of columns.filter((column) => frame.columns.includes(column))) {
    const names = new Set(textValues(frame, column));
    const [name = null] = names;
    if (names.size === 1 && name !== null) return name;
  }
  return null;
}

/** Why there is nothing to draw. */
export function emptyWords(frame: DataFrame): string {
  return frame.height === 0 ? "No data: the frame has no rows" : "No data: every value is null";
}

/** Where the data of a chart came from, for its caption. Sample data says so first. */
function sourceNote(frame: DataFrame, locale = "en-US"): string {
  const annotation = annotationOf(frame);
  if (annotation === undefined) return "Source not recorded.";
  const { operation, source, retrieved_at, data_through } = annotation.provenance;
  const day = data_through === null
    ? `retrieved ${formatDay(retrieved_at, locale)}`
    : `data through ${formatDay(data_through, locale)}`;
  const kept = source === "cache" ? " (kept answer)" : "";
  const words = `${operation.replaceAll("_", " ")}, ${day}${kept}.`;
  return source === "sample"
    ? `Sample data, invented: not facts about the world. Source: ${words}`
    : `Source: ${words}`;
}

/** The last day of the data of a frame, where the service states it. */
export function lastDay(frame: DataFrame): Date | null {
  return annotationOf(frame)?.provenance.data_through ?? null;
}

/** What stands below a chart: the user's note, what the chart has to say itself, and the source. */
export function captionOf(
  frame: DataFrame,
  { note, caption, from = frame, locale }: Settings,
  notes: readonly string[],
): string[] {
  return [
    ...note === undefined ? [] : [note],
    ...caption === undefined ? notes : [caption],
    sourceNote(from, locale),
  ].filter((line) => line !== "");
}

/** Names one after the other, the first of many. */
export function listed(names: readonly string[], most: number): string {
  const more = names.length - most;
  return more > 0 ? `${names.slice(0, most).join(", ")} and ${more} more` : names.join(", ");
}
