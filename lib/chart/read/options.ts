import type { DataFrame } from "../../table/polars.ts";
import { theme } from "../theme.ts";

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

/**
 * Checks an option that has a closed list of values.
 *
 * @throws {RangeError} that names the option, the value and what is allowed.
 */
export function checkChoice<T extends string>(
  asker: Asker,
  option: string,
  value: string,
  allowed: readonly T[],
): asserts value is T {
  if ((allowed as readonly string[]).includes(value)) return;
  throw new RangeError(
    `${asker.name}: ${option} must be ${
      allowed.map((name) => `"${name}"`).join(" or ")
    }: "${value}"`,
  );
}

/** What every chart can be told. */
export interface ChartOptions {
  /**
   * The title.
   * @default {made from the data}
   */
  readonly title?: string;
  /**
   * The line below the title.
   * @default {made from the data}
   */
  readonly subtitle?: string;
  /**
   * The width of the chart in pixels, 320 to 4000.
   * @default {800}
   */
  readonly width?: number;
  /**
   * The frame that knows where the data came from, when the frame you draw is one that you made from it
   * (a `filter` of yours): the caption tells its operation and date, and whether it is sample data.
   * @default {the frame that is drawn}
   */
  readonly source?: DataFrame;
}

/**
 * The width that was asked for.
 *
 * @throws {RangeError} for a width that leaves no room to draw.
 */
export function widthOf({ width = theme.width }: ChartOptions, asker: Asker): number {
  if (!(width >= 320 && width <= 4000)) {
    throw new RangeError(`${asker.name}: width must be a number from 320 to 4000: ${width}`);
  }
  return width;
}
