import { columnOf } from "../schema/columns.ts";
import { type DataFrame, pl } from "./polars.ts";
import { annotationOf } from "./provenance.ts";

/** A column of a frame, and the names of all its columns. */
interface Named {
  readonly name: string;
  readonly dtype: string;
  readonly beside: readonly string[];
}

/** Whether a column holds fractions, which are shown as per cent: 0.25 is 25 %. */
function isFraction({ name, beside }: Named): boolean {
  const unit = columnOf(name)?.unit;
  // The months of a summary are fractions; those of cohorts may be counts.
  if (unit === "retention") return beside.includes("half_life");
  if (unit === "fraction" || unit === "change") return true;
  // Metrics of a breakdown whose unit is not known.
  return unit === null && /_(change|trend)$/.test(name) && beside.includes("data_id");
}

/** A number with its thousands apart: `12,000`. Intl would cost more than the rest of a display. */
function grouped(digits: string): string {
  const [whole = "", rest] = digits.split(".");
  const apart = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return rest === undefined ? apart : `${apart}.${rest}`;
}

const MOST_DECIMALS = 6;
const LARGEST = 1e15;

/** The fewest decimals that keep each number to a thousandth of itself; null where six do not do. */
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

function fixed(value: number, decimals: number): string {
  return grouped(value.toFixed(decimals));
}

/** One decimal does for per cents, two where one is small, and more only where all are. */
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
      : fixed(value * scale, decimals);
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

/** Whether a column of this dtype holds numbers, which stand to the right. */
export function isNumeric(dtype: string): boolean {
  return /^(U?Int|Float|Decimal)/.test(dtype);
}

/**
 * The cells of a column for reading: its numbers to one precision, grouped, so that decimals line up;
 * fractions as per cent; dates without a time that says nothing; each text on one line; null as `null`.
 */
function columnTexts(column: Named, values: readonly unknown[]): string[] {
  const { dtype } = column;
  if (isNumeric(dtype)) {
    const percent = dtype.startsWith("Float") && isFraction(column);
    return numberTexts(values as (number | bigint | null)[], percent);
  }
  if (dtype.startsWith("Date")) return dateTexts(values as (Date | null)[]);
  return values.map(cellText);
}

/** What polars' DataType objects hold; its declared types leave it out. */
interface DtypeParts {
  readonly variant: string;
  readonly inner?: unknown;
}

function partsOf(dtype: unknown): string {
  const { variant, inner } = dtype as DtypeParts;
  if (variant === "List" && Array.isArray(inner)) return `List(${partsOf(inner[0])})`;
  if (variant === "Struct" && Array.isArray(inner)) {
    const fields = inner.flat() as readonly { name: string }[];
    return `Struct(${fields.map(({ name }) => name).join(", ")})`;
  }
  return variant === "Utf8" ? "String" : variant;
}

/** The dtypes of a frame, by column, as polars writes them: `Float64`, `List(String)`. */
export function dtypeNames(frame: DataFrame): string[] {
  return frame.dtypes.map(partsOf);
}

function counted(count: number, one: string): string {
  return `${grouped(String(count))} ${count === 1 ? one : `${one}s`}`;
}

