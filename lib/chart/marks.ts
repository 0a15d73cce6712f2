import "../platform/node.ts";
import type { DataFrame } from "../table/build/polars.ts";
import { requireColumns } from "../table/read/requirements.ts";
import { drawnSeries } from "./series_colors.ts";
import { cohortRows } from "./read/cohorts.ts";
import { usersAtRisk } from "./drawing/at_risk.ts";
import { band, forecastLine, incompleteLine, lineOf, type LineRow } from "./drawing/line_marks.ts";
import { placeEndLabels } from "./drawing/end_labels.ts";
import { shareSteps, stepOf } from "./drawing/color_steps.ts";
import { type Markish, Plot } from "./drawing/observable_plot.ts";
import { formatCount, formatterFor } from "./format.ts";
import { readRetention } from "./read/curves.ts";
import { groupsOf, readRows } from "./read/rows.ts";
import { pointRows } from "./read/lines.ts";
import { theme } from "./theme.ts";

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
export {
  formatCount,
  formatDay,
  formatMonth,
  formatterFor,
  formatValue,
  type NumberUnit,
} from "./format.ts";
export { series, type SeriesRow } from "./read/lines.ts";

type RetentionMarkOptions = NonNullable<Parameters<typeof retentionLine>[1]>;

function retentionLines(frame: DataFrame, options: RetentionMarkOptions, fn: string) {
  const { label, startMonth = 1, colors } = options;
  return drawnSeries(readRetention(frame, fn, label), { colors })
    .map((line) => ({ ...line, points: line.points.filter(({ x }) => x >= startMonth) }));
}

function retentionRows(frame: DataFrame, options: RetentionMarkOptions, fn: string) {
  return pointRows(retentionLines(frame, options, fn), false);
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
 * Writes the number of users observed in each month, summed over all groups. The numbers are below the plot area. Give
 * the plot a `marginBottom` of about 60.
 *
 * @throws {RangeError} when a column is missing.
 * @category Charts
 */
export function numbersAtRisk(
  frame: DataFrame,
  options: Parameters<typeof retentionLine>[1] = {},
): Markish {
  const users = usersAtRisk(retentionLines(frame, options, "numbersAtRisk"));
  return Plot.text(users, {
    x: ([month]: [number, number]) => month,
    text: ([, users]: [number, number]) => formatCount(users),
    frameAnchor: "bottom",
    dy: 46,
    fill: theme.muted,
  });
}

/**
 * Draws the cells of a cohort triangle. The month is `x`, and the cohort is `y`. The color and the number of a cell
 * show the share of active users. Takes the result of `retentionCurves`. Cohorts of several projects are pooled,
 * weighted by size.
 *
 * @throws {RangeError} when a column is missing.
 * @category Charts
 */
export function cohortCells(frame: DataFrame): Markish {
  requireColumns(frame, {
    fn: "cohortCells",
    source: "a frame of retentionCurves",
    columns: ["cohort"],
    numbers: ["month", "retention"],
  });
  const { cohorts } = cohortRows(frame, { through: null, limit: Infinity });
  const cells = cohorts.flatMap(({ label, points }) =>
    points.flatMap(({ x, y }) => y === null ? [] : [{ month: x, cohort: label, share: y }])
  );
  const later = cells.filter(({ month }) => month > 0).map(({ share }) => share);
  const steps = shareSteps(later);
  const write = formatterFor(later, { unit: "fraction", locale: "en-US", format: WHOLE });
  const rows = cells.map((cell) => ({ ...cell, ...stepOf(steps, cell.share) }));
  return Plot.marks(
    Plot.cell(rows, { x: "month", y: "cohort", fill: "color", inset: 0.5 }),
    Plot.text(rows, {
      x: "month",
      y: "cohort",
      text: ({ share }: { share: number }) => write(share),
      fill: "ink",
    }),
  );
}

const WHOLE = { style: "percent", maximumFractionDigits: 0 } as const;

/**
 * Draws a dot for each row. If a row has both bounds, also draws a line between its bounds. A row without a value has
 * no dot.
 *
 * @throws {RangeError} when a column is missing.
 * @category Charts
 */
export function intervalDots(
  frame: DataFrame,
  { x, y, lower, upper, color }: {
    /** The numeric column of the horizontal axis. */
    readonly x: string;
    /** The column of names for the vertical axis. */
    readonly y: string;
    /** The numeric column of the lower bounds. `upper` is the column of the upper bounds. */
    readonly lower: string;
    readonly upper: string;
    /**
     * The column by which dots are colored.
     * @default {none: all dots are slate}
     */
    readonly color?: string;
  },
): Markish {
  const grouping = color === undefined ? {} : { label: color };
  const columns = Object.values(grouping);
  const read = readRows(frame, { label: y, columns, numbers: [x, lower, upper] }, "intervalDots");
  const { ids, kind } = color === undefined
    ? { ids: read.map(() => ""), kind: undefined }
    : groupsOf(frame, { by: color });
  const distinct = [...new Set(ids)];
  const series = distinct.map((id) => ({ id, label: id, kind }));
  const colors = drawnSeries(series, { slate: color === undefined }).map(({ color }) => color);
  const rows = read.map(({ label, values: [value = null, lower, upper] }, row) => (
    { label, value, lower, upper, color: colors[distinct.indexOf(ids[row]!)]! }
  ));
  const known = rows.filter(({ value }) => value !== null);
  return Plot.marks(
    Plot.ruleY(known.filter(({ lower, upper }) => lower !== null && upper !== null), {
      y: "label",
      x1: "lower",
      x2: "upper",
      stroke: "color",
      strokeWidth: 2,
      strokeOpacity: 0.55,
    }),
    Plot.dot(known, { y: "label", x: "value", fill: "color", r: 5 }),
  );
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
        { label, color, y: y === undefined ? values[index]! : y(values[index]!) }
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
