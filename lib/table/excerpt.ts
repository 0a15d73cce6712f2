import { columnOf } from "../schema/columns.ts";
import { type DataFrame, pl } from "./polars.ts";

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

/** The shape of a frame in words: `12 rows × 97 columns`, and how many columns are not shown. */
export function shapeText({ height, width }: DataFrame, shown: number): string {
  const shape = `${counted(height, "row")} × ${counted(width, "column")}`;
  const more = width - shown;
  return more === 0
    ? shape
    : `${shape} · … ${counted(more, "more column")}: names with frame.columns`;
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
  /** The texts of the first and the last rows; `…` for those between. */
  readonly cells: readonly string[];
}

const MEASURE = /^(retention|predicted|value|value_number|net_flows|share|hhi)$/;

/** Whether a column says what a row stands for. */
function isKey(name: string): boolean {
  const role = columnOf(name)?.role;
  return role === "id" || role === "time" || /^(name|symbol|account_title)$/.test(name);
}

/** The measure and the first column stand in any case; then what names a row, then numbers, then other texts. */
function rankOf(
  { name, index, numeric }: { name: string; index: number; numeric: boolean },
  measure: string | undefined,
): number {
  if (name === measure) return 0;
  if (index === 0) return 1;
  if (isKey(name) && name !== "market_sector_id") return 2;
  // The name of what the first column is the id of.
  if (index === 1 && name.endsWith("_name")) return 2;
  return numeric ? 3 : 4;
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
  const numbers = names.filter((_, index) => isNumeric(dtypes[index]!));
  const measure = numbers.find((name) => MEASURE.test(name)) ??
    numbers.find((name) => !isKey(name));
  return dtypes.map((dtype, index): ExcerptColumn => {
    const name = names[index]!;
    const cells = columnTexts({ name, dtype, beside: names }, some.getColumn(name).toArray());
    if (cut) cells.splice(head, 0, "…");
    const key = !isNumeric(dtype) && (firstNumber === -1 || index < firstNumber);
    const rank = rankOf({ name, index, numeric: isNumeric(dtype) }, measure);
    return { name, dtype, numeric: isNumeric(dtype), key, rank, cells };
  });
}

/** The columns that are shown, in their order: those of these names, or the foremost by rank, this many. */
export function chosenColumns(
  columns: readonly ExcerptColumn[],
  wanted: number | readonly string[],
): readonly ExcerptColumn[] {
  if (typeof wanted !== "number") return columns.filter(({ name }) => wanted.includes(name));
  const chosen = columns.toSorted((a, b) => a.rank - b.rank).slice(0, wanted);
  return columns.filter((column) => chosen.includes(column));
}
