import type { DataFrame } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { oneOf } from "../platform/check_options.ts";
import { type PlotChart, plotChart } from "./draw.ts";
import { fieldWords } from "./field_words.ts";
import { countOf, formatDay, formatValue } from "./format.ts";
import { type ChartOptions, chartSettings, lookOf } from "./options.ts";
import type { GrowthRow } from "./plot/draw_growth.ts";
import { captionOf, emptyWords, groupsOf, lastDay, listed, numberValues } from "./values.ts";
import { textValues } from "./values.ts";

const GROWTH_WINDOWS = ["1d", "7d", "30d", "90d", "180d", "365d"] as const;

/**
 * Options of `plotGrowth`.
 *
 * @category Charts
 */
export interface PlotGrowthOptions extends ChartOptions {
  /**
   * The window that ranks the chains.
   * @default {"30d"}
   */
  readonly order_by?: "1d" | "7d" | "30d" | "90d" | "180d" | "365d";
}

const SOURCE = "what growthTable gives";
const MOST = 30;

function windowName(window: string): string {
  return countOf(Number.parseInt(window), "day");
}

/** The measure that the frame holds; null where it holds none. */
function measureOf(frame: DataFrame): string | null {
  const measures = new Set(textValues(frame, "measure"));
  if (measures.size > 1) {
    throw new RangeError(
      `plotGrowth: the frame must hold one measure: ${[...measures].join(", ")}`,
    );
  }
  const [measure = null] = measures;
  return measure;
}

function rowsOf(frame: DataFrame, label: string | undefined, by: number): GrowthRow[] {
  const { labels } = groupsOf(frame, { names: ["chain_name", "chain_id"], label });
  const columns = GROWTH_WINDOWS.map((window) => numberValues(frame, window));
  return labels.map((label, row) => ({ label, values: columns.map((column) => column[row]!) }))
    .toSorted((a, b) => (b.values[by] ?? -Infinity) - (a.values[by] ?? -Infinity) || 0);
}

/** The chart in a sentence. */
function describe(rows: readonly GrowthRow[], title: string, by: number): string {
  const named = rows.slice(0, 5).map(({ label, values }) =>
    `${label} ${values[by] === null ? "no value" : formatValue(values[by]!, "change")}`
  );
  return `Heat table of ${countOf(rows.length, "chain")}, ${title}, over ${
    windowName(GROWTH_WINDOWS[by]!)
  }: ${named.join(", ")}${rows.length > 5 ? ` and ${rows.length - 5} more` : ""}.`;
}

/**
 * The change of a measure over six windows as a table, chain by chain, in colours of one scale: the logarithm of
 * the ratio, so that doubling and halving are equally strong.
 *
 * Takes what `growthTable` gives. Of more than 30 chains (`limit`) those are drawn that grew most. A null is an
 * empty cell; a window in which no chain has a value is named below and not drawn.
 *
 * @example
 * ```ts
 * import { blockchainComparison, growthTable, plotGrowth } from "@chainframe/chainframe";
 *
 * const growth = growthTable(await blockchainComparison(), "ecosystem_tvl");
 * const chart = plotGrowth(growth, { order_by: "90d" });
 * console.log(chart);
 * ```
 *
 * @throws {RangeError} when a column that is needed is missing, or an option is out of range.
 * @throws {TypeError} when a column that has to hold numbers does not.
 * @category Charts
 */
export function plotGrowth(frame: DataFrame, options: PlotGrowthOptions = {}): PlotChart {
  const settings = chartSettings("plotGrowth", options, { order_by: oneOf(GROWTH_WINDOWS) });
  const { order_by = "30d", label, limit = MOST, locale, from = frame } = settings;
  const columns = [label ?? "chain_id", "measure"];
  requireColumns(frame, {
    ...{ asker: "plotGrowth", source: SOURCE, columns, numbers: GROWTH_WINDOWS },
  });
  const measure = measureOf(frame);
  const by = GROWTH_WINDOWS.indexOf(order_by);
  const all = rowsOf(frame, label, by);
  const rows = all.slice(0, limit);
  const known = (index: number) => rows.some(({ values }) => values[index] !== null);
  const drawn = GROWTH_WINDOWS.map((_, index) => index).filter(known);
  const without = GROWTH_WINDOWS.filter((_, index) => !known(index)).map(windowName);
  const missing = rows.flatMap(({ values }) => drawn.filter((index) => values[index] === null));
  const words = measure === null ? "Growth" : fieldWords(measure).title;
  const day = lastDay(from);
  const until = day === null ? "" : ` to ${formatDay(day, locale)}`;
  const empty = drawn.length === 0;
  const about = {
    title: settings.title ?? `${words}: change over ${countOf(drawn.length || 6, "window")}`,
    subtitle: settings.subtitle ??
      `Chains, largest change over ${windowName(order_by)} first; windows of days${until}`,
    label: empty ? emptyWords(frame) : describe(rows, words, by),
    caption: captionOf(frame, settings, [
      ...all.length > rows.length
        ? [
          `${all.length} chains: the ${rows.length} that grew most over ${windowName(order_by)}.`,
        ]
        : [],
      ...missing.length === 0 || empty
        ? []
        : [`Without a value, which is not zero: ${countOf(missing.length, "cell")}, left empty.`],
      ...without.length === 0 || empty
        ? []
        : [`No chain has a value over ${listed(without, 6)}: not drawn.`],
    ]),
  };
  type Draw = typeof import("./plot/draw_growth.ts");
  const draw = (): Promise<Draw> => import(new URL("./plot/draw_growth.ts", import.meta.url).href);
  const view = {
    ...{ ...lookOf(about, settings), order: drawn.indexOf(by) },
    windows: drawn.map((index) => windowName(GROWTH_WINDOWS[index]!)),
    rows: rows.map(({ label, values }) => ({ label, values: drawn.map((i) => values[i]!) })),
  };
  return plotChart({
    ...{ ...view, from },
    spec: async (width) => (await draw()).growthFigure({ ...view, width }),
  });
}
