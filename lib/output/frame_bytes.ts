import { aFlag, checkOptions, mustBeOneOf } from "../host/check_options.ts";
import type { DataFrame } from "../table/polars.ts";
import { type CsvOptions, csvText, jsonText, markdownText, ndjsonText } from "./text_formats.ts";

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
