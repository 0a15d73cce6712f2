import { aFlag, aText, oneOf } from "../platform/check_options.ts";
import type { DataFrame } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { type PlotChart, readyChart } from "./draw.ts";
import { countOf, formatDay, formatterFor } from "./format.ts";
import { groupNoun, measureOf } from "./measures.ts";
import { type ChartOptions, chartSettings, requireNames, type Scale, SCALES } from "./options.ts";
import { ANY_NAMES, groupsOf, numberValues } from "./rows.ts";
import { largest } from "./series.ts";
import { described, drawnNote, inSentence, lastDay } from "./words.ts";

/**
 * Options of `plotScatter`.
 *
 * @category Charts
 */
export interface PlotScatterOptions extends ChartOptions {
  /** The numeric column across. */
  readonly x: string;
  /** The numeric column up. */
  readonly y: string;
  /**
   * How both axes run, each by its own values: see `plotTimeline`.
   * @default {"auto"}
   */
  readonly scale?: Scale;
  /**
   * Whether to draw the line of least squares through the points, from the first to the last, with `r²`. It is fitted
   * to the values as the axes show them: to their logarithms on a logarithmic axis, so that on two of them it is a
   * power law, whose exponent is written. With means `x̄` and `ȳ` its slope is `b = Σ(x − x̄)(y − ȳ) / Σ(x − x̄)²`, its
   * height `ȳ + b (x − x̄)`, and `r² = b² Σ(x − x̄)² / Σ(y − ȳ)²`: the part of the variation of `y` that goes with `x`.
   * It says nothing of causes. Fewer than three points have no line.
   * @default {false}
   */
  readonly trend?: boolean;
}

const RULES = { x: aText, y: aText, scale: oneOf(SCALES), trend: aFlag };
const MOST = 1000;

/** Describes the line through the points, or why it is missing. */
function trendNote(points: readonly { readonly x: number }[]): string {
  const known = points.length > 2 && new Set(points.map(({ x }) => x)).size > 1;
  return known
    ? `Line: least squares through ${points.length} points, on the axes as they are drawn.`
    : "No line of least squares: fewer than three points with different places across.";
}

/**
 * Draws points of any frame: one number against another, named where names fit without touching each other.
 *
 * A row without both values is not drawn, and is counted in the caption. Names are set beside their points, the
 * largest first; `highlight` keeps some in color and the rest gray.
 *
 * @example
 * ```ts
 * import { blockchainComparison, plotScatter } from "@chainframe/chainframe";
 *
 * const chains = await blockchainComparison();
 * const chart = plotScatter(chains, {
 *   x: "active_users_daily_latest",
 *   y: "ecosystem_fees_30d_sum",
 *   label: "chain_name",
 * });
 * console.log(chart);
 * ```
 *
 * @throws {RangeError} when a column that is needed is missing, or an option is out of range.
 * @throws {TypeError} when a column that has to hold numbers does not.
 * @category Charts
 */
export function plotScatter(frame: DataFrame, options: PlotScatterOptions): PlotChart {
  const fn = "plotScatter";
  const settings = chartSettings(fn, options, RULES);
  const { x, y } = requireNames(fn, settings, ["x", "y"]);
  const { label, unit, limit = MOST, source = frame, trend = false, scale = "auto" } = settings;
  requireColumns(frame, {
    asker: fn,
    source: "any frame with the columns named",
    columns: label === undefined ? [] : [label],
    numbers: [x, y],
  });
  const { labels, ids } = groupsOf(frame, { names: ANY_NAMES, label, alone: "" });
  const [across, up] = [numberValues(frame, x), numberValues(frame, y)];
  const all = labels.flatMap((label, row) =>
    across[row] === null || up[row] === null
      ? []
      : [{ id: ids[row]!, label, x: across[row]!, y: up[row]! }]
  );
  const { kept: points } = largest(all, { limit, sizeOf: ({ y }) => y });
  const measures = { x: measureOf(x), y: measureOf(y, { unit }) };
  const [writeX, writeY] = (["x", "y"] as const).map((side) =>
    formatterFor(points.map((point) => point[side]), { unit: measures[side].unit, locale: "en-US" })
  );
  const texts = points.map(({ label, x, y }) => `${label} ${writeX!(x)}, ${writeY!(y)}`);
  const day = lastDay(source);
  const missing = frame.height - all.length;
  return readyChart({
    frame,
    settings,
    empty: points.length === 0,
    words: {
      title: `${measures.y.title}, against ${inSentence(measures.x.title)}`,
      subtitle: [
        countOf(points.length, label === undefined ? "point" : groupNoun(label)),
        ...day === null ? [] : [`data to ${formatDay(day, settings.locale)}`],
      ].join("; "),
      label: described("Scatter plot", texts, { noun: "point" }),
      notes: {
        interval: trend && points.length > 0 ? [trendNote(points)] : [],
        leftOut: [
          ...missing === 0 ? [] : [`Without both values: ${missing} of ${frame.height}.`],
          ...drawnNote(points.length, all.length, "highest points"),
        ],
      },
    },
    figure: (draw, look) => draw.scatterFigure({ points, ...measures, scale, trend }, look),
  });
}
