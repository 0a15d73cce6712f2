import "../platform/node.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import { drawnSeries } from "./series_colors.ts";
import { band, forecastLine, incompleteLine, lineOf, type LineRow } from "./drawing/line_marks.ts";
import { placeEndLabels } from "./drawing/end_labels.ts";
import { type Markish, Plot } from "./drawing/observable_plot.ts";
import { readRetention } from "./read/curves.ts";
import { pointRows } from "./read/lines.ts";

/**
 * Marks that can be combined with Observable Plot's own marks, in any `Plot.plot` of version 0.6. This module imports
 * Plot. The main module does not import Plot.
 *
 * ```ts
 * import * as Plot from "npm:@observablehq/plot@0.6.17";
 * import { pl } from "@chainframe/chainframe";
 * import { retentionLine } from "@chainframe/chainframe/marks";
 *
 * const frame = pl.DataFrame({ month: [1, 2, 3], retention: [0.5, 0.4, 0.3] });
 * console.log(typeof Plot.marks(retentionLine(frame), Plot.ruleY([0.2])));
 * ```
 *
 * @module
 */

export { incompleteLine, type LineRow };
export { colorOf, colors, setColors } from "./color_registry.ts";
export {
  DIVERGING_COLORS,
  ORDERED_COLORS,
  SEQUENTIAL_COLORS,
  SERIES_COLORS,
  SLATE,
} from "./colors.ts";
export { theme } from "./theme.ts";
export { formatCount, formatDay, formatMonth, formatterFor, formatValue } from "./format.ts";
export type { NumberUnit } from "./numbers.ts";
export { series, type SeriesRow } from "./read/lines.ts";

type RetentionMarkOptions = NonNullable<Parameters<typeof retentionLine>[1]>;

function retentionRows(frame: DataFrame, options: RetentionMarkOptions, fn: string) {
  const { label, startMonth = 1, colors } = options;
  const lines = drawnSeries(readRetention(frame, fn, label), { colors })
    .map((line) => ({ ...line, points: line.points.filter(({ x }) => x >= startMonth) }));
  return pointRows(lines, false);
}

/**
 * Draws one line for each group of a retention frame. The month is `x`, and the share of active users is `y`. Forecasts
 * are dashed. A null makes a gap.
 *
 * @throws {RangeError} when a column is missing.
 * @category Charts
 */
export function retentionLine(
  frame: DataFrame,
  options: {
    /**
     * The column that names the groups.
     * @default {the names or ids that distinguish the groups}
     */
    readonly label?: string;
    /**
     * The first month to draw.
     * @default {1}
     */
    readonly startMonth?: number;
    /**
     * Colors by id or name.
     * @default {the colors that `colorOf` returns}
     */
    readonly colors?: Readonly<Record<string, string>>;
  } = {},
): Markish {
  const rows = retentionRows(frame, options, "retentionLine");
  return Plot.marks(forecastLine(rows), incompleteLine(rows));
}

/**
 * Draws the confidence band of each group of a retention frame. Draws nothing if the frame has no bounds.
 *
 * @throws {RangeError} when a column is missing.
 * @category Charts
 */
export function retentionBand(
  frame: DataFrame,
  options: Parameters<typeof retentionLine>[1] = {},
): Markish {
  return band(retentionRows(frame, options, "retentionBand"), 0.16);
}

/**
 * Writes the name of each group beside the end of its line. Names are moved up or down so that they do not overlap. A
 * name is left out if there is no space for it. Takes the rows that `series` returns. Give the plot a `marginRight`.
 *
 * @category Charts
 */
export function endLabels(rows: readonly LineRow[]): Markish {
  const lines = Map.groupBy(rows.filter(({ y }) => y !== null), lineOf);
  const ends = [...lines.values()].map((rows) => rows.at(-1)!);
  const placed: Plot.InitializerFunction = (data, facets, channels, scales, dimensions) => {
    const values = channels.y!.value as unknown as ArrayLike<number>;
    const y = scales.y as unknown as ((value: number) => number) | undefined;
    const { marginTop, marginBottom, height } = dimensions;
    const { labels } = placeEndLabels(
      ends.map(({ label, color }, index) => (
        { label, value: "", color, x: 0, y: y === undefined ? values[index]! : y(values[index]!) }
      )),
      { top: marginTop - 8, bottom: height - marginBottom + 8, width: 1000 },
    );
    const value = ends.map((end) => labels.find(({ label }) => label === end.label)?.at ?? NaN);
    const kept = facets.map((facet) => [...facet].filter((index) => !Number.isNaN(value[index])));
    return { data, facets: kept as never, channels: { y: { value } } };
  };
  return Plot.text(
    ends,
    Plot.initializer(
      { x: "x", y: "y", text: "label", fill: "color", textAnchor: "start", dx: 8 },
      placed,
    ),
  );
}
