import { utf8 } from "../table/columns/cell_values.ts";
import { type DataFrame, pl } from "../table/columns/polars.ts";
import { exactTexts } from "../table/track/frame_digest.ts";
import { excerptOf } from "../table/show/excerpt.ts";
import { columnHead } from "./column_head.ts";
import { dtypeNames, isNested } from "../table/columns/dtypes.ts";

/** The file formats of frames, except Excel workbooks, which excel.ts writes. */
export const FRAME_FORMATS = ["csv", "ndjson", "json", "parquet", "arrow", "markdown"] as const;

/** A format of a file that contains a frame. */
export type FrameFormat = typeof FRAME_FORMATS[number] | "xlsx";

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
  ["xlsx", "xlsx"],
]);

/** The known file endings, such as `.csv` and `.parquet`. */
export const FRAME_ENDINGS: readonly string[] = [...ENDINGS.keys()].map((ending) => `.${ending}`);

/** Returns the format that the ending of a path determines. Returns undefined for an unknown ending. */
export function formatOf(path: string): FrameFormat | undefined {
  const ending = /\.([^./\\]+)$/.exec(path)?.[1];
  return ending === undefined ? undefined : ENDINGS.get(ending.toLowerCase());
}

/**
 * Checks that all numbers of a frame are finite, because polars would write NaN and Infinity as null in text formats.
 *
 * @throws {RangeError} for the first number that is not finite. The message names its column and row.
 */
function requireFinite(frame: DataFrame, format: string): void {
  const names = frame.columns;
  const infinite = rowsWhere(frame, (value) => value.isFinite().not());
  for (const [index, dtype] of dtypeNames(frame).entries()) {
    const name = names[index]!;
    if (!isNested(dtype) && (infinite.get(index) ?? 0) === 0) continue;
    const isWrong = (each: unknown) => typeof each === "number" && !Number.isFinite(each);
    frame.getColumn(name).toArray().forEach((value: unknown, row) => {
      if (!isWrong(value) && !(Array.isArray(value) && value.some(isWrong))) return;
      const found = [value].flat().find(isWrong);
      throw new RangeError(
        `${name}: ${format} cannot store NaN or Infinity; write Parquet or Arrow; got ${found} in row ${row}`,
      );
    });
  }
}

/** Returns in how many rows a condition holds, by the index of each column of Float32 or Float64. */
function rowsWhere(
  frame: DataFrame,
  condition: (value: ReturnType<typeof pl.col>) => ReturnType<typeof pl.col>,
): ReadonlyMap<number, number> {
  const floats = [...dtypeNames(frame).entries()].filter(([, dtype]) => dtype.startsWith("Float"));
  if (floats.length === 0 || frame.height === 0) return new Map();
  // polars would read some names as patterns.
  const named = pl.DataFrame(floats.map(([index]) => frame.toSeries(index).rename(`c${index}`)));
  const counts = floats.map(([index]) => condition(pl.col(`c${index}`)).cast(pl.UInt32).sum());
  const [row] = named.select(...counts).toRecords() as Record<string, number | null>[];
  return new Map(floats.map(([index]) => [index, row![`c${index}`] ?? 0]));
}

/** Returns the columns of whole numbers, which CSV has without `.0`. */
function wholeNumbers(frame: DataFrame): string[] {
  const others = rowsWhere(frame, (value) => {
    const isNegativeZero = value.eq(0).and(pl.lit(1).div(value).lt(0));
    return value.floor().neq(value).or(value.abs().gt(Number.MAX_SAFE_INTEGER)).or(isNegativeZero);
  });
  const { columns } = frame;
  if (frame.height === 0) {
    return columns.filter((_, index) => dtypeNames(frame)[index]!.startsWith("Float"));
  }
  return [...others].filter(([, count]) => count === 0).map(([index]) => columns[index]!);
}

/**
 * Writes a frame as CSV. Null is an empty cell, and an empty text is `""`. Numbers are written in their shortest exact
 * form. Lists and structs are written as JSON.
 */
function csv(frame: DataFrame): Uint8Array {
  const dtypes = dtypeNames(frame);
  const nested = frame.columns.filter((_, index) => isNested(dtypes[index]!));
  const texts = nested.map((name) => utf8(name, exactTexts(frame.getColumn(name), "List")));
  const flat = texts.length === 0 ? frame : frame.withColumns(...texts);
  const whole = wholeNumbers(flat);
  const counts = whole.length === 0
    ? flat
    : flat.withColumns(...whole.map((name) => pl.col(name).cast(pl.Int64)));
  if (frame.width !== 1) return counts.writeCSV();
  // In a frame with one column, null would be an empty line, which CSV readers skip. So null is written as `""`.
  return counts.select(pl.col(counts.columns[0]!).cast(pl.Utf8).fillNull(pl.lit(""))).writeCSV();
}

function json(frame: DataFrame, format: "json" | "lines"): Uint8Array {
  const dtypes = dtypeNames(frame);
  const times = frame.columns.filter((_, index) => dtypes[index] === "Datetime").map((name) =>
    pl.col(name).cast(pl.Utf8).str.replace(" ", "T")
  );
  return (times.length === 0 ? frame : frame.withColumns(...times)).writeJSON({ format });
}

function escaped(text: string): string {
  return text.replace(
    /[\\|*`[\]<>]|(?<!\w)_|_(?!\w)/g,
    (character) => character === "<" ? "&lt;" : character === ">" ? "&gt;" : `\\${character}`,
  ).replace(/\r\n|\r|\n/g, "<br>");
}

/** Writes a frame as a Markdown table, with the cells that a terminal shows. The cell of null is empty. */
function markdown(frame: DataFrame): Uint8Array {
  const { columns } = excerptOf(frame, { rows: frame.height, columns: frame.columns });
  const blocks = columns.map((column) => {
    const { name, cells, numeric } = column;
    const values = frame.getColumn(name).toArray();
    const texts = cells.map((text, row) => (values[row] ?? null) === null ? "" : escaped(text));
    return [escaped(columnHead(frame, column)), numeric ? "---:" : "---", ...texts];
  });
  const lines = Array.from(
    blocks[0] ?? [],
    (_, line) => `| ${blocks.map((block) => block[line]).join(" | ")} |\n`,
  );
  return new TextEncoder().encode(lines.join(""));
}

/**
 * Returns a frame as the bytes of a file. Parquet (zstd) and Arrow (IPC file format) keep every dtype. The other
 * formats are UTF-8 text.
 *
 * @throws {RangeError} for NaN and Infinity in CSV, JSON and NDJSON.
 */
export function frameBytes(
  frame: DataFrame,
  format: typeof FRAME_FORMATS[number],
): Uint8Array {
  if (format === "parquet") return frame.writeParquet({ compression: "zstd" });
  if (format === "arrow") return frame.writeIPC({ compression: "uncompressed" });
  if (format === "markdown") return markdown(frame);
  requireFinite(frame, format === "csv" ? "CSV" : "JSON");
  if (format === "csv") return csv(frame);
  return json(frame, format === "json" ? "json" : "lines");
}
