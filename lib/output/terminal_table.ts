import { aFlag, aNumber, checkOptions } from "../host/check_options.ts";
import { aFrame } from "../table/require_columns.ts";
import { terminalText } from "../host/terminal_text.ts";
import { annotationOf } from "../table/provenance.ts";
import { sourceLine } from "../table/source_line.ts";
import { cellText, dtypeNames, placesOf, shapeText } from "../table/excerpt.ts";
import { type DataFrame, pl } from "../table/polars.ts";

/** The options of {@linkcode terminalTable}. */
export interface TerminalTableOptions {
  /**
   * How many places a line has.
   *
   * @default {80}
   */
  readonly width?: number;
  /**
   * How many rows are shown; of a longer frame the first and the last ones.
   *
   * @default {20}
   */
  readonly rows?: number;
  /**
   * Whether names are bold and nulls are faint.
   *
   * @default {false}
   */
  readonly color?: boolean;
  /**
   * The frame that it was made from, whose provenance is told.
   *
   * @default {the frame itself}
   */
  readonly from?: DataFrame;
}

const RULES = { width: aNumber(1), rows: aNumber(1), color: aFlag, from: aFrame };

interface Column {
  readonly texts: readonly string[];
  readonly width: number;
  readonly numeric: boolean;
}

const GAP = "  ";
const GAP_COLUMN: Column = { texts: [], width: 1, numeric: false };

function clipped(text: string, longest: number): string {
  if (placesOf(text) <= longest) return text;
  const characters = Array.from(text);
  while (placesOf(characters.join("")) >= longest) characters.pop();
  return `${characters.join("")}…`;
}

function columnsOf(frame: DataFrame, rows: number, width: number): Column[] {
  // The first and the last column always stand, so each takes less than half.
  const longest = Math.max(12, Math.floor(width / 2) - 4);
  const cut = frame.height > rows;
  const head = Math.ceil(rows / 2);
  const some = cut ? pl.concat([frame.head(head), frame.tail(rows - head)]) : frame;
  return dtypeNames(frame).map((dtype, index) => {
    const name = frame.columns[index]!;
    const cells = some.getColumn(name).toArray().map((value: unknown) =>
      clipped(terminalText(cellText(value)), longest)
    );
    if (cut) cells.splice(head, 0, "…");
    const texts = [clipped(terminalText(name), longest), ...cells];
    return {
      texts,
      width: Math.max(...texts.map(placesOf)),
      numeric: /^(U?Int|Float)/.test(dtype),
    };
  });
}

/** The columns that fit the width: the first ones, `…`, and the last one. */
function fitting(columns: readonly Column[], width: number): readonly Column[] {
  const sizes = columns.map((column) => column.width + GAP.length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= width + GAP.length || columns.length < 3) return columns;
  let room = width - sizes.at(-1)! - 1;
  let count = 0;
  while (count < columns.length - 1 && (room -= sizes[count]!) >= 0) count++;
  return [...columns.slice(0, Math.max(1, count)), GAP_COLUMN, columns.at(-1)!];
}

function cellOf(column: Column, line: number, color: boolean): string {
  const text = column === GAP_COLUMN ? "…" : column.texts[line]!;
  const space = " ".repeat(Math.max(0, column.width - placesOf(text)));
  const faint = text === "null" || text === "…";
  const shown = !color
    ? text
    : faint
    ? `\x1b[2m${text}\x1b[22m`
    : line === 0
    ? `\x1b[1m${text}\x1b[22m`
    : text;
  return column.numeric ? space + shown : shown + space;
}

function noteOf(frame: DataFrame, from: DataFrame, shown: number, width: number): string {
  const annotation = annotationOf(from);
  const some = shown < frame.width ? `, ${shown} of them shown` : "";
  const shape = `${shapeText(frame)}${some}`;
  if (annotation === undefined) return shape;
  const source = terminalText(
    sourceLine({ ...annotation, errors: annotation.errors.head(0) }),
  );
  return placesOf(shape) + placesOf(source) + 3 > width
    ? `${shape}\n${source}`
    : `${shape} · ${source}`;
}

/**
 * A frame as a table for a terminal: numbers grouped and rounded for reading, as many columns as fit,
 * and below it the shape and where it came from.
 *
 * @throws {RangeError} for an unknown option, or one of the wrong type.
 */
export function terminalTable(frame: DataFrame, options: TerminalTableOptions = {}): string {
  const checked = checkOptions(options, RULES, "terminalTable");
  const { width = 80, rows = 20, color = false, from = frame } = checked;
  const all = columnsOf(frame, rows, width);
  const columns = fitting(all, width);
  const lines = Array.from(
    { length: all[0]?.texts.length ?? 0 },
    (_, line) => columns.map((column) => cellOf(column, line, color)).join(GAP).trimEnd(),
  );
  const note = noteOf(frame, from, columns === all ? all.length : columns.length - 1, width);
  return [...lines, color ? `\x1b[2m${note}\x1b[22m` : note].join("\n");
}
