import { checkOptions, object, oneOf } from "../platform/check_options.ts";
import { aLocale, numberFormat } from "../platform/locale.ts";
import { displayedAs } from "../platform/jupyter.ts";
import { shown, terminalText } from "../platform/terminal.ts";
import { cellText, excerptOf } from "../table/show/excerpt.ts";
import { columnIn } from "../table/track/descriptions.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import { noteOutput } from "../table/track/own_data.ts";
import { requireColumns } from "../table/read/requirements.ts";

/**
 * A value of a frame for a text, made by {@linkcode cell}. As a string, it is the formatted value.
 *
 * @category Output
 */
export interface Cell {
  /** The formatted value. */
  readonly text: string;
  /** The exact value. */
  readonly value: number | string | boolean | Date | bigint;
  /** The column. */
  readonly field: string;
  /** The values that identify the row. */
  readonly keys: Readonly<Record<string, unknown>>;
  /** The frame. */
  readonly frame: DataFrame;
  /** The language of the text. Undefined if none was asked for. */
  readonly locale?: string | undefined;
  /** Returns the formatted value. Control characters are replaced. */
  toString(): string;
}

export function isCell(value: unknown): value is Cell {
  return typeof value === "object" && value !== null && "frame" in value && "keys" in value;
}

const AS = ["number", "points"] as const;
const RULES = { row: object, as: oneOf(AS), locale: aLocale };

function plain(value: unknown): unknown {
  return value instanceof Date ? value.toISOString().slice(0, 10) : value;
}

function plainNumber(value: number, locale?: string): string {
  if (locale === undefined) return String(Number(value.toPrecision(6)));
  return numberFormat(locale, { maximumSignificantDigits: 6, useGrouping: false }).format(value);
}

function pointsText(points: number, locale?: string): string {
  if (locale === undefined) return points.toFixed(1);
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return numberFormat(locale, digits).format(points);
}

/**
 * Returns the index of the row in which all keys have the given values. Of several rows of a study, this is its first
 * row `overall`.
 */
function rowOf(
  frame: DataFrame,
  { field, row }: { readonly field: string; readonly row: Readonly<Record<string, unknown>> },
): number {
  requireColumns(frame, { fn: "cell", source: "a frame", columns: Object.keys(row) });
  const columns = Object.entries(row).map(([name, value]) =>
    [frame.getColumn(name).toArray() as unknown[], plain(value)] as const
  );
  const rows = Array.from({ length: frame.height }, (_, at) => at)
    .filter((at) => columns.every(([values, value]) => plain(values[at]) === value));
  if (rows.length === 1) return rows[0]!;
  if (frame.columns.includes("row") && !Object.hasOwn(row, "row")) {
    const kinds = frame.getColumn("row").toArray();
    const overall = rows.filter((at) => kinds[at] === "overall");
    // That of the treated entity is before those of its placebos. A trend has one for each group.
    const hasOrder = overall.length === 1 || frame.columns.includes("role");
    const [cited] = hasOrder ? overall : [];
    if (cited !== undefined) return cited;
  }
  const values = frame.getColumn(field).toArray().map(plain);
  const [first] = rows;
  if (first !== undefined && rows.every((at) => Object.is(values[at], values[first]))) return first;
  const hint = "filter the frame, or pass the keys of a row as row";
  throw new RangeError(`cell: needs one row; got ${rows.length} for row ${shown(row)}; ${hint}`);
}

/**
 * Returns a value of a frame for a text of {@linkcode md}, with its origin. Reports list all such values in a table.
 *
 * The value is formatted as in tables: fractions as `13.4%`, US dollars as `US$1,200`, other numbers without a unit.
 *
 * @example
 * ```ts
 * import { blockchainComparison, cell, md } from "@chainframe/chainframe";
 *
 * const chains = await blockchainComparison();
 * const fees = cell(chains, "ecosystem_fees_30d_sum", { row: { chain_id: "alder" } });
 * console.log(`${md`Users of Alder paid ${fees}.`}`);
 * ```
 *
 * @param frame a frame with one row or one value of the field, or with `row` any frame. Of a study, such as `counterfactual` or `eventStudy`, the
 * first row `overall` is taken; of a trend of several groups, `row` must name one.
 * @param field the column
 * @throws {RangeError} when the frame has no such column, not exactly one such row, or null in the cell.
 * @category Output
 */
export function cell(frame: DataFrame, field: string, options: {
  /**
   * The values that identify the row, by column: `{ chain_id: "alder" }`.
   *
   * @default {none: the frame has one row, or one value of the field}
   */
  readonly row?: Readonly<Record<string, string | number | boolean | Date | null>>;
  /**
   * `"points"` writes a fraction as percentage points, and `"number"` writes the plain number.
   *
   * @default {by the unit of the column}
   */
  readonly as?: "number" | "points";
  /**
   * The language of numbers and dates, as a locale of `Intl`: `"de"` gives `4.693.920 $`.
   *
   * @default {numbers such as US$4,693,920 and dates such as 2026-01-31}
   */
  readonly locale?: string;
} = {}): Cell {
  const { row = {}, as, locale } = checkOptions(options, RULES, "cell") as typeof options;
  requireColumns(frame, { fn: "cell", source: "a frame", columns: [field] });
  const at = rowOf(frame, { field, row });
  const one = frame.slice(at, 1);
  // `get` of a series fails for dates.
  const valueOf = (name: string): unknown => one.getColumn(name).toArray()[0];
  const value = valueOf(field) as Cell["value"] | null;
  if (value === null || (as !== undefined && typeof value !== "number")) {
    throw new RangeError(
      `cell: ${field}: must be a ${as ? "number" : "value"}; got ${shown(value)}`,
    );
  }
  noteOutput(frame);
  const [shownColumn] = excerptOf(one, { columns: [field], locale }).columns;
  const formatted = typeof value === "string"
    ? value.replace(/\s+/gu, " ")
    : cellText(shownColumn!.cells[0]!, shownColumn!.unit, locale);
  const text = as === undefined
    ? formatted
    : as === "number"
    ? plainNumber(Number(value), locale)
    : `${pointsText(100 * Number(value), locale)} points`;
  const roles = frame.columns.filter((name) =>
    ["id", "time"].includes(columnIn(frame, name)?.role ?? (/_id$|^date$/.test(name) ? "id" : ""))
  );
  const names = [...new Set([...Object.keys(row), ...roles])].filter((name) => name !== field);
  const keys = Object.fromEntries(
    names.map((name) => [name, plain(valueOf(name))])
      .filter(([, each]) => each !== null),
  );
  const plainText = () => terminalText(text);
  const made = { text, value, field, keys, frame, locale, toString: plainText };
  return displayedAs(made, plainText, () => ({}));
}
