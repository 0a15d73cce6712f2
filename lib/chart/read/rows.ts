import { momentIn } from "../../schema/grammar.ts";
import { listed } from "../../platform/terminal.ts";
import { OTHER } from "../../table/read/largest.ts";
import { type DataFrame, pl } from "../../table/columns/polars.ts";
import { columnIn } from "../../table/track/descriptions.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import type { ColoredSeries } from "../series_colors.ts";
import { idsIn, nameColumn, shownIds } from "../../table/read/names.ts";
import { narrowedTo } from "../../table/read/where.ts";
import {
  datesOf,
  entityNoun,
  entityTexts,
  type Noun,
  readingOf,
  shownTexts,
} from "../../table/read/reading.ts";
import { formatMonth } from "../format.ts";
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

/**
 * Returns the columns of numbers that have a value, or all columns of numbers if none has one. The columns that a
 * function computed, and that a table shows first, come first.
 */
export function numericColumns(frame: DataFrame, except?: string): string[] {
  const numeric = frame.columns.filter((name) =>
    name !== except && frame.getColumn(name).isNumeric()
  );
  const valued = numeric.filter((name) => numberValues(frame, name).some((v) => v !== null));
  const place = (name: string) => columnIn(frame, name)?.first ?? numeric.length;
  return (valued.length > 0 ? valued : numeric).toSorted((a, b) => place(a) - place(b));
}

/** Returns the column of dates that tells the rows of an entity apart, or `date` if the frame has no such column. */
export function columnOfTimes(frame: DataFrame, fn: string): string {
  if (!pl.DataFrame.isDataFrame(frame)) return "date";
  return datesOf(frame, fn, { events: true })[0] ?? "date";
}

