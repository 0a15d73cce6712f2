import type { DataFrame } from "../../table/polars.ts";
import { type Asker, type ChartOptions, checkChoice, checkColumns } from "../read/options.ts";
import { textValues } from "../read/values.ts";
import { type FieldWords, fieldWords } from "../text/field_words.ts";
import type { PlotChart } from "./draw_plot.ts";
import { rankedChart } from "./ranked_chart.ts";

const GROWTH_WINDOWS = ["1d", "7d", "30d", "90d", "180d", "365d"] as const;

/** Options of `plotGrowth`. */
export interface PlotGrowthOptions extends ChartOptions {
  /**
   * The window that ranks the chains.
   * @default {"30d"}
   */
  readonly order_by?: "1d" | "7d" | "30d" | "90d" | "180d" | "365d";
}

const asker: Asker = { name: "plotGrowth", hint: "pass what growthTable gives" };

function windowWords(window: typeof GROWTH_WINDOWS[number]): FieldWords {
  const title = window === "1d" ? "1 day" : `${window.slice(0, -1)} days`;
  return { title, unit: "change", axis: "change, %", additive: false };
}

/**
 * The change of a measure over the six windows, chain by chain, as bars to both sides of zero.
 *
 * Takes what `growthTable` gives. Each window has its own scale. More than 12 chains fold into the 11 that
 * grew most and the mean of the rest. A chain without a value keeps its row, and the row says so.
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
 */
export function plotGrowth(frame: DataFrame, options: PlotGrowthOptions = {}): PlotChart {
  const { order_by = "30d" } = options;
  checkChoice(asker, "order_by", order_by, GROWTH_WINDOWS);
  checkColumns(frame, ["chain_id", "measure", ...GROWTH_WINDOWS], asker);
  const measures = new Set(textValues(frame, "measure"));
  if (measures.size > 1) {
    throw new RangeError(
      `plotGrowth: the frame must hold one measure: ${[...measures].join(", ")}`,
    );
  }
  const [measure = null] = measures;
  const words = GROWTH_WINDOWS.map(windowWords);
  const by = GROWTH_WINDOWS.indexOf(order_by);
  return rankedChart(frame, options, {
    asker,
    names: ["chain_name", "chain_id"],
    noun: "chain",
    fields: GROWTH_WINDOWS,
    words,
    by,
    scale: "linear",
    title: `${measure === null ? "Growth" : fieldWords(measure).title}: change over six windows`,
    subtitle: `Chains, largest change over ${
      words[by]!.title
    } first; each window has its own scale`,
    notes: [],
  });
}
