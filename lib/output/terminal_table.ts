import { sourceLine } from "../table/show/display.ts";
import { excerptOf } from "../table/show/excerpt.ts";
import { columnIn } from "../table/track/descriptions.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import { annotationOf } from "../table/track/provenance.ts";
import { textTable } from "../table/show/text_table.ts";

/**
 * Returns a frame as a table for a terminal of a given width. Numbers are rounded. The table has as many columns as
 * fit, always including the column of the main result, such as `retention`. The shape and the source are below the
 * table.
 */
export function terminalTable(
  frame: DataFrame,
  { width = 80, rows = 20, source = frame }: {
    readonly width?: number;
    readonly rows?: number;
    /** The frame from which `frame` was made. Its provenance is printed. */
    readonly source?: DataFrame;
  } = {},
): string {
  const annotation = annotationOf(source);
  // Leaves entity errors out of the note, because scripts print them separately.
  const note = annotation === undefined || annotation.provenance.kind === "unknown"
    ? null
    : sourceLine({ ...annotation, errors: annotation.errors.head(0) });
  return textTable(excerptOf(frame, { rows }), { width, note });
}

/**
 * Returns columns of a frame with all cells as the texts that a terminal shows, and with their descriptions. Numbers are
 * rounded.
 */
export function shownColumns(frame: DataFrame, columns: readonly string[] = frame.columns) {
  return excerptOf(frame, { rows: frame.height, columns }).columns.map(({ name, cells }) => {
    const { unit = null, meaning = "", from = null } = columnIn(frame, name) ?? {};
    return { name, cells, unit, meaning, from };
  });
}
