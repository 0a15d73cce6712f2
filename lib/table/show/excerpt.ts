import { counted, listed } from "../../platform/terminal.ts";
import { fieldNamed } from "../../schema/dictionary.ts";
import { columnIn, unitText } from "../track/descriptions.ts";
import { dtypeNames, isNumeric } from "../build/dtypes.ts";
import { idsIn, nameColumn, shownIds } from "../read/names.ts";
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

/** Returns the number of decimals for a column of percentages. Returns null if a percentage is very small or large. */
function percentDecimals(numbers: readonly number[]): number | null {
  const sizes = numbers.map(Math.abs).filter((size) => size > 0);
  if (sizes.some((size) => size < 0.01 || size >= LARGEST)) return null;
  return sizes.every((size) => size >= 0.1) ? 1 : 2;
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
  /** The place of the column if not all columns fit. Keys and the first results have places below 0. */
  readonly place: number;
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

/**
 * Returns the columns of a frame without their cells. If not all fit, the keys come first, then the columns that an
 * analysis names first, then new columns of a derived frame, the last one before the others, then all other numbers, then texts. An id
 * is not a key beside its name, nor is `data_id` beside `chain_id`.
 */
function columnsOf(frame: DataFrame): Uncut[] {
  // Each member of a frame is read once, because polars makes the list of all names for each access.
  const { columns: names, height } = frame;
  const dtypes = dtypeNames(frame);
  // A column can have the name of a method of frames, such as `row`. Then the frame lacks this method.
  const [counts] = frame.nullCount().toRecords() as Record<string, number>[];
  const isEmpty = (name: string) => height > 0 && counts?.[name] === height;
  const derived = (annotationOf(frame)?.provenance.steps.length ?? 0) > 0;
  const firstNumber = dtypes.findIndex(isNumeric);
  return names.map((name, index) => {
    const [column, dtype] = [columnIn(frame, name), dtypes[index]!];
    const numeric = isNumeric(dtype);
    const role = column?.role ?? (/^(?:String|Date)/.test(dtype) ? "id" : "value");
    const kind = idsIn(frame, name) ?? name;
    // The ids of `group_a` have their names in `name_a`.
    const named = nameColumn(name).replace(/^group(?=_[ab]$)/, "name");
    const isRepeated = [kind, named].some((other) =>
      other !== name && names.includes(other) && !isEmpty(other)
    );
    const isNew = derived && !column?.from && column?.title !== fieldNamed(name)?.title;
    const [group, order] = /id|time|name/.test(role) && !isRepeated
      ? [-2, index]
      : column?.first !== undefined
      ? [-1, column.first]
      : numeric && (isNew || derived && column === undefined)
      ? [0, index === names.length - 1 ? 0 : index]
      : [numeric ? 1 : 2, index];
    return {
      name,
      dtype,
      unit: unitText(frame, name),
      numeric,
      key: !numeric && (firstNumber === -1 || index < firstNumber),
      place: group! + order! / (names.length + 9),
      empty: isEmpty(name),
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
  const some = (part: DataFrame) => cut ? part.head(head).vstack(part.tail(count - head)) : part;
  // polars reads these names as patterns in `select`. Of a wide frame, it finds single columns slowly.
  const isPattern = (name: string) => /^(?:\*|\^.*\$)$/s.test(name);
  const plain = columns.map(({ name }) => name).filter((name) => !isPattern(name));
  const narrow = some(frame.select(...plain));
  return columns.map((column) => {
    const { name } = column;
    const part = isPattern(name) ? some(frame.getColumn(name).toFrame()) : narrow;
    const unit = columnIn(frame, name)?.unit;
    // JavaScript rounds integers beyond 2^53.
    const values = /^U?Int64$/.test(column.dtype)
      ? part.getColumn(name).cast(pl.Utf8).toArray().map((text) => text && BigInt(text))
      : part.getColumn(name).toArray();
    const shown = column.dtype === "String" && !ids
      ? shownIds(frame, name, values as string[])
      : values;
    const cells = columnTexts(shown, column.dtype, unit);
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
  return {
    frame,
    columns: withCells(
      some.length <= wanted ? some : some.toSorted((a, b) => a.place - b.place).slice(0, wanted),
      frame,
      extent,
    ),
    asked: false,
    empty: full.length === 0 ? [] : columns.flatMap(({ name, empty }) => empty ? [name] : []),
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
  if (empty.length > 0) facts.push(`all null: ${listed(empty, 3)}`);
  return facts.join(" · ");
}
