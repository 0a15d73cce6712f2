import { columnOf } from "../schema/columns.ts";
import { dtypeNames, isNumeric } from "./dtypes.ts";
import { type DataFrame, pl } from "./polars.ts";
import { annotationOf } from "./provenance.ts";

/** Returns whether a column has fractions, which are displayed as percentages: 0.25 is 25%. */
function isFraction(name: string, beside: readonly string[]): boolean {
  const unit = columnOf(name)?.unit;
  // The `month_` columns of a summary are fractions. The `month_` columns of cohorts can also be numbers of users.
  if (unit === "retention") return beside.includes("half_life");
  if (unit === "fraction" || unit === "change") return true;
  // The units of these metrics are unknown, so they are not shown as percentages.
  return unit === null && /_(change|trend)$/.test(name) && beside.includes("data_id");
}

/** Formats a number with thousands separators: `12,000`. Using `Intl` would be slower than the rest of a display. */
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
 * Returns the number of decimals of percentages. The number is 1 by default, 2 if any value is small, and larger if all
 * values are small.
 */
function percentDecimals(numbers: readonly number[]): number | null {
  const sizes = numbers.map(Math.abs).filter((size) => size > 0);
  if (sizes.some((size) => size >= LARGEST)) return null;
  if (sizes.every((size) => size >= 0.1)) return 1;
  if (sizes.some((size) => size >= 0.1)) return 2;
  return decimalsFor(sizes.map((size) => Number(size.toPrecision(2))));
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
      ? (value * scale).toExponential(3)
      : grouped((value * scale).toFixed(decimals));
    return percent ? `${text}%` : text;
  });
}

function dateTexts(values: readonly (Date | null)[]): string[] {
  const texts = values.map((value) => value?.toISOString() ?? null);
  const days = texts.every((text) => text === null || text.endsWith("T00:00:00.000Z"));
  const whole = texts.every((text) => text === null || text.endsWith(".000Z"));
  return texts.map((text) =>
    text?.slice(0, days ? 10 : whole ? 19 : 23).replace("T", " ") ?? "null"
  );
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "null";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.replace(/\s+/gu, " ");
}

/**
 * Returns the cells of a column for display. All numbers have thousands separators and the same number of decimals, so
 * that they align. Fractions become percentages. If all dates are at midnight, they are written without a time. Line
 * breaks in texts become spaces. Null is written as `null`.
 */
function columnTexts(frame: DataFrame, name: string, dtype: string): string[] {
  const values = frame.getColumn(name).toArray() as unknown[];
  if (isNumeric(dtype)) {
    const percent = dtype.startsWith("Float") && isFraction(name, frame.columns);
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
  /** Whether the cells are numbers, which are right-aligned. */
  readonly numeric: boolean;
  /** Whether the column identifies the row. */
  readonly key: boolean;
  /** The priority of the column if not all columns fit. The columns with the smallest ranks are shown. */
  readonly rank: number;
  /** Whether the column is null in all rows of the frame. */
  readonly empty: boolean;
  /** The texts of the first and the last rows, with `…` for the rows between them. */
  readonly cells: readonly string[];
}

/** The names of columns that are the main measure of their frame. */
const MEASURE = /^(retention|predicted|difference|value|value_number|net_flows|share|hhi)$/;

/** Returns whether a column identifies the row. */
function isKey(name: string): boolean {
  const role = columnOf(name)?.role;
  return role === "id" || role === "time" || role === "name";
}

/** A frame with up to `ALL` rows is shown in full. A longer frame is shown with `SOME` rows. */
const ALL = 25;
const SOME = 20;

/** The part of a frame that a display shows. */
export interface Excerpt {
  readonly frame: DataFrame;
  readonly columns: readonly ExcerptColumn[];
  /** The names of the omitted columns that are null in all rows. */
  readonly empty: readonly string[];
}

/**
 * Returns the columns of a frame. Their ranks have this order: the measure, the first column, columns that name the
 * row, computed values (newest first), values of the service, and notes. The name of the market sector has a low
 * priority if the frame also has the name of the project.
 */
function columnsOf(frame: DataFrame, rows: number | undefined): ExcerptColumn[] {
  const cut = frame.height > (rows ?? ALL);
  const count = rows ?? SOME;
  const head = Math.ceil(count / 2);
  const some = cut ? pl.concat([frame.head(head), frame.tail(count - head)]) : frame;
  const names = frame.columns;
  const dtypes = dtypeNames(frame);
  const firstNumber = dtypes.findIndex(isNumeric);
  // If later steps changed the frame, computed columns come before the columns of the service.
  const derived = (annotationOf(frame)?.provenance.steps.length ?? 0) > 0;
  const numbers = names.filter((name, index) => isNumeric(dtypes[index]!) && !isKey(name));
  const measure = numbers.find((name) => MEASURE.test(name)) ?? (derived ? undefined : numbers[0]);
  const rankOf = (name: string, index: number) => {
    if (name === measure) return 0;
    if (index === 0) return 1;
    const late = name.startsWith("market_sector_") && names.includes("project_id");
    if (isKey(name) && !late) return 2;
    // The confidence has a low priority, because it is the same in every row.
    if (name === "confidence") return 6;
    const isNew = derived && !columnOf(name)?.served;
    const place = (isNew ? names.length - index : index) / (names.length + 1);
    return (isNumeric(dtypes[index]!) ? isNew ? 3 : 4 : 5) + place;
  };
  return names.map((name, index): ExcerptColumn => {
    const dtype = dtypes[index]!;
    const numeric = isNumeric(dtype);
    const cells = columnTexts(some, name, dtype);
    if (cut) cells.splice(head, 0, "…");
    const key = !numeric && (firstNumber === -1 || index < firstNumber);
    const empty = frame.height > 0 && frame.getColumn(name).nullCount() === frame.height;
    return { name, dtype, numeric, key, rank: rankOf(name, index), empty, cells };
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
   * columns with the smallest ranks are shown, and columns of nulls are hidden.
   */
  readonly columns?: number | readonly string[];
}

/** Returns the rows and columns that the display of a frame shows, as texts. */
export function excerptOf(frame: DataFrame, { rows, columns: wanted = Infinity }: Extent): Excerpt {
  const columns = columnsOf(frame, rows);
  if (typeof wanted !== "number") {
    const named = wanted.flatMap((name) => columns.find((column) => column.name === name) ?? []);
    return { frame, columns: named, empty: [] };
  }
  const full = columns.filter(({ empty }) => !empty);
  const some = full.length === 0 ? columns : full;
  const chosen = some.toSorted((a, b) => a.rank - b.rank).slice(0, wanted);
  return {
    frame,
    columns: columns.filter((column) => chosen.includes(column)),
    empty: columns.filter((column) => !some.includes(column)).map(({ name }) => name),
  };
}

/**
 * Returns the shape of a frame as text, such as `12 rows × 97 columns`, and states which columns are hidden. `shown` is
 * the number of shown columns.
 */
export function shapeText({ frame: { height, width }, empty }: Excerpt, shown: number): string {
  const facts = [`${counted(height, "row")} × ${counted(width, "column")}`];
  const more = width - shown - empty.length;
  if (more > 0) facts.push(`… ${counted(more, "more column")}: names with frame.columns`);
  if (empty.length > 0) {
    const names = empty.slice(0, 3).join(", ");
    const rest = empty.length > 3 ? `, and ${empty.length - 3} more` : "";
    facts.push(`all null: ${names}${rest}`);
  }
  return facts.join(" · ");
}
