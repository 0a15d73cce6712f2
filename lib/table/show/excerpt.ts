import { fieldNamed } from "../../schema/columns.ts";
import { columnIn, unitText } from "../track/frame_columns.ts";
import { dtypeNames, isNumeric } from "../build/dtypes.ts";
import { nameColumn, shownIds } from "../read/names.ts";
import { type DataFrame, pl } from "../build/polars.ts";
import { annotationOf } from "../track/provenance.ts";

/** Formats a number with thousands separators, as in `12,000`. Does not use `Intl`, which is much slower. */
function grouped(digits: string): string {
  const [whole = "", rest] = digits.split(".");
  const apart = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return rest === undefined ? apart : `${apart}.${rest}`;
}

const MOST_DECIMALS = 6;
const LARGEST = 1e15;

/**
 * Returns the smallest number of decimals with which rounding changes each number by at most 0.1%. Returns null if six
 * decimals are not enough.
 */
function decimalsFor(numbers: readonly number[]): number | null {
  const sizes = numbers.map(Math.abs);
  if (sizes.some((size) => size >= LARGEST)) return null;
  for (let decimals = 0; decimals <= MOST_DECIMALS; decimals++) {
    const unit = 10 ** decimals;
    if (sizes.every((size) => Math.abs(Math.round(size * unit) / unit - size) <= size / 1_000)) {
      return decimals;
    }
  }
  return null;
}

/**
 * Returns the number of decimals for a column of percentages: 1 if all values are at least 0.1%, and 2 if only some
 * are. If all values are smaller, returns as many decimals as two significant digits need.
 */
function percentDecimals(numbers: readonly number[]): number | null {
  const sizes = numbers.map(Math.abs).filter((size) => size > 0);
  if (sizes.some((size) => size >= LARGEST)) return null;
  if (sizes.every((size) => size >= 0.1)) return 1;
  if (sizes.some((size) => size >= 0.1)) return 2;
  return decimalsFor(sizes.map((size) => Number(size.toPrecision(2))));
}

/** Writes a number of a column whose sizes differ too much for a common number of decimals. */
function fourDigits(value: number): string {
  const power = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  return Math.abs(value) >= LARGEST || power < -MOST_DECIMALS
    ? value.toExponential(3)
    : grouped(value.toFixed(Math.max(0, 3 - power)));
}

function numberTexts(values: readonly (number | bigint | null)[], percent: boolean): string[] {
  const scale = percent ? 100 : 1;
  const finite = values.filter((value) => typeof value === "number" && Number.isFinite(value))
    .map((value) => Number(value) * scale);
  const decimals = percent ? percentDecimals(finite) : decimalsFor(finite);
  return values.map((value) => {
    if (value === null || value === undefined) return "null";
    if (typeof value === "bigint") return grouped(String(value));
    if (!Number.isFinite(value)) return String(value);
    const text = decimals === null
      ? fourDigits(value * scale)
      : grouped((value * scale).toFixed(decimals));
    return percent ? `${text}%` : text;
  });
}

function dateTexts(values: readonly (Date | null)[]): string[] {
  // A Datetime of polars can be beyond the range of Date, for example if seconds were read as milliseconds.
  const isOut = (value: Date | null) => value !== null && Number.isNaN(value.getTime());
  const texts = values.map((value) => isOut(value) ? null : value?.toISOString() ?? null);
  const ending = ["T00:00:00.000Z", ".000Z", "Z"].find((end) =>
    texts.every((text) => text === null || text.endsWith(end))
  )!;
  return texts.map((text, row) =>
    text?.slice(0, -ending.length).replace("T", " ") ??
      (isOut(values[row]!) ? "out of range" : "null")
  );
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "null";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.replace(/\s+/gu, " ");
}

/**
 * Returns the cells of a column for display. All numbers have thousands separators and an equal number of decimals, so
 * that they align; four digits each if six decimals are not enough. A column of integers from 1900 to 2099 without a unit can hold years, and has no separators. Fractions
 * become percentages. Dates are written without a time if all of them are at midnight. Line breaks in texts become spaces.
 * Null is written as `null`.
 */
function columnTexts(
  values: readonly unknown[],
  dtype: string,
  unit: string | null | undefined,
): string[] {
  if (isNumeric(dtype)) {
    const isYear = (value: unknown) => /^(?:19\d\d|20\d\d|null)$/.test(String(value));
    if (!unit && values.every(isYear)) return values.map(String);
    const percent = dtype.startsWith("Float") && (unit === "fraction" || unit === "change");
    return numberTexts(values as (number | bigint | null)[], percent);
  }
  return dtype.startsWith("Date") ? dateTexts(values as (Date | null)[]) : values.map(cellText);
}

