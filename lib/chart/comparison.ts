import type { DataFrame } from "../table/polars.ts";
import { aText, listOf, oneOf } from "../platform/check_options.ts";
import { requireColumns } from "../table/require_columns.ts";
import { type PlotChart, type VegaChart, vegaChart } from "./draw.ts";
import { type ChartOptions, chartSettings, lookOf, type Settings } from "./options.ts";
import { periodOf, rankedChart, type Ranking, rankingView } from "./ranking.ts";

/**
 * Whether a value axis is linear or logarithmic; `auto` asks the data.
 *
 * @category Charts
 */
export const SCALES = ["auto", "linear", "log"] as const;

/**
 * How a value axis runs.
 *
 * @category Charts
 */
export type Scale = typeof SCALES[number];

/**
 * Options of `plotComparison`.
 *
 * @category Charts
 */
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
 * Options of `vegaComparison`.
 *
 * @category Charts
 */
export interface VegaComparisonOptions extends PlotComparisonOptions {
  /**
   * The numeric columns among which the reader chooses.
   * @default {["ecosystem_fees_30d_sum"]}
   */
  readonly fields?: readonly string[];
}

const RULES = { fields: listOf(aText), scale: oneOf(SCALES) };
const SOURCE = "what blockchainComparison or rankBy gives";

function comparisonOf(
  frame: DataFrame,
  settings: Settings<typeof RULES>,
  asker: string,
): Ranking {
  const { fields = ["ecosystem_fees_30d_sum"], label } = settings;
  if (fields.length === 0) throw new RangeError(`${asker}: fields: must name a column: []`);
  requireColumns(frame, {
    asker,
    source: SOURCE,
    columns: label === undefined ? ["chain_id"] : [],
    numbers: fields,
  });
  return {
    ...{ asker, source: SOURCE, fields, noun: "chain", title: "Chains compared" },
    names: ["chain_name", "chain_id"],
    period: periodOf(frame, fields[0]!, settings),
    notes: [],
  };
}

/**
 * Chains ranked by a measure, as bars, each with its share of the total where the measure adds up; small
 * multiples for several, each value with its rank. Dots on a logarithmic axis where the data spans more than
 * three powers of ten.
 *
 * Takes what `blockchainComparison` or `rankBy` gives. Of more than 12 chains (`limit`) the 11 largest are drawn
 * and "other", where the measure adds up. A chain without a value keeps its row, and the row says so.
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
 * @throws {TypeError} when a column that has to hold numbers does not.
 * @category Charts
 */
export function plotComparison(frame: DataFrame, options: PlotComparisonOptions = {}): PlotChart {
  const settings = chartSettings("plotComparison", options, RULES);
  const ranking = comparisonOf(frame, settings, "plotComparison");
  return rankedChart(frame, settings, { ...ranking, scale: settings.scale ?? "auto" });
}

type Draw = typeof import("./vega/draw_comparison.ts");
const draw = (): Promise<Draw> =>
  import(new URL("./vega/draw_comparison.ts", import.meta.url).href);

/**
 * Chains ranked by a measure that the reader chooses, with bars that answer to the mouse: each measure has its own
 * order, axis and unit, and a button above the chart, in a notebook as in a page; hovering shows the value. In the
 * page that `save` makes the buttons take keys as well; in a notebook there is a list below the chart for that.
 * Of a `title` or `subtitle` that is given, no measure changes a word.
 *
 * Takes what `blockchainComparison` or `rankBy` gives, and folds as `plotComparison` does.
 *
 * @example
 * ```ts
 * import { blockchainComparison, vegaComparison } from "@chainframe/chainframe";
 *
 * const chart = vegaComparison(await blockchainComparison(), {
 *   fields: ["ecosystem_fees_30d_sum", "active_users_daily_latest"],
 * });
 * console.log(chart);
 * ```
 *
 * @throws {RangeError} when a column that is needed is missing, or an option is out of range.
 * @throws {TypeError} when a column that has to hold numbers does not.
 * @category Charts
 */
export function vegaComparison(frame: DataFrame, options: VegaComparisonOptions = {}): VegaChart {
  const settings = chartSettings("vegaComparison", options, RULES);
  const ranking = comparisonOf(frame, settings, "vegaComparison");
  const { about, words, entities } = rankingView(frame, settings, ranking);
  const { from = frame, scale = "auto" } = settings;
  const periods = ranking.fields.map((field) => periodOf(frame, field, settings));
  const { title, subtitle } = settings;
  const choice = words.length === 1 || entities.length === 0
    ? ""
    : ` The reader chooses among: ${words.map(({ title }) => title).join("; ")}.`;
  const view = {
    ...lookOf({ ...about, label: `${about.label}${choice}` }, settings),
    ...{ words, entities, scale, periods, given: { title, subtitle } },
  };
  return vegaChart({
    ...{ ...view, from },
    spec: async (width) => (await draw()).comparisonSpec({ ...view, width }),
  });
}
