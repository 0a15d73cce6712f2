import { annotationOf } from "../table/provenance.ts";
import type { DataFrame } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { aText, listOf, oneOf } from "../platform/check_options.ts";
import { type Scale, SCALES } from "./comparison.ts";
import type { PlotChart } from "./draw.ts";
import { formatDay } from "./format.ts";
import { type ChartOptions, chartSettings } from "./options.ts";
import { rankedChart } from "./ranking.ts";
import { lastDay, numberValues, textValues } from "./values.ts";

/**
 * Options of `plotMetrics`.
 *
 * @category Charts
 */
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

const RULES = { fields: listOf(aText), scale: oneOf(SCALES) };
const MOST_PANELS = 6;
const AGGREGATION = /_(sum|avg|latest|change|trend|days)$/;
const IDS = ["data_id", "chain_id", "product_id"];
const SOURCE = "what metricBreakdown gives";

/** What was asked for, as far as the frame knows it: `by market sector, 30 days to 30 Jun 2026`. */
function queryWords(frame: DataFrame, locale: string): string {
  const { interval, group_by, start, end } = annotationOf(frame)?.provenance.query ?? {};
  const day = lastDay(frame);
  const text = (value: unknown) => typeof value === "string" ? value : "";
  const window = /^(\d+)([dh])$/.exec(text(interval));
  const span = window === null
    ? { ytd: "year to date", max: "all time" }[text(interval)] ?? ""
    : window[2] === "h"
    ? "1 day"
    : `${window[1]} days`;
  const until = day === null || span === "" ? "" : ` to ${formatDay(day, locale)}`;
  const given = [start, end].some((date) => typeof date === "string");
  return [
    text(group_by) === "" ? "" : `by ${text(group_by).replaceAll("-", " ")}`,
    given ? `${text(start) || "…"} to ${text(end) || "…"}` : `${span}${until}`,
  ].filter((word) => word !== "").join(", ");
}

/** Six columns at most, those of one metric together, as many of each as of the others. */
function chosenOf(columns: readonly string[]): string[] {
  const metrics = [...Map.groupBy(columns, (column) => column.replace(AGGREGATION, "")).values()]
    .slice(0, MOST_PANELS);
  const each = Math.max(1, Math.min(3, Math.floor(MOST_PANELS / metrics.length)));
  return metrics.flatMap((of) => of.slice(0, each));
}

const ABBREVIATIONS = /^(ai|amm|cex|dao|defi|dex|l1|l2|lst|nft|rwa|tvl|zk)$/;

function capital(word: string): string {
  return ABBREVIATIONS.test(word)
    ? word.toUpperCase().replace("DEFI", "DeFi")
    : word.charAt(0).toUpperCase() + word.slice(1);
}

/** An id as a name: `ember-rollup` is `Ember Rollup`; what is no such id stays. */
export function nameOf(label: string): string {
  return label.split(" · ").map((id) =>
    /^[a-z][a-z0-9]*([-_][a-z0-9]+)*$/.test(id) ? id.split(/[-_]/).map(capital).join(" ") : id
  ).join(" · ");
}

function checkItems(frame: DataFrame): void {
  const columns = IDS.filter((name) => frame.columns.includes(name)).map((name) =>
    textValues(frame, name)
  );
  const seen = new Map<string, number>();
  for (let row = 0; row < frame.height; row++) {
    const id = columns.map((column) => column[row] ?? "").filter((text) => text !== "").join(" · ");
    seen.set(id, (seen.get(id) ?? 0) + 1);
  }
  const [again] = [...seen].filter(([, times]) => times > 1);
  if (again === undefined) return;
  throw new RangeError(
    `plotMetrics: each row must be another item, and "${again[0]}" is there ${
      again[1]
    } times; for a series over time there is plotTimeline`,
  );
}

/**
 * The metrics of a breakdown as bars: one row of panels for each metric, one bar for each item, ranked by the
 * first.
 *
 * Takes what `metricBreakdown` gives. Ids stand as names. Of more than 12 items (`limit`) the 11 largest are
 * drawn and "other", where the first metric adds up. An item without a value keeps its row, and the row says so.
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
 * @throws {RangeError} when a column that is needed is missing, no column is numeric, an item is there twice, or
 * an option is out of range.
 * @throws {TypeError} when a column that has to hold numbers does not.
 * @category Charts
 */
export function plotMetrics(frame: DataFrame, options: PlotMetricsOptions = {}): PlotChart {
  const settings = chartSettings("plotMetrics", options, RULES);
  const { scale = "auto", from = frame, label, locale } = settings;
  requireColumns(frame, {
    asker: "plotMetrics",
    source: SOURCE,
    columns: label === undefined ? ["data_id"] : [label],
    numbers: settings.fields ?? [],
  });
  if (frame.columns.includes("metric_id") && frame.columns.includes("value")) {
    throw new RangeError(
      "plotMetrics: this frame is in long form; pass what metricBreakdown gives",
    );
  }
  checkItems(frame);
  const numeric = frame.columns.filter((column) =>
    !IDS.includes(column) && frame.getColumn(column).isNumeric()
  );
  const valued = numeric.filter((column) =>
    numberValues(frame, column).some((value) => value !== null)
  );
  const chosen = chosenOf(valued.length > 0 ? valued : numeric);
  const fields = settings.fields ?? chosen;
  if (fields.length === 0) {
    throw new RangeError(
      `plotMetrics: the frame has no numeric column; it has: ${frame.columns.join(", ")}`,
    );
  }
  const left = settings.fields === undefined
    ? numeric.filter((column) => !chosen.includes(column))
    : [];
  return rankedChart(frame, settings, {
    ...{ asker: "plotMetrics", source: SOURCE, names: IDS, noun: "item", fields, scale },
    title: "Metrics compared",
    period: queryWords(from, locale),
    notes: left.length === 0 ? [] : [`Not drawn (pass them as fields): ${left.join(", ")}.`],
    naming: nameOf,
    grid: fields.map((field) => field.replace(AGGREGATION, "")),
  });
}
