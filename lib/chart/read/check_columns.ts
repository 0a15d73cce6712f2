import type { DataFrame } from "../../table/polars.ts";

/** Who asks for columns: the name of the chart function, and which frame it wants. */
export interface Asker {
  readonly name: string;
  /** Ends the message: `pass what retentionCurves gives`. */
  readonly hint: string;
}

/**
 * Checks that a frame has the columns a chart needs.
 *
 * @throws {RangeError} that names the missing columns and those that are there.
 */
export function checkColumns(frame: DataFrame, columns: readonly string[], asker: Asker): void {
  const missing = columns.filter((column) => !frame.columns.includes(column));
  if (missing.length === 0) return;
  const there = frame.columns.length > 20
    ? `${frame.columns.slice(0, 20).join(", ")}, … (${frame.columns.length} columns)`
    : frame.columns.join(", ");
  throw new RangeError(
    `${asker.name}: the frame has no column ${missing.join(", ")}; ${asker.hint}. It has: ${
      there || "no columns"
    }`,
  );
}
