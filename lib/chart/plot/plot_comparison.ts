import type { DataFrame } from "../../table/polars.ts";
import { type ChartOptions, checkChoice } from "../read/options.ts";
import { comparisonRanking } from "../read/ranking.ts";
import type { PlotChart } from "./draw_plot.ts";
import { rankedChart } from "./ranked_chart.ts";
import { type Scale, SCALES } from "./axes.ts";

/** Options of `plotComparison`. */
export interface PlotComparisonOptions extends ChartOptions {
  /**
   * The numeric columns to draw, one panel each; the chains are ranked by the first.
   * @default {["ecosystem_fees_30d_sum"]}
   */
  readonly fields?: readonly string[];
  /**
   * `"linear"`, `"log"` (where every value is above zero), or `"auto"`: log where the largest value is more
   * than a thousand times the smallest.
   * @default {"auto"}
   */
  readonly scale?: Scale;
}

/**
 * Chains ranked by a measure, as bars; small multiples for several. Dots on a logarithmic axis where the
 * data spans more than three powers of ten.
 *
 * Takes what `blockchainComparison` or `rankBy` gives. More than 12 chains fold into the 11 largest and
 * "other". A chain without a value keeps its row, and the row says so.
 *
 * @example
 * ```ts
 * import { blockchainComparison, plotComparison } from "@chainframe/chainframe";
 *
 * const chains = await blockchainComparison();
 * const chart = plotComparison(chains, {
 *   fields: ["ecosystem_fees_30d_sum", "active_users_daily_latest"],
 * });
 * console.log(chart);
 * ```
 *
 * @throws {RangeError} when a column that is needed is missing, or an option is out of range.
 */
export function plotComparison(frame: DataFrame, options: PlotComparisonOptions = {}): PlotChart {
  const { fields = ["ecosystem_fees_30d_sum"], scale = "auto" } = options;
  const ranking = comparisonRanking(frame, fields, "plotComparison");
  checkChoice(ranking.asker, "scale", scale, SCALES);
  return rankedChart(frame, options, { ...ranking, scale });
}
