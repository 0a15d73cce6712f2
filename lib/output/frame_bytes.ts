import type { DataFrame } from "../table/polars.ts";
import { type CsvOptions, csvText } from "./csv_text.ts";
import type { FrameFormat } from "./frame_format.ts";
import { jsonText, ndjsonText } from "./json_text.ts";
import { markdownText } from "./markdown_text.ts";

const TEXTS = { csv: csvText, ndjson: ndjsonText, json: jsonText, markdown: markdownText };

/**
 * A frame as the bytes of a file: `csv`, `ndjson`, `json` and `markdown` are UTF-8 texts; `parquet`
 * (zstd) and `arrow` (the Arrow IPC file format, not compressed) keep every dtype.
 *
 * In CSV, null is an empty cell and an empty text is `""`; numbers stand in their shortest exact form;
 * lists and structs are JSON texts.
 *
 * @throws {RangeError} for a number that is not finite, in `json` and `ndjson`, which know no such.
 */
export function frameBytes(
  frame: DataFrame,
  format: FrameFormat,
  options: CsvOptions = {},
): Uint8Array {
  if (format === "parquet") return frame.writeParquet({ compression: "zstd" });
  if (format === "arrow") return frame.writeIPC({ compression: "uncompressed" });
  return new TextEncoder().encode(TEXTS[format](frame, options));
}
