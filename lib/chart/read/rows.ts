import { listed } from "../../platform/terminal.ts";
import { OTHER } from "../../table/read/largest.ts";
import type { DataFrame } from "../../table/build/polars.ts";
import { requireColumns } from "../../table/read/require_columns.ts";
import type { Series } from "../series_colors.ts";
import { idsIn, nameColumn, shownIds } from "../../table/read/names.ts";
import { formatMonth } from "../format.ts";
import { groupNoun } from "../measures.ts";
import { isolated } from "../text/layout.ts";

/** Returns the values of a column, or only nulls if the frame does not have the column. */
function valuesOf(frame: DataFrame, column: string): unknown[] {
  return frame.columns.includes(column)
    ? [...frame.getColumn(column)]
    : Array.from({ length: frame.height });
}

/** Returns the numbers of a column. NaN and infinite values become null, because an axis cannot show them. */
export function numberValues(frame: DataFrame, column: string): (number | null)[] {
  return valuesOf(frame, column).map((value) => {
    const number = Number(value ?? NaN);
    return Number.isFinite(number) ? number : null;
  });
}

/** Returns the columns of numbers that have a value, or all columns of numbers if none has one. */
export function numberColumns(frame: DataFrame, except?: string): string[] {
  const numeric = frame.columns.filter((name) =>
    name !== except && frame.getColumn(name).isNumeric()
  );
  const valued = numeric.filter((name) => numberValues(frame, name).some((v) => v !== null));
  return valued.length > 0 ? valued : numeric;
}

/** Returns the values of a column as strings. Null stays null. */
export function textValues(frame: DataFrame, column: string): (string | null)[] {
  return valuesOf(frame, column).map((value) => {
    if (value === null || value === undefined) return null;
    return value instanceof Date ? value.toISOString().slice(0, 10) : String(value);
  });
}

/**
 * Reads columns into one record for each row. Values of missing columns are null. Dates in numeric columns become
 * milliseconds.
 */
export function recordsOf<Number extends string = never, Text extends string = never>(
  frame: DataFrame,
  { numbers = [], texts = [] }: {
    readonly numbers?: readonly Number[];
    readonly texts?: readonly Text[];
  },
): Readonly<Record<Number, number | null> & Record<Text, string | null>>[] {
  const columns = [
    ...numbers.map((name) => [name, numberValues(frame, name)] as const),
    ...texts.map((name) => [name, textValues(frame, name)] as const),
  ];
  return Array.from(
    { length: frame.height },
    (_, row) => Object.fromEntries(columns.map(([name, values]) => [name, values[row]!])) as never,
  );
}

/**
 * Reads columns that a frame must have into one record for each row, and `more` columns that it can have. Dates become
 * milliseconds.
 *
 * @throws {RangeError} when a column is missing.
 * @throws {TypeError} when a column has the wrong dtype.
 */
export function readRecords<Number extends string, Text extends string = never>(
  frame: DataFrame,
  { dates = [], numbers = [], texts = [], ...about }: {
    readonly fn: string;
    /** The kind of frame, for error messages. */
    readonly source: string;
    readonly dates?: readonly Number[];
    readonly numbers?: readonly Number[];
    readonly texts?: readonly Text[];
  },
  more: { readonly numbers?: readonly Number[]; readonly texts?: readonly Text[] } = {},
) {
  const dtypes = Object.fromEntries(dates.map((name) => [name, "Date"]));
  requireColumns(frame, { ...about, columns: texts, numbers, dtypes });
  return recordsOf(frame, {
    numbers: [...dates, ...numbers, ...more.numbers ?? []],
    texts: [...texts, ...more.texts ?? []],
  });
}

/** Returns the cohort of each row: the month of `cohort_date`, or the text in `cohort` if there is no date. */
export function cohortTexts(frame: DataFrame): (string | null)[] {
  const dates = textValues(frame, "cohort_date");
  return textValues(frame, "cohort").map((text, row) => {
    const date = dates[row] ?? null;
    return date === null ? text : formatMonth(new Date(date));
  });
}

/** Returns the texts that name the rows by a column: months for cohorts, and names for ids. */
function labelTexts(frame: DataFrame, column: string): readonly (string | null)[] {
  return column === "cohort"
    ? cohortTexts(frame)
    : shownIds(frame, column, textValues(frame, column));
}

function distinct(keys: readonly string[]): number {
  return new Set(keys).size;
}

/**
 * Returns a label for each row. Rows of the same group have the same label. A label contains only the columns that are
 * needed to distinguish the groups. Columns are added in the given order. Names come before ids, so an id is added only
 * if two entities share a name.
 */
function groupLabels(frame: DataFrame, columns: readonly string[], alone: string): string[] {
  const values = columns.filter((column) => frame.columns.includes(column)).map((column) => {
    return labelTexts(frame, column).map((text) =>
      text === null || text.trim() === "" ? "unnamed" : isolated(text)
    );
  });
  let keys: string[] = Array.from({ length: frame.height }, () => "");
  for (const column of values) {
    const finer = keys.map((key, row) => (key === "" ? column[row]! : `${key} · ${column[row]!}`));
    if (distinct(finer) > Math.max(1, distinct(keys))) keys = finer;
  }
  if (keys.some((key) => key !== "")) return keys;
  return keys.map((_, row) => values[0]?.[row] ?? alone);
}

/** The columns that can name a row of any frame, names before ids. */
export const ANY_NAMES: readonly string[] = [
  "account_title",
  "chain_name",
  "project_name",
  "market_sector_name",
  "data_id",
  "chain_id",
  "project_id",
  "market_sector_id",
  "product_id",
  "account_address",
  "cohort",
  "group",
];