function counted(count: number, one: string): string {
  return `${grouped(String(count))} ${count === 1 ? one : `${one}s`}`;
}

/** A column of an excerpt. */
export interface ExcerptColumn {
  readonly name: string;
  readonly dtype: string;
  /** The unit as text for a heading. */
  readonly unit: string;
  /** Whether the cells are numbers, which are right-aligned. */
  readonly numeric: boolean;
  /** Whether the column identifies the row. */
  readonly key: boolean;
  /** If not all columns fit, the columns with the smallest ranks are shown. */
  readonly rank: number;
  /** Whether the column is null in all rows of the frame. */
  readonly empty: boolean;
  /** Whether the cells are names in place of the ids of the column. */
  readonly named: boolean;
  /** The cells of the first and the last rows as texts, with `…` in place of the rows between them. */
  readonly cells: readonly string[];
}

/** A frame with up to `ALL` rows is shown in full. Of a longer frame, `SOME` rows are shown. */
const ALL = 25;
const SOME = 20;

/** The part of a frame that a display shows. */
export interface Excerpt {
  readonly frame: DataFrame;
  readonly columns: readonly ExcerptColumn[];
  /** Whether the user named the columns, so that all of them are shown. */
  readonly asked: boolean;
  /** The names of the omitted columns that are null in all rows. */
  readonly empty: readonly string[];
}

/** A column without its cells. */
type Uncut = Omit<ExcerptColumn, "cells" | "named">;

/** Keys and the first eight results of an analysis have smaller ranks. */
export const NEEDED = 2.8;

/** Returns the column of names of a column of ids: `name_a` for `group_a` of a comparison. */
function nameOf(ids: string): string {
  return nameColumn(ids).replace(/^group(?=_[ab]$)/, "name");
}

/**
 * Returns the columns of a frame without their cells. The smallest rank is that of the main result. Next are the first
 * column (or its names), other columns that identify the row, other results that the analysis shows first, computed numbers (newest
 * first), numbers of the service, and all other columns. If the frame has `project_id`, the columns of the market sector are among the last.
 */
function columnsOf(frame: DataFrame): Uncut[] {
  // Each member of a frame is read once, because polars makes the list of all names for each access.
  const { columns: names, height } = frame;
  const dtypes = dtypeNames(frame);
  // A column can have the name of a method of frames, such as `row`. Then the frame lacks this method.
  const [counts] = frame.nullCount().toRecords() as Record<string, number>[];
  const nulls = names.map((name) => counts?.[name]);
  const firstNumber = dtypes.findIndex(isNumeric);
  const isOfProjects = names.includes("project_id");
  // If the frame was computed from a response, computed columns come before columns of the service.
  const derived = (annotationOf(frame)?.provenance.steps.length ?? 0) > 0;
  const known = names.map((name) => columnIn(frame, name));
  const isKey = (index: number) => {
    const role = known[index]?.role ?? (/^(?:String|Date)/.test(dtypes[index]!) ? "id" : "value");
    return role === "id" || role === "time" || role === "name";
  };
  const numbers = names.filter((_, index) => isNumeric(dtypes[index]!) && !isKey(index));
  const results = known.some((column) => column?.first === 0);
  const measure = results || derived ? undefined : numbers[0];
  const rankOf = (name: string, index: number) => {
    const first = known[index]?.first;
    if (name === measure || first === 0) return 0;
    const late = name.startsWith("market_sector_") && isOfProjects;
    // Names come before their ids.
    if (nameOf(name) !== name && !late && names.includes(nameOf(name))) return 2.9;
    if (index === 0 || names[0] !== name && nameOf(names[0]!) === name) return 1;
    if (first !== undefined) return 2 + first / 10;
    if (isKey(index) && !late) return 2;
    // `confidence` has the largest rank, because it is the same in every row.
    if (name === "confidence") return 6;
    // A field of the service has its own description, unless it was computed or renamed.
    const isNew = derived && (known[index]?.title ?? null) !== fieldNamed(name)?.title;
    const place = (isNew ? names.length - index : index) / (names.length + 1);
    return (isNumeric(dtypes[index]!) ? isNew ? 3 : 4 : 5) + place;
  };
  return names.map((name, index) => {
    const dtype = dtypes[index]!;
    const numeric = isNumeric(dtype);
    const key = !numeric && (firstNumber === -1 || index < firstNumber);
    const empty = height > 0 && nulls[index] === height;
    return {
      name,
      dtype,
      unit: unitText(frame, name),
      numeric,
      key,
      rank: rankOf(name, index),
      empty,
    };
  });
}

