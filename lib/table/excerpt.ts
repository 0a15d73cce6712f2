import { columnTexts, grouped, isNumeric } from "./format_column.ts";
import { type DataFrame, pl } from "./polars.ts";

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

const KEY =
  /^(name|symbol|account_title|cohort|date|month|measure|statistic|window|aggregation)$|_id$/;
const MEASURE = /^(retention|predicted|value|value_number|net_flows|share|hhi)$/;

/** The measure and the first column stand in any case; then what names a row, then numbers, then other texts. */
function rankOf(
  { name, index, numeric }: { name: string; index: number; numeric: boolean },
  measure: string | undefined,
): number {
  if (name === measure) return 0;
  if (index === 0) return 1;
  if (KEY.test(name) && name !== "market_sector_id") return 2;
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
    numbers.find((name) => !KEY.test(name));
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
