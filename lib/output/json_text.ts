import { dtypeNames } from "../table/dtype_name.ts";
import type { DataFrame } from "../table/polars.ts";
import { exactTexts } from "./exact_texts.ts";

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
