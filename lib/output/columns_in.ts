import type { Buffer } from "node:buffer";
import type { Series } from "../table/columns/polars.ts";
import { binaryColumns } from "./binary_table.ts";
import { type CsvShape, foreignCsv } from "./csv_table.ts";
import type { FrameFormat } from "./encode.ts";
import type { Findings } from "./findings.ts";
import { jsonColumns, type JsonPlace } from "./json_table.ts";

/** Where the rows are in JSON, and how CSV is written. */
export interface TablePlace extends JsonPlace, CsvShape {
  /** Whether all pages of JSON are there. */
  readonly isLast: boolean;
  /** Whether the text is a file, which has no further pages. */
  readonly isFile?: boolean;
}

/** Columns by name. Cells of JSON are any values, and columns of CSV texts of polars. */
type Columns = Map<string, readonly unknown[] | Series>;

function refuseOthers(format: FrameFormat, place: TablePlace): void {
  const { rows, keys, names, separator, header, footer, encoding } = place;
  const isJson = format === "json" || format === "ndjson";
  if (!isJson && (rows ?? keys ?? names) !== undefined) {
    throw new RangeError(`rows, keys and names: are for JSON; got ${format}`);
  }
  if (format !== "csv" && (separator ?? header ?? footer ?? encoding) !== undefined) {
    throw new RangeError(`separator, header, footer and encoding: are for CSV; got ${format}`);
  }
}

/** Returns the columns of a table of another source. Only JSON can have several pages. */
export function columnsIn(
  pages: readonly [Buffer, ...Buffer[]],
  format: Exclude<FrameFormat, "xlsx" | "markdown">,
  { place, findings }: { readonly place: TablePlace; readonly findings: Findings },
): Columns {
  refuseOthers(format, place);
  if (format === "json" || format === "ndjson") {
    return jsonColumns(pages, { ...place, format }, findings);
  }
  return format === "csv"
    ? foreignCsv(pages[0], place, findings)
    : binaryColumns(pages[0], format, findings);
}
