import { terminalText } from "../host/terminal_text.ts";
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

const LONGEST = 60;

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });
const significant = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 4 });

function numberText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return value.toExponential(3);
  return size >= 1_000 || Number.isInteger(value)
    ? grouped.format(value)
    : significant.format(value);
}

function shortened(text: string): string {
  const line = terminalText(text.replace(/\s+/gu, " "));
  return line.length > LONGEST ? `${Array.from(line).slice(0, LONGEST - 1).join("")}…` : line;
}

/** The text of a cell for reading: numbers grouped and rounded, long texts cut, null as `null`. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "number") return numberText(value);
  if (typeof value === "string") return shortened(value);
  if (value instanceof Date) return value.toISOString().replace("T00:00:00.000Z", "");
  if (typeof value === "object") return shortened(JSON.stringify(value));
  return String(value);
}

function isWide(character: string): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/u
    .test(character);
}

/** Counts characters as a terminal shows them: wide ones take two places. */
export function placesOf(text: string): number {
  return Array.from(text).reduce(
    (sum, character) => sum + (/\p{Mark}/u.test(character) ? 0 : isWide(character) ? 2 : 1),
    0,
  );
}

function counted(count: number, one: string): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : `${one}s`}`;
}

/** The shape of a frame in words: `12 rows × 97 columns`. */
export function shapeText(shape: { readonly height: number; readonly width: number }): string {
  return `${counted(shape.height, "row")} × ${counted(shape.width, "column")}`;
}

const END = 5;

/** A column of an excerpt. */
export interface ExcerptColumn {
  readonly name: string;
  readonly dtype: string;
  /** Whether the cells are numbers, which stand to the right. */
  readonly numeric: boolean;
  /** The texts of the first and the last rows; `…` for those between. */
  readonly cells: readonly string[];
}

/** The first and the last rows of a frame, all of a short one, as texts. */
export interface Excerpt {
  readonly height: number;
  readonly width: number;
  readonly columns: readonly ExcerptColumn[];
}

/** Takes the excerpt of a frame that its display shows. */
export function excerptOf(frame: DataFrame): Excerpt {
  const { height, width } = frame;
  const cut = height > 2 * END;
  const rows = cut ? pl.concat([frame.head(END), frame.tail(END)]) : frame;
  const columns = dtypeNames(frame).map((dtype, index): ExcerptColumn => {
    const name = frame.columns[index]!;
    const cells = rows.getColumn(name).toArray().map(cellText);
    if (cut) cells.splice(END, 0, "…");
    return { name: terminalText(name), dtype, numeric: /^(U?Int|Float)/.test(dtype), cells };
  });
  return { height, width, columns };
}
