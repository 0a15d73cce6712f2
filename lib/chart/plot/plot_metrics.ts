import { annotationOf } from "../../table/provenance.ts";
import type { DataFrame } from "../../table/polars.ts";
import { type Asker, type ChartOptions, checkChoice, checkColumns } from "../read/options.ts";
import { numberValues } from "../read/values.ts";
import { fieldWords } from "../text/field_words.ts";
import type { PlotChart } from "./draw_plot.ts";
import { rankedChart } from "./ranked_chart.ts";
import { type Scale, SCALES } from "./axes.ts";

/** Options of `plotMetrics`. */
export interface PlotMetricsOptions extends ChartOptions {
  /**
   * The numeric columns to draw, one panel each; the rows are ranked by the first.
   * @default {six numeric columns that hold values, of as many metrics as there are}
   */
  readonly fields?: readonly string[];
  /**
   * `"linear"`, `"log"` (where every value is above zero), or `"auto"`: log where the largest value is more
   * than a thousand times the smallest.
   * @default {"auto"}
   */
  readonly scale?: Scale;
}

const MOST_PANELS = 6;
const AGGREGATION = /_(sum|avg|latest|change|trend)$/;
const IDS = ["data_id", "chain_id", "product_id"];
const asker: Asker = { name: "plotMetrics", hint: "pass what metricBreakdown gives" };

/** What was asked for, as far as the frame knows it. */
function queryWords(frame: DataFrame): string {
  const { interval, group_by, start, end } = annotationOf(frame)?.provenance.query ?? {};
  const words = [
    typeof group_by === "string" ? `by ${group_by}` : "",
    typeof interval === "string" ? `interval ${interval}` : "",
    typeof start === "string" ? `from ${start}` : "",
    typeof end === "string" ? `to ${end}` : "",
  ];
  return words.filter((word) => word !== "").join(", ");
}

/** Six columns at most: the first of each metric, then the second of each, and so on, in their own order. */
function oneOfEach(columns: readonly string[]): string[] {
  const metrics = Map.groupBy(columns, (column) => column.replace(AGGREGATION, ""));
  const turns = [...metrics.values()].flatMap((of) => of.map((column, turn) => ({ column, turn })));
  const chosen = turns.toSorted((a, b) => a.turn - b.turn).slice(0, MOST_PANELS);
  return columns.filter((name) => chosen.some(({ column }) => column === name));
}

/**
 * The metrics of a breakdown as bars: one panel for each metric, one row for each item, ranked by the first.
 *
 * Takes what `metricBreakdown` gives. More than 12 items fold into the 11 largest and "other". An item
 * without a value keeps its row, and the row says so.
 *
 * @example
 * ```ts
 * import { metricBreakdown, plotMetrics } from "@chainframe/chainframe";
 *
 * const fees = await metricBreakdown({
 *   metric_ids: ["fees", "active_users"],
 *   interval: "30d",
 *   group_by: "market-sector",
 * });
 * const chart = plotMetrics(fees);
 * console.log(chart);
 * ```
 *
 * @throws {RangeError} when a column that is needed is missing, no column is numeric, or an option is out of
 * range.
 */
export function plotMetrics(frame: DataFrame, options: PlotMetricsOptions = {}): PlotChart {
  const { scale = "auto", source = frame } = options;
  checkChoice(asker, "scale", scale, SCALES);
  checkColumns(frame, ["data_id", ...options.fields ?? []], asker);
  if (frame.columns.includes("metric_id") && frame.columns.includes("value")) {
    throw new RangeError(
      "plotMetrics: this frame is in long form; pass what metricBreakdown gives",
    );
  }
  const numeric = frame.columns.filter((column) =>
    !IDS.includes(column) && frame.getColumn(column).isNumeric()
  );
  const valued = numeric.filter((column) =>
    numberValues(frame, column, asker).some((value) => value !== null)
  );
  const chosen = oneOfEach(valued.length > 0 ? valued : numeric);
  const fields = options.fields ?? chosen;
  if (fields.length === 0) {
    throw new RangeError(
      `plotMetrics: the frame has no numeric column; it has: ${frame.columns.join(", ")}`,
    );
  }
  const words = fields.map(fieldWords);
  const query = queryWords(source);
  const left = options.fields === undefined
    ? numeric.filter((column) => !chosen.includes(column))
    : [];
  const ranked = words.length === 1 ? "Largest first" : `Ranked by: ${words[0]!.title}`;
  return rankedChart(frame, options, {
    asker,
    names: IDS,
    noun: "item",
    fields,
    words,
    by: 0,
    scale,
    title: words.length === 1 ? words[0]!.title : "Metrics compared",
    subtitle: [ranked, query].filter((part) => part !== "").join("; "),
    notes: left.length === 0 ? [] : [`Not drawn (pass them as fields): ${left.join(", ")}.`],
  });
}