/** Returns the result of an analysis with the name `date` for its column of dates, which keeps the name of the user. */
export function datedFrame(frame: DataFrame, fn: string): DataFrame {
  const date = columnOfTimes(frame, fn);
  return date === "date" ? frame : frame.rename({ [date]: "date" });
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

/** The label of each row's group, and the id from which the color is derived. */
export interface Groups {
  readonly labels: readonly string[];
  readonly ids: readonly string[];
  /** The column of the ids, if it is a single one. */
  readonly kind?: string | undefined;
  readonly noun: Noun;
}

/**
 * Returns the group of each row: its entity, and its cohort or the like if the frame has several for a value of `x`.
 * The entity is the column `by`, if it is given. Labels come from the column `label`, or from the names of the entities.
 * If the frame has no entities, all rows have the label `alone` and the id "".
 */
export function groupsOf(
  frame: DataFrame,
  { fn = "chart", x, by, label, alone = "all", series = false }: {
    fn?: string;
    x?: string | undefined;
    by?: string | undefined;
    label?: string | undefined;
    alone?: string;
    /** Whether the values of a group are compared over time. */
    series?: boolean;
  } = {},
): Groups {
  // The months of retention curves belong to the entity and its cohort.
  const date = x === "month" ? undefined : x;
  const reading = readingOf(frame, { fn, entity: by, date, series });
  const times = x === undefined ? [] : reading.times.filter((name) => name !== x);
  const ids = entityTexts(frame, { entity: [...reading.entity, ...times] });
  const cohorts = times.map((name) =>
    name === "cohort" ? cohortTexts(frame) : textValues(frame, name)
  );
  const named = label === undefined
    ? shownTexts(frame, reading)
    : label === "cohort"
    ? cohortTexts(frame)
    : textValues(frame, label);
  const several = new Set(named).size > 1;
  const labels = named.map((text, row) => {
    const own = label === undefined ? cohorts.map((texts) => texts[row] ?? "unnamed") : [];
    const blank = text === null || text.trim() === "" && reading.entity.length > 0;
    const shown = several || own.length === 0 ? [blank ? "unnamed" : text] : [];
    return isolated([...shown, ...own].join(" · ")) || alone;
  });
  const columns = [
    ...several || times.length === 0 ? reading.entity : [],
    ...times,
  ];
  const [first, ...more] = columns;
  return {
    labels,
    ids: ids.map((id, row) => id ?? labels[row]!),
    kind: first === undefined || more.length > 0 ? undefined : idsIn(frame, first) ?? first,
    noun: entityNoun(frame, { entity: columns }),
  };
}

/** The name of a row, and its numbers in some columns. */
interface NamedRow extends ColoredSeries {
  readonly noun: Noun;
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
  const { labels, ids, kind, noun } = groupsOf(frame, { ...plan, fn });
  const read = numbers.map((name) => numberValues(frame, name));
  return labels.map((label, row) => ({
    id: ids[row]!,
    label,
    kind,
    noun,
    ...ids[row] === OTHER.id && { folded: true },
    values: read.map((values) => values[row]!),
  }));
}

/** Returns the names of the entities of a frame, whose rows can repeat: those of `cohortLayers` do in each month. */
function entityNames(frame: DataFrame, fn: string): string[] {
  const reading = readingOf(frame, { fn, repeats: true });
  if (reading.entity.length === 0) return [];
  return [...new Set(shownTexts(frame, reading))].map((name) => name ?? "unnamed");
}

/**
 * Returns the names of what a frame was filtered to: the texts of `where`, and the ids of entities that all rows share.
 * Names of notes, times and the columns `except` are left out.
 */
export function filteredNames(frame: DataFrame, except: readonly string[] = []): string[] {
  const narrowed = narrowedTo(frame);
  const shared = frame.columns.flatMap((name): [string, string][] => {
    if (columnIn(frame, name)?.key === undefined || frame.getColumn(name).nUnique() > 1) return [];
    const [text = null] = textValues(frame.head(1), name);
    return text === null ? [] : [[name, text]];
  });
  return [...new Map([...narrowed, ...shared])].flatMap(([name, text]) => {
    if (except.includes(name)) return [];
    const role = columnIn(frame, name)?.role;
    if (role === "note" || role === "time" || role === "value" || momentIn(text) !== null) {
      return [];
    }
    const id = idsIn(frame, name) ?? name;
    const named = nameColumn(id);
    return frame.columns.includes(named) && frame.getColumn(named).nUnique() === 1
      ? textValues(frame.head(1), named).map((each) => each ?? text)
      : shownIds(frame, name, [text]).map((each) => each ?? text);
  });
}

/** Joins the names of what a frame was filtered to, and the name of its only entity, each once. */
function withFiltered(frame: DataFrame, name: string | null): string | null {
  const { entity } = name === null
    ? { entity: [] }
    : readingOf(frame, { fn: "chart", repeats: true });
  const parts = name === null ? [] : entity.length > 1 ? name.split(" · ") : [name];
  const names = new Set([...filteredNames(frame, entity), ...parts]);
  return names.size === 0 ? null : [...names].join(", ");
}

/**
 * Returns the name of the entity that all rows of a frame share, and the names of what the frame was filtered to:
 * `Germany, ads`. Null if there are several entities.
 */
export function onlyName(frame: DataFrame): string | null {
  const [name = null, ...others] = entityNames(frame, "chart");
  return others.length > 0 ? null : withFiltered(frame, name);
}

/** Returns the name of the only group of a frame, or null if it has no groups. Throws if there are several groups. */
export function onlyGroup(frame: DataFrame, fn: string): string | null {
  const names = entityNames(frame, fn);
  if (names.length < 2) return withFiltered(frame, names[0] ?? null);
  const reading = readingOf(frame, { fn, repeats: true });
  const first = frame.head(1);
  const only = reading.entity.map((each) =>
    `${each}: ${JSON.stringify(first.getColumn(each).get(0))}`
  );
  throw new RangeError(
    `${fn}: the frame must hold one group; got ${
      listed(names, 6)
    }; pass one, as in where(frame, { ${only.join(", ")} })`,
  );
}
