import { loadPackage } from "../platform/package.ts";
import { dtypeNames, isNumeric } from "../table/columns/dtypes.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import { annotationOf, responseOf } from "../table/track/provenance.ts";
import { sourceLine } from "../table/show/display.ts";
import { exactTexts } from "../table/track/frame_digest.ts";

/** A cell of the workbook. Null means an empty cell. */
type Cell =
  | {
    readonly value: string | number | boolean | Date;
    readonly type: unknown;
    readonly format?: string;
    readonly fontWeight?: "bold";
  }
  | null;

interface Sheet {
  readonly sheet: string;
  readonly data: readonly (readonly Cell[])[];
  readonly columns: readonly { readonly width: number }[];
  readonly stickyRowsCount?: number;
}

type Write = (sheets: readonly Sheet[]) => { toBlob(): Promise<Blob> };

const MOST_ROWS = 1_048_576;
const MOST_COLUMNS = 16_384;
const LONGEST_TEXT = 32_767;
/** Dates before this day are written as text, because Excel treats 1900 as a leap year. */
const FIRST_DAY = Date.UTC(1900, 2, 1);

/**
 * Characters that XML cannot contain, and underscores that Excel would read as the start of an escape such as
 * `_x0008_`.
 */
// deno-lint-ignore no-control-regex -- the pattern matches control characters on purpose
const ESCAPED = /[\x00-\x08\x0b\x0c\x0d\x0e-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g;

function textCell(text: string): Cell {
  if (text === "") return null;
  const value = text.replace(
    ESCAPED,
    (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`,
  );
  // With the cell type String, Excel does not read the text as a formula.
  return { value, type: String };
}

function dateCell(date: Date, dtype: string): Cell {
  const format = dtype === "Date" ? "yyyy-mm-dd" : "yyyy-mm-dd hh:mm:ss";
  return date.getTime() < FIRST_DAY
    ? textCell(date.toISOString().slice(0, dtype === "Date" ? 10 : undefined))
    : { value: date, type: Date, format };
}

/** Returns the cells of a column. Whole numbers that Excel cannot store exactly are text. */
function columnCells(frame: DataFrame, name: string, dtype: string): Cell[] {
  const column = frame.getColumn(name);
  const refuse = (row: number, rule: string, value: unknown): never => {
    throw new RangeError(`${name}: ${rule} in row ${row}; write CSV or Parquet: ${value}`);
  };
  if (dtype.startsWith("Date") || dtype === "Bool") {
    return (column.toArray() as (Date | boolean | null)[]).map((value) =>
      value === null
        ? null
        : value instanceof Date
        ? dateCell(value, dtype)
        : { value, type: Boolean }
    );
  }
  return exactTexts(column, dtype).map((text, row) => {
    if (text === null) return null;
    if (!isNumeric(dtype)) {
      return text.length > LONGEST_TEXT
        ? refuse(row, `Excel has no room for ${text.length} characters`, `${text.slice(0, 60)}…`)
        : textCell(text);
    }
    const value = Number(text);
    if (dtype.startsWith("Float")) {
      return Number.isFinite(value)
        ? { value, type: Number }
        : refuse(row, "Excel cannot store this number", text);
    }
    return Number.isSafeInteger(value) && /^-?\d{1,15}$/.test(text)
      ? { value, type: Number }
      : textCell(text);
  });
}

function bold(text: string): Cell {
  const cell = textCell(text);
  return cell && { ...cell, fontWeight: "bold" };
}

function widthOf(name: string, cells: readonly Cell[]): number {
  const lengths = cells.slice(0, 200).map((cell) =>
    cell?.value instanceof Date ? 19 : String(cell?.value ?? "").length
  );
  return Math.min(48, Math.max(name.length, ...lengths) + 2);
}

/** Returns a sheet with the source of the frame, because workbooks are often copied without their side-car file. */
function sourceSheet(source: DataFrame): Sheet {
  const annotation = annotationOf(source);
  const { query = {}, url } = responseOf(source) ?? {};
  const { steps = [] } = annotation?.provenance ?? {};
  const lines = [
    ["source", annotation === undefined ? "not known" : sourceLine(annotation)],
    ["query", JSON.stringify(query)],
    ["url", url ?? annotation?.provenance.url ?? ""],
    ["steps", steps.join(", ")],
  ] as const;
  const data = lines.map(([word, text]) => [bold(word), textCell(text)]);
  return { sheet: "source", data, columns: [{ width: 10 }, { width: 100 }] };
}

/**
 * Returns an Excel workbook with two sheets: `data` contains the frame, and `source` states where it comes from.
 *
 * Numbers keep every digit. Dates become Excel dates. Texts are never read as formulas. Lists and structs become JSON
 * texts. Null and empty texts become empty cells.
 *
 * @throws {RangeError} for a number that is not finite, for a frame that is too large for a sheet, and for a text that
 * is too long for a cell.
 */
export async function excelBytes(frame: DataFrame, source: DataFrame): Promise<Uint8Array> {
  if (frame.height >= MOST_ROWS || frame.width > MOST_COLUMNS) {
    const most = `${MOST_ROWS - 1} rows and ${MOST_COLUMNS} columns`;
    const shape = `${frame.height} × ${frame.width}`;
    throw new RangeError(`save: an Excel sheet holds ${most}; got ${shape}`);
  }
  const dtypes = dtypeNames(frame);
  const columns = frame.columns.map((name, index) => columnCells(frame, name, dtypes[index]!));
  const rows = Array.from(
    { length: frame.height },
    (_, row) => columns.map((cells) => cells[row]!),
  );
  const { default: write } = await loadPackage<{ default: Write }>(
    "npm:write-excel-file@4.1.1/universal",
  );
  const blob = await write([
    {
      sheet: "data",
      data: [frame.columns.map(bold), ...rows],
      columns: frame.columns.map((name, index) => ({ width: widthOf(name, columns[index]!) })),
      stickyRowsCount: 1,
    },
    sourceSheet(source),
  ]).toBlob();
  return new Uint8Array(await blob.arrayBuffer());
}