/** Adds the cells of the first and the last rows to columns. Ids are replaced by their names. */
function withCells(
  columns: readonly Uncut[],
  frame: DataFrame,
  { rows, ids = false }: Extent,
): ExcerptColumn[] {
  const { height } = frame;
  const cut = height > (rows ?? ALL);
  const count = rows ?? SOME;
  const head = Math.ceil(count / 2);
  const some = (part: DataFrame) =>
    cut ? pl.concat([part.head(head), part.tail(count - head)]) : part;
  // polars reads these names as patterns in `select`.
  const isPattern = ({ name }: { readonly name: string }) => /^(?:\*|\^.*\$)$/s.test(name);
  const plain = columns.filter((column) => !isPattern(column)).map(({ name }) => name);
  const narrow = some(frame.select(...plain));
  return columns.map((column) => {
    const { name } = column;
    const from = isPattern(column) ? some(pl.DataFrame([frame.getColumn(name)])) : narrow;
    const unit = columnIn(frame, name)?.unit;
    const values = from.getColumn(name).toArray();
    const shown = column.dtype === "String" && !ids
      ? shownIds(frame, name, values as string[])
      : values;
    const cells = columnTexts(shown, column.dtype, unit);
    // JavaScript rounds integers beyond 2^53.
    const isLarge = (value: unknown) => typeof value === "number" && !Number.isSafeInteger(value);
    if (/^U?Int64$/.test(column.dtype) && values.some(isLarge)) {
      const exact = from.getColumn(name).cast(pl.Utf8).toArray() as string[];
      cells.forEach((_, row) => isLarge(values[row]) && (cells[row] = exact[row]!));
    }
    if (cut) cells.splice(head, 0, "…");
    return { ...column, cells, named: shown.some((text, row) => !Object.is(text, values[row])) };
  });
}

/** The maximum numbers of rows and columns of a display. */
export interface Extent {
  /**
   * Maximum number of rows. If the frame has more rows, its first and last rows are shown. By default, a frame of up to
   * 25 rows is shown in full, and a longer frame is shown with 20 rows.
   */
  readonly rows?: number;
  /**
   * Maximum number of columns, or the names of the columns in the order in which they are shown. If a number is given,
   * the columns with the smallest ranks are shown, and columns of nulls are hidden.
   */
  readonly columns?: number | readonly string[];
  /** Whether ids are shown instead of their names. */
  readonly ids?: boolean;
}

/** Maximum number of columns of an excerpt. More columns do not fit any terminal. */
const MOST_COLUMNS = 200;

/** Returns the rows and columns that the display of a frame shows. The cells are texts. */
export function excerptOf(
  frame: DataFrame,
  extent: Extent,
): Excerpt {
  const { columns: wanted = MOST_COLUMNS } = extent;
  const columns = columnsOf(frame);
  if (typeof wanted !== "number") {
    const byName = new Map(columns.map((column) => [column.name, column]));
    const named = wanted.flatMap((name) => byName.get(name) ?? []);
    return { frame, columns: withCells(named, frame, extent), asked: true, empty: [] };
  }
  const full = columns.filter(({ empty }) => !empty);
  const some = full.length === 0 ? columns : full;
  const chosen = new Set(some.toSorted((a, b) => a.rank - b.rank).slice(0, wanted));
  const hidden = full.length === 0 ? [] : columns.filter(({ empty }) => empty);
  return {
    frame,
    columns: withCells(columns.filter((column) => chosen.has(column)), frame, extent),
    asked: false,
    empty: hidden.map(({ name }) => name),
  };
}

/**
 * Returns a text with the shape of a frame, such as `12 rows × 97 columns`, and the hidden columns. `shown` is the
 * number of columns that are shown.
 */
export function shapeText(
  { frame: { height, width }, columns, empty }: Excerpt,
  shown: number,
): string {
  const facts = [`${counted(height, "row")} × ${counted(width, "column")}`];
  const more = width - shown - empty.length;
  if (more > 0) facts.push(`… ${counted(more, "more column")}: names with frame.columns`);
  const named = columns.flatMap(({ name, named }) => named ? [name] : []);
  if (named.length > 0) facts.push(`shown by name: ${named.join(", ")}`);
  if (empty.length > 0) {
    const names = empty.slice(0, 3).join(", ");
    const rest = empty.length > 3 ? `, and ${grouped(String(empty.length - 3))} more` : "";
    facts.push(`all null: ${names}${rest}`);
  }
  return facts.join(" · ");
}
