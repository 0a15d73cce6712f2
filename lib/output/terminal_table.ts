import { sourceLine } from "../table/display.ts";
import { excerptOf } from "../table/excerpt.ts";
import type { DataFrame } from "../table/polars.ts";
import { annotationOf } from "../table/provenance.ts";
import { textTable } from "../table/text_table.ts";

/**
 * A frame as a table for a terminal of a width: rounded numbers, as many columns as fit, including the measure, and
 * below it the shape and the source.
 */
export function terminalTable(
  frame: DataFrame,
  { width = 80, rows = 20, color = false, source = frame }: {
    readonly width?: number;
    readonly rows?: number;
    readonly color?: boolean;
    /** The frame from which it was made, whose provenance is printed. */
    readonly source?: DataFrame;
  } = {},
): string {
  const annotation = annotationOf(source);
  // Scripts print entity errors separately.
  const note = annotation === undefined
    ? null
    : sourceLine({ ...annotation, errors: annotation.errors.head(0) });
  return textTable(excerptOf(frame, { rows }), { width, dtypes: false, color, note });
}
