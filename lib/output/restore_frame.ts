import type { Buffer } from "node:buffer";
import { notify, shown, terminalText } from "../platform/terminal.ts";
import { type DataFrame, pl, type Series } from "../table/columns/polars.ts";
import { binaryColumns } from "./binary_table.ts";
import { asText, columnFrom } from "./column_from_texts.ts";
import { csvTexts } from "./csv_table.ts";
import type { FrameFormat } from "./encode.ts";
import { type Findings, noFindings } from "./findings.ts";
import { jsonColumns } from "./json_table.ts";

/** Returns the columns of a file of `save`, which is read exactly. */
function cellsIn(
  bytes: Buffer,
  format: FrameFormat,
  findings: Findings,
): Map<string, readonly unknown[] | Series> {
  if (format === "csv") return csvTexts(bytes);
  return format === "json" || format === "ndjson"
    ? jsonColumns([bytes], { format, isLast: true }, findings)
    : binaryColumns(bytes, format as "parquet" | "arrow", findings);
}

/** Makes the frame of a file with the dtypes that its side-car has. */
export function restored(
  bytes: Buffer,
  format: FrameFormat,
  { columns: dtypes, rows }: {
    readonly columns: Readonly<Record<string, string>>;
    readonly rows?: number | undefined;
  },
): DataFrame {
  const listed = Object.keys(dtypes);
  if (listed.length === 0) return pl.DataFrame({});
  // polars leaves out a byte order mark. In a file of `save`, which writes none, it belongs to the first name.
  const mark = format === "csv" && bytes.toString("utf8", 0, 3) === "\ufeff" ? "\ufeff" : "";
  const findings = noFindings();
  const columns = new Map(
    [...cellsIn(bytes, format, findings)].map(([each, column], index) => [
      index === 0 ? mark + each : each,
      column,
    ]),
  );
  // A JSON text without rows has no names.
  const missing = listed.find((each) => columns.size > 0 && !columns.has(each));
  if (missing !== undefined) {
    throw new RangeError(`has no column ${shown(missing)} of its side-car`);
  }
  const more = [...columns.keys()].find((each) => !Object.hasOwn(dtypes, each));
  if (more !== undefined) {
    throw new RangeError(`has the column ${shown(more)}, which is not in its side-car`);
  }
  const frame = pl.DataFrame(listed.map((each) => {
    const column = columns.get(each) ?? [];
    const isText = ["csv", "json", "ndjson"].includes(format);
    if (!isText) return column as Series;
    return columnFrom(
      each,
      dtypes[each]!,
      Array.isArray(column) ? column.map(asText) : column as Series,
    );
  }));
  for (const change of findings.changes) notify(terminalText(`openFrame: ${change}`));
  if (rows === undefined || rows === frame.height) return frame;
  throw new RangeError(`has ${frame.height} rows, but its side-car has ${rows}`);
}
