import { aFlag, aText, oneOf } from "../platform/check_options.ts";
import type { DataFrame } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { type Scale, SCALES } from "./comparison.ts";
import { type PlotChart, plotChart } from "./draw.ts";
import { wordsFor } from "./field_words.ts";
import { countOf, formatDay, formatValue } from "./format.ts";
import { groupWord, requireNames } from "./line.ts";
import { type ChartOptions, chartSettings, lookOf } from "./options.ts";
import { ANY_NAMES, captionOf, emptyWords, groupsOf, lastDay, numberValues } from "./values.ts";

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
   * How both axes run, each by its own values: see `plotLine`.
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

function lower(title: string): string {
  return /^[A-Z]{2}/.test(title) ? title : `${title.charAt(0).toLowerCase()}${title.slice(1)}`;
}

/** What the line through the points is, or why there is none. */
function trendWords(points: readonly { readonly x: number }[]): string {
  const known = points.length > 2 && new Set(points.map(({ x }) => x)).size > 1;
  return known
    ? `Line: least squares through ${points.length} points, on the axes as they are drawn.`
    : "No line of least squares: fewer than three points, or none beside another.";
}

/**
 * Points of any frame: one number against another, named where names fit without touching each other.
 *
 * A row without both values has no place, and is counted in the caption. Names are set beside their points, the
 * largest first; `highlight` keeps some in colour and the rest grey.
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
  const asker = "plotScatter";
  const settings = chartSettings(asker, options, RULES);
  requireNames(asker, settings, ["x", "y"]);
  const { x, y, label, unit, limit = MOST, from = frame, trend = false } = settings;
  const columns = label === undefined ? [] : [label];
  requireColumns(frame, {
    asker,
    source: "any frame with the columns named",
    columns,
    numbers: [x!, y!],
  });
  const { labels, ids } = groupsOf(frame, { names: ANY_NAMES, label, alone: "" });
  const [across, up] = [numberValues(frame, x!), numberValues(frame, y!)];
  const all = labels.flatMap((label, row) =>
    across[row] === null || up[row] === null
      ? []
      : [{ id: ids[row]!, label, x: across[row]!, y: up[row]! }]
  ).toSorted((a, b) => b.y - a.y);
  const points = all.slice(0, limit);
  const day = lastDay(from);
  const words = { x: wordsFor(x!, undefined), y: wordsFor(y!, unit) };
  const about = {
    title: settings.title ?? `${words.y.title}, against ${lower(words.x.title)}`,
    subtitle: settings.subtitle ??
      [
        countOf(points.length, label === undefined ? "point" : groupWord(label)),
        ...day === null ? [] : [`data to ${formatDay(day, settings.locale)}`],
      ].join("; "),
    label: points.length === 0
      ? emptyWords(frame)
      : `Scatter plot of ${countOf(points.length, "point")}: ${
        points.slice(0, 4).map(({ label, x, y }) =>
          `${label} ${formatValue(x, words.x.unit)}, ${formatValue(y, words.y.unit)}`
        ).join("; ")
      }.`,
    caption: captionOf(frame, settings, [
      ...frame.height > all.length
        ? [
          `Without both values, and so without a place: ${frame.height - all.length} of ${
            countOf(frame.height, "row")
          }.`,
        ]
        : [],
      ...all.length > points.length
        ? [`${all.length} points: drawn are the ${limit} highest.`]
        : [],
      ...trend && points.length > 0 ? [trendWords(points)] : [],
    ]),
  };
  const { height = 440, scale = "auto" } = settings;
  const view = { ...lookOf(about, settings), height, scale, trend, words, points };
  type Draw = typeof import("./plot/draw_scatter.ts");
  const draw = (): Promise<Draw> => import(new URL("./plot/draw_scatter.ts", import.meta.url).href);
  return plotChart({
    ...{ ...view, from },
    spec: async (width) => (await draw()).scatterFigure({ ...view, width }),
  });
}
