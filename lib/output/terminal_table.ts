import { boolean, checkOptions, number } from "../platform/check_options.ts";
import { chosenColumns, excerptOf } from "../table/excerpt.ts";
import type { DataFrame } from "../table/polars.ts";
import { annotationOf } from "../table/provenance.ts";
import { aFrame } from "../table/require_columns.ts";
import { sourceLine } from "../table/display.ts";
import { textTable } from "../table/text_table.ts";

/**
 * The options of {@linkcode terminalTable}.
 *
 * @category Output
 */
interface TerminalTableOptions {
  /**
   * Width of a line in columns.
   *
   * @default {80}
   */
  readonly width?: number;
  /**
   * Maximum number of rows; of a longer frame the first and the last ones.
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
   * The frame from which it was made, whose provenance is printed.
   *
   * @default {the frame itself}
   */
  readonly source?: DataFrame;
}

const RULES = { width: number(1), rows: number(1), color: boolean, source: aFrame };

/**
 * A frame as a table for a terminal: rounded numbers, as many columns as fit, including the measure, and below it the
 * shape and the source.
 *
 * @throws {RangeError} for an unknown option, or a value of the wrong type.
 * @category Output
 */
export function terminalTable(frame: DataFrame, options: TerminalTableOptions = {}): string {
  const { width = 80, rows = 20, color = false, source = frame } = checkOptions(
    options,
    RULES,
    "terminalTable",
  );
  const annotation = annotationOf(source);
  // Scripts print entity errors separately.
  const note = annotation === undefined
    ? null
    : sourceLine({ ...annotation, errors: annotation.errors.head(0) });
  return textTable(frame, chosenColumns(excerptOf(frame, rows), Infinity), {
    width,
    dtypes: false,
    color,
    note,
  });
}