/** Returns the shape of a frame in words, and which columns are not shown: `12 rows × 97 columns`. */
export function shapeText(
  { height, width }: DataFrame,
  shown: number,
  empty: readonly string[] = [],
): string {
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

/** A column of an excerpt. */
export interface ExcerptColumn {
  readonly name: string;
  readonly dtype: string;
  /** Whether the cells are numbers, which stand to the right. */
  readonly numeric: boolean;
  /** Whether it says what a row stands for. */
  readonly key: boolean;
  /** Which columns are shown first where not all can be: the smallest. */
  readonly rank: number;
  /** Whether all rows of the frame are null in it. */
  readonly empty: boolean;
  /** The texts of the first and the last rows; `…` for those between. */
  readonly cells: readonly string[];
}

/** What a frame is about, where it has such a column. */
const MEASURE = /^(retention|predicted|difference|value|value_number|net_flows|share|hhi)$/;

/** Whether a column says what a row stands for. */
function isKey(name: string): boolean {
  const role = columnOf(name)?.role;
  return role === "id" || role === "time" || role === "name";
}

/** The columns of a frame, as far as their ranks depend on it. */
interface Layout {
  readonly names: readonly string[];
  readonly dtypes: readonly string[];
  /** Whether steps were taken since the operation: computed columns come before those of the service then. */
  readonly derived: boolean;
}

/**
 * The ranks of the columns: the measure and the first column, then what names a row, then computed values, the newest
 * first, then values of the service, then notes. The name of a market sector comes late beside that of a project.
 */
function ranksOf({ names, dtypes, derived }: Layout): number[] {
  const numbers = names.filter((name, index) => isNumeric(dtypes[index]!) && !isKey(name));
  const measure = numbers.find((name) => MEASURE.test(name)) ??
    (derived ? undefined : numbers[0]);
  return names.map((name, index) => {
    if (name === measure) return 0;
    if (index === 0) return 1;
    const late = name.startsWith("market_sector_") && names.includes("project_id");
    if (isKey(name) && !late) return 2;
    // The same in every row.
    if (name === "confidence") return 6;
    const isNew = derived && !columnOf(name)?.served;
    const place = (isNew ? names.length - index : index) / (names.length + 1);
    return (isNew && isNumeric(dtypes[index]!) ? 3 : isNumeric(dtypes[index]!) ? 4 : 5) + place;
  });
}

/** The most rows that are shown whole, and how many of a longer frame. */
const ALL = 25;
const SOME = 20;

/**
 * The first and the last rows of a frame as texts, all of a short one: up to 25, else 10 and 10, or as many
 * as are asked for.
 */
export function excerptOf(frame: DataFrame, rows?: number): ExcerptColumn[] {
  const cut = frame.height > (rows ?? ALL);
  const count = rows ?? SOME;
  const head = Math.ceil(count / 2);
  const some = cut ? pl.concat([frame.head(head), frame.tail(count - head)]) : frame;
  const names = frame.columns;
  const dtypes = dtypeNames(frame);
  const firstNumber = dtypes.findIndex(isNumeric);
  const derived = (annotationOf(frame)?.provenance.steps.length ?? 0) > 0;
  const ranks = ranksOf({ names, dtypes, derived });
  return dtypes.map((dtype, index): ExcerptColumn => {
    const name = names[index]!;
    const cells = columnTexts({ name, dtype, beside: names }, some.getColumn(name).toArray());
    if (cut) cells.splice(head, 0, "…");
    const key = !isNumeric(dtype) && (firstNumber === -1 || index < firstNumber);
    const empty = frame.height > 0 && frame.getColumn(name).nullCount() === frame.height;
    return { name, dtype, numeric: isNumeric(dtype), key, rank: ranks[index]!, empty, cells };
  });
}

/** The columns that are shown, and the names of those left out because all of their rows are null. */
export interface Choice {
  readonly columns: readonly ExcerptColumn[];
  readonly empty: readonly string[];
}

/**
 * Chooses the columns to show: those of these names, in this order; or the foremost by rank, this many, in the order
 * of the frame and without those that are all null.
 */
export function chosenColumns(
  columns: readonly ExcerptColumn[],
  wanted: number | readonly string[],
): Choice {
  if (typeof wanted !== "number") {
    const named = wanted.flatMap((name) => columns.find((column) => column.name === name) ?? []);
    return { columns: named, empty: [] };
  }
  const full = columns.filter(({ empty }) => !empty);
  const some = full.length === 0 ? columns : full;
  const chosen = some.toSorted((a, b) => a.rank - b.rank).slice(0, wanted);
  return {
    columns: columns.filter((column) => chosen.includes(column)),
    empty: full.length === 0 ? [] : columns.filter(({ empty }) => empty).map(({ name }) => name),
  };
}
