import type { DataFrame } from "../../table/polars.ts";
import { theme } from "../theme.ts";
import type { Asker } from "./check_columns.ts";

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