/** Returns names, followed by the other columns before a given one: in pooled frames, these are the user's groups. */
export function namesBefore(
  frame: DataFrame,
  column: string,
): string[] {
  const own = frame.columns.slice(0, frame.columns.indexOf(column))
    .filter((name) => !ANY_NAMES.includes(name));
  const isName = (name: string) => name.endsWith("_name");
  return [...ANY_NAMES, ...own.filter(isName), ...own.filter((name) => !isName(name))];
}

const IDS = [
  "account_address",
  "project_id",
  "product_id",
  "market_sector_id",
  "chain_id",
  "data_id",
  "cohort",
];

/** The label of each row's group, and the id from which the color is derived. `kind` is the column of the ids. */
export interface Groups {
  readonly labels: readonly string[];
  readonly ids: readonly string[];
  readonly kind?: string | undefined;
}

/**
 * Returns the label and the id of each row's group. The label comes from the column `label`, or from the column `by` or
 * its names. If neither is given, the label comes from those columns of `names` that are needed to distinguish the groups. The id comes from the column
 * of ids that distinguishes the same groups. If there is no such column, the id is the label. If there is no name, the
 * id is "".
 */
export function groupsOf(
  frame: DataFrame,
  { names = ANY_NAMES, by, label = by, alone = "all" }: {
    names?: readonly string[] | undefined;
    by?: string | undefined;
    label?: string | undefined;
    alone?: string;
  },
): Groups {
  const name = by === undefined ? "" : nameColumn(idsIn(frame, by) ?? "");
  const columns = label === undefined
    ? names
    : label === by && frame.columns.includes(name)
    ? [name, by]
    : [label];
  const labels = groupLabels(frame, columns, alone);
  const pairs = (ids: readonly (string | null)[]) =>
    distinct(labels.map((l, i) => `${l}\n${ids[i]}`));
  const found = IDS.filter((column) => frame.columns.includes(column))
    .map((kind) => ({ kind, ids: textValues(frame, kind) }))
    .find(({ ids }) =>
      distinct(ids.map(String)) === distinct(labels) && pairs(ids) === distinct(labels)
    );
  if (found !== undefined) {
    const kind = idsIn(frame, found.kind) ?? found.kind;
    return { labels, kind, ids: found.ids.map((id, row) => id ?? labels[row]!) };
  }
  return { labels, kind: label, ids: labels.map((text) => text === alone ? "" : text) };
}

/** The name of a row, and its numbers in some columns. */
interface NamedRow extends Series {
  readonly values: readonly (number | null)[];
}

/**
 * Reads the rows of a frame: the name of each row, and its numbers in some columns.
 *
 * @throws {RangeError} when a column is missing.
 * @throws {TypeError} when a column that must hold numbers does not.
 */
export function readRows(
  frame: DataFrame,
  plan: {
    /** The kind of frame, for error messages. */
    readonly source?: string;
    readonly columns?: readonly string[];
    readonly numbers: readonly string[];
    readonly label?: string | undefined;
    readonly alone?: string;
  },
  fn: string,
): NamedRow[] {
  const { source = "any frame with the columns named", columns = [], numbers, label } = plan;
  requireColumns(frame, {
    fn,
    source,
    columns: label === undefined ? columns : [...columns, label],
    numbers,
  });
  const { labels, ids, kind } = groupsOf(frame, plan);
  const read = numbers.map((name) => numberValues(frame, name));
  return labels.map((label, row) => ({
    id: ids[row]!,
    label,
    kind,
    ...ids[row] === OTHER.id && { folded: true },
    values: read.map((values) => values[row]!),
  }));
}

/** Returns the noun for rows, such as `chain`, from the column that names them. */
export function rowNoun(
  frame: DataFrame,
  rows: readonly Series[],
  label: string | undefined,
): string {
  const [name, ...others] = ANY_NAMES.filter((column) => frame.columns.includes(column));
  return groupNoun(label ?? rows[0]?.kind ?? (others.length === 0 ? name : undefined));
}

/** Returns the project or sector that all rows of a frame share: `Copperleaf Swap`. Null if the names differ. */
export function onlyName(frame: DataFrame): string | null {
  const columns = ["project_name", "project_id", "market_sector_name", "market_sector_id"];
  for (const column of columns.filter((column) => frame.columns.includes(column))) {
    const names = new Set(labelTexts(frame, column));
    const [name = null] = names;
    if (names.size === 1 && name !== null) return name;
  }
  return null;
}

/**
 * Returns the name of the only group of a frame whose first columns, before `date`, are those of a group; null without
 * such columns. Throws if there are several groups.
 */
export function onlyGroup(frame: DataFrame, fn: string): string | null {
  const keys = frame.columns.slice(0, Math.max(0, frame.columns.indexOf("date")));
  const ids = keys.filter((key) => !keys.some((id) => id !== key && nameColumn(id) === key));
  const groups = new Map(
    recordsOf(frame, { texts: keys })
      .map((row) => [ids.map((id) => String(row[id])).join(" · "), row]),
  );
  const [first] = groups.values();
  if (groups.size > 1) {
    const only = ids.map((id) => `${id}: ${JSON.stringify(first![id])}`).join(", ");
    throw new RangeError(
      `${fn}: the frame must hold one group; got ${
        listed([...groups.keys()], 6)
      }; pass one, as in where(frame, { ${only} })`,
    );
  }
  if (first === undefined || ids.length === 0) return null;
  return ids.map((id) => first[nameColumn(id)] ?? shownIds(frame, id, [first[id]!])[0]).join(" · ");
}
