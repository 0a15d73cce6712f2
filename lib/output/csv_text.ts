import { dtypeNames } from "../table/dtype_name.ts";
import type { DataFrame } from "../table/polars.ts";
import { exactTexts } from "./exact_texts.ts";
import { quoted } from "./quoted.ts";

/** How a frame becomes CSV. */
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
