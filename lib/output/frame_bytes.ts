import { type DataFrame, pl, type Series } from "../table/polars.ts";
import { dtypeNames, isNumeric } from "../table/excerpt.ts";
import { tableLines } from "../table/text_table.ts";
import { aFlag, checkOptions, mustBeOneOf } from "../platform/check_options.ts";

function numberText(value: number): string {
  if (Object.is(value, -0)) return "-0";
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "inf" : "-inf";
}

/** JSON would make null of a number that is not finite: within a list it stands as a text. */
function finite(_: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isFinite(value) ? numberText(value) : value;
}

/**
 * The cells of a column as texts that lose nothing, null where a cell is null: numbers in their
 * shortest exact form, dates as `2025-01-31`, times as `2025-01-31T10:00:00.000`, lists and structs
 * as JSON.
 */
export function exactTexts(column: Series, dtype: string): (string | null)[] {
  const each = <Value>(text: (value: Value) => string): (string | null)[] =>
    (column.toArray() as (Value | null)[]).map((value) => value === null ? null : text(value));
  if (dtype === "String") return each((value: string) => value);
  if (dtype === "Float64") return each(numberText);
  if (/^(List|Array|Struct)/.test(dtype)) return each((value) => JSON.stringify(value, finite));
  // polars' own texts: JavaScript has no whole numbers beyond 2^53 and no nanoseconds.
  const texts = column.cast(pl.Utf8).toArray() as (string | null)[];
  return dtype === "Datetime" ? texts.map((text) => text?.replace(" ", "T") ?? null) : texts;
}

/** A text as a quoted CSV cell (RFC 4180). */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/**
 * How a frame becomes CSV.
 *
 * @category Output
 */
export interface CsvOptions {
  /**
   * Guards texts that a spreadsheet would run as a formula (those that begin with `=`, `+`, `-`, `@`,
   * a tab or a line break) with an apostrophe in front. Numbers stay as they are.
   *
   * @default {false}
   */
  readonly excelSafe?: boolean;
}

