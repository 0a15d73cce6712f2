import { aNumber, aText, oneOf, type Rule } from "../host/check_options.ts";
import type { DataFrame } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { type Scale, SCALES } from "./comparison.ts";
import { type PlotChart, plotChart } from "./draw.ts";
import { wordsFor } from "./field_words.ts";
import { countOf, formatDay, formatValue } from "./format.ts";
import { groupWord, requireNames } from "./line.ts";
import { type ChartOptions, chartSettings, lookOf, type Settings } from "./options.ts";
import { captionOf, emptyWords, groupsOf, lastDay, numberValues } from "./values.ts";

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
}

/**
 * Options of `plotDots`.
 *
 * @category Charts
 */
export interface PlotDotsOptions extends ChartOptions {
  /** The numeric column. */
  readonly value: string;
  /**
   * The column of the lower bounds.
   * @default {none}
   */
  readonly lower?: string;
  /**
   * The column of the upper bounds.
   * @default {none}
   */
  readonly upper?: string;
  /**
   * How sure the bounds are: 0.95 for 95 %.
   * @default {what the column `confidence` of the frame says, where it says one thing}
   */
  readonly confidence?: number;
  /**
   * A value to compare with, as a line across all rows: that of all groups together, for example.
   * @default {none}
   */
  readonly reference?: number;
}

const aFinite: Rule<number> = (value, refuse) =>
  Number.isFinite(value) ? value as number : refuse("must be a finite number");

const SCATTER = { x: aText, y: aText, scale: oneOf(SCALES) };
const DOTS = {
  value: aText,
  lower: aText,
  upper: aText,
  confidence: aNumber(0, 1),
  reference: aFinite,
};
const NAMES = [
  ...["chain_name", "project_name", "market_sector_name", "chain_id", "project_id"],
  ...["market_sector_id", "product_id", "data_id", "cohort"],
];
const MOST_POINTS = 1000;
const MOST_ROWS = 40;
const SOURCE = "any frame with the columns named";

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
  const settings = chartSettings(asker, options, SCATTER);
  requireNames(asker, settings, ["x", "y"]);
  const { x, y, label, unit, limit = MOST_POINTS, from = frame } = settings;
  const columns = label === undefined ? [] : [label];
  requireColumns(frame, { asker, source: SOURCE, columns, numbers: [x!, y!] });
  const { labels, ids } = groupsOf(frame, { names: NAMES, label, alone: "" });
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
    ]),
  };
  const { height = 440, scale = "auto" } = settings;
  const view = { ...lookOf(about, settings), height, scale, words, points };
  type Draw = typeof import("./plot/draw_scatter.ts");
  const draw = (): Promise<Draw> => import(new URL("./plot/draw_scatter.ts", import.meta.url).href);
  return plotChart({
    ...{ ...view, from },
    spec: async (width) => (await draw()).scatterFigure({ ...view, width }),
  });
}

/** What the lines of the bounds are: `95% interval`. */
function intervalWords(
  frame: DataFrame,
  { confidence, locale }: Settings<typeof DOTS>,
): string {
  const stated = frame.columns.includes("confidence")
    ? new Set(numberValues(frame, "confidence").filter((value) => value !== null))
    : [];
  const [sure, ...others] = confidence === undefined ? stated : [confidence];
  if (sure === undefined || others.length > 0) return "interval";
  return `${formatValue(sure, "share", locale)} interval`;
}

function lower(title: string): string {
  return /^[A-Z]{2}/.test(title) ? title : `${title.charAt(0).toLowerCase()}${title.slice(1)}`;
}

/**
 * One number of many groups of any frame, as dots with their intervals, the largest on top: retention in one
 * month, for example, with its bounds.
 *
 * A group without a value keeps its row, and the row says so. Of more than 40 groups (`limit`) the largest are
 * drawn.
 *
 * @example
 * ```ts
 * import { cohortAnalysis, pl, plotDots, pooledRetention, retentionCurves } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * const pooled = pooledRetention(curves, { by: "market_sector_id" });
 * const chart = plotDots(pooled.filter(pl.col("month").eq(6)), {
 *   value: "retention",
 *   lower: "lower",
 *   upper: "upper",
 *   label: "market_sector_name",
 * });
 * console.log(chart);
 * ```
 *
 * @throws {RangeError} when a column that is needed is missing, or an option is out of range.
 * @throws {TypeError} when a column that has to hold numbers does not.
 * @category Charts
 */
export function plotDots(frame: DataFrame, options: PlotDotsOptions): PlotChart {
  const asker = "plotDots";
  const settings = chartSettings(asker, options, DOTS);
  requireNames(asker, settings, ["value"]);
  const { value, label, unit, limit = MOST_ROWS, from = frame } = settings;
  const bounds = [settings.lower, settings.upper].filter((name) => name !== undefined);
  if (bounds.length === 1) {
    throw new RangeError(
      `${asker}: lower and upper belong together, and one is given: ${bounds[0]}`,
    );
  }
  const columns = label === undefined ? [] : [label];
  requireColumns(frame, { asker, source: SOURCE, columns, numbers: [value!, ...bounds] });
  const { labels, ids } = groupsOf(frame, { names: NAMES, label, alone: "" });
  const values = numberValues(frame, value!);
  const [lowers, uppers] = bounds.map((name) => numberValues(frame, name));
  const all = labels.map((label, row) => ({
    ...{ id: ids[row]!, label, value: values[row]! },
    ...{ lower: lowers?.[row] ?? null, upper: uppers?.[row] ?? null },
  })).toSorted((a, b) => (b.value ?? -Infinity) - (a.value ?? -Infinity) || 0);
  const rows = all.slice(0, limit);
  const words = wordsFor(value!, unit);
  const missing = all.filter(({ value }) => value === null).length;
  const empty = missing === all.length;
  const named = rows.slice(0, 5).map(({ label, value }) =>
    `${label} ${value === null ? "no value" : formatValue(value, words.unit)}`
  );
  const about = {
    title: settings.title ?? words.title,
    subtitle: settings.subtitle ??
      `${countOf(rows.length, label === undefined ? "group" : groupWord(label))}, largest first${
        bounds.length === 0 ? "" : `; lines: ${intervalWords(frame, settings)}`
      }`,
    label: empty
      ? emptyWords(frame)
      : `Dot plot of ${countOf(rows.length, "group")}, ${words.title}: ${named.join(", ")}.`,
    caption: captionOf(frame, settings, [
      ...all.length > rows.length ? [`${all.length} groups: drawn are the ${limit} largest.`] : [],
      ...missing === 0 || empty
        ? []
        : [`Without a value, which is not zero: ${missing} of ${countOf(all.length, "group")}.`],
    ]),
  };
  const { reference } = settings;
  const view = { ...lookOf(about, settings), words, reference, rows: empty ? [] : rows };
  type Draw = typeof import("./plot/draw_dots.ts");
  const draw = (): Promise<Draw> => import(new URL("./plot/draw_dots.ts", import.meta.url).href);
  return plotChart({
    ...{ ...view, from },
    spec: async (width) => (await draw()).dotsFigure({ ...view, width }),
  });
}