const BREAKS = /[",\r\n]/;
const FORMULA = /^[=+\-@\t\r\n]/;
/** What a reader could take for no text: an empty cell, a number, a date, a truth value, a missing one. */
const NO_TEXT =
  /^$|^\s|\s$|^[+-]?[.\d]|^[+-]?(nan|inf|infinity)$|^(true|false|null|none|na|n\/a)$/i;

function textCell(text: string, excelSafe: boolean): string {
  const guarded = excelSafe && FORMULA.test(text) ? `'${text}` : text;
  return BREAKS.test(guarded) || NO_TEXT.test(guarded) ? quoted(guarded) : guarded;
}

/**
 * A frame as CSV: UTF-8, a comma between cells, `\n` after each line, a line of column names first.
 *
 * null is an empty cell and an empty text is `""`. Numbers stand in their shortest exact form. Texts
 * that look like a number, a date or a missing value stand in quotes. Lists and structs are JSON.
 */
export function csvText(frame: DataFrame, options: CsvOptions = {}): string {
  const { excelSafe = false } = options;
  const names = frame.columns.map((name) => textCell(name, excelSafe));
  // A lone empty cell would be an empty line, which readers skip.
  const missing = frame.width === 1 ? '""' : "";
  const columns = dtypeNames(frame).map((dtype, index) => {
    const isText = /^(String|Categorical|List|Array|Struct)/.test(dtype);
    return exactTexts(frame.getColumn(frame.columns[index]!), dtype).map((text) =>
      text === null ? missing : isText ? textCell(text, excelSafe) : text
    );
  });
  const rows = Array.from(
    { length: frame.height },
    (_, row) => columns.map((column) => column[row]).join(","),
  );
  return [names.join(","), ...rows, ""].join("\n");
}

function jsonCell(text: string, dtype: string, refuse: () => never): string {
  if (/^(U?Int|List|Array|Struct|Bool)/.test(dtype)) return text;
  if (!dtype.startsWith("Float")) return JSON.stringify(text);
  return /^-?(inf|NaN)$/.test(text) ? refuse() : text;
}

function jsonRows(frame: DataFrame): string[] {
  const columns = dtypeNames(frame).map((dtype, index) => {
    const name = frame.columns[index]!;
    const key = JSON.stringify(name);
    return exactTexts(frame.getColumn(name), dtype).map((text, row) => {
      const refuse = () => {
        throw new RangeError(
          `${name}: JSON has no number for what stands in row ${row}; write CSV, Parquet or Arrow: ${text}`,
        );
      };
      return `${key}:${text === null ? "null" : jsonCell(text, dtype, refuse)}`;
    });
  });
  return Array.from(
    { length: frame.height },
    (_, row) => `{${columns.map((column) => column[row]).join(",")}}`,
  );
}

/** A frame as JSON: one list of objects, an object to a line, every column in each. */
export function jsonText(frame: DataFrame): string {
  const rows = jsonRows(frame);
  return rows.length === 0 ? "[]\n" : `[\n${rows.join(",\n")}\n]\n`;
}

/** A frame as NDJSON: an object on each line, every column in each. */
export function ndjsonText(frame: DataFrame): string {
  return jsonRows(frame).map((row) => `${row}\n`).join("");
}

function escaped(text: string): string {
  return text.replace(
    /[\\|*`[\]<>]|(?<!\w)_|_(?!\w)/g,
    (character) => character === "<" ? "&lt;" : character === ">" ? "&gt;" : `\\${character}`,
  ).replace(
    /\r\n|\r|\n/g,
    "<br>",
  );
}

const MARKDOWN = { begin: "| ", gap: " | ", end: " |", padded: false };

/** A frame as a Markdown table: numbers exact and to the right, null as `null`. */
export function markdownText(frame: DataFrame): string {
  const columns = dtypeNames(frame).map((dtype, index) => {
    const name = frame.columns[index]!;
    const cells = exactTexts(frame.getColumn(name), dtype).map((text) => escaped(text ?? "null"));
    const right = isNumeric(dtype);
    return { head: [escaped(name), right ? "---:" : "---"], cells, right };
  });
  return tableLines(columns, MARKDOWN).map((line) => `${line}\n`).join("");
}

/**
 * The forms that a frame can be written in.
 *
 * @category Output
 */
export const FRAME_FORMATS = ["csv", "ndjson", "json", "parquet", "arrow", "markdown"] as const;

/**
 * A form that a frame can be written in.
 *
 * @category Output
 */
export type FrameFormat = typeof FRAME_FORMATS[number];

/** The endings of file names, and the forms that they stand for. */
const ENDINGS: ReadonlyMap<string, FrameFormat> = new Map([
  ["csv", "csv"],
  ["ndjson", "ndjson"],
  ["jsonl", "ndjson"],
  ["json", "json"],
  ["parquet", "parquet"],
  ["arrow", "arrow"],
  ["ipc", "arrow"],
  ["feather", "arrow"],
  ["md", "markdown"],
]);

/** The form that the ending of a path names; undefined when it names none. */
export function formatOf(path: string): FrameFormat | undefined {
  const ending = /\.([^./\\]+)$/.exec(path)?.[1];
  return ending === undefined ? undefined : ENDINGS.get(ending.toLowerCase());
}

/**
 * The endings of file names that name a form: `.csv`, `.parquet` …
 *
 * @category Output
 */
export const FRAME_ENDINGS: readonly string[] = [...ENDINGS.keys()].map((ending) => `.${ending}`);

const TEXTS = { csv: csvText, ndjson: ndjsonText, json: jsonText, markdown: markdownText };

/**
 * A frame as the bytes of a file: `csv`, `ndjson`, `json` and `markdown` are UTF-8 texts; `parquet`
 * (zstd) and `arrow` (the Arrow IPC file format, not compressed) keep every dtype.
 *
 * In CSV, null is an empty cell and an empty text is `""`; numbers stand in their shortest exact form;
 * lists and structs are JSON texts.
 *
 * @throws {RangeError} for a number that is not finite, in `json` and `ndjson`, which know no such; for
 * another format, or an unknown option.
 * @category Output
 */
export function frameBytes(
  frame: DataFrame,
  format: FrameFormat,
  options: CsvOptions = {},
): Uint8Array {
  const checked = checkOptions(options, { excelSafe: aFlag }, "frameBytes");
  if (!FRAME_FORMATS.includes(format)) {
    throw new RangeError(`frameBytes: format: ${mustBeOneOf(FRAME_FORMATS, format)}: ${format}`);
  }
  if (format === "parquet") return frame.writeParquet({ compression: "zstd" });
  if (format === "arrow") return frame.writeIPC({ compression: "uncompressed" });
  return new TextEncoder().encode(TEXTS[format](frame, checked));
}
