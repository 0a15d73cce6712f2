import { oneOf, required, string } from "../platform/check_options.ts";
import type { DataFrame } from "../table/build/polars.ts";
import { partsChart } from "./contributions.ts";
import { type PlotChart, readyChart } from "./draw.ts";
import type { BarItem } from "./drawing/bars.ts";
import { measureOf } from "./measures.ts";
import { type ChartOptions, chartSettings } from "./options.ts";
import { readRows, rowNoun } from "./read/rows.ts";
import { combined, firstValue } from "./read/combined.ts";
import { largest, sumOf } from "./read/lines.ts";
import { windowWords } from "./periods.ts";
import { bareTitle, countOf, inSentence, valueTexts, withoutWindow } from "./words.ts";

const DRAWN_AS = ["bar", "stack"] as const;

const RULES = { field: required(string), as: oneOf(DRAWN_AS) };
const MOST = 11;

/** Returns the Gini coefficient of parts: 0 if all parts are equal, and near 1 if one part is nearly the total. */
function gini(parts: readonly BarItem[], total: number): string {
  const sorted = parts.map(({ values: [value] }) => value!).toSorted((a, b) => a - b);
  const weighted = sorted.reduce((sum, value, index) => sum + (index + 1) * value, 0);
  const count = sorted.length;
  return (2 * weighted / (count * total) - (count + 1) / count).toFixed(2);
}

/**
 * Draws the shares of a total, from any frame: one bar for each part, with its value and its share. The subtitle states
 * the Gini coefficient `2 Σ i·x_i / (n Σ x_i) − (n + 1)/n` of the parts `x_1 ≤ … ≤ x_n`, as `concentration` does.
 *
 * Nulls are left out. The caption states the number of nulls. The 11 largest parts (see `limit`) have their own bars,
 * and one bar has the sum of the other parts.
 *
 * @example
 * ```ts
 * import { blockchainComparison, plotShares } from "@chainframe/chainframe";
 *
 * const chains = await blockchainComparison();
 * const chart = plotShares(chains, { field: "ecosystem_fees_30d_sum", label: "chain_name" });
 * console.log(chart);
 * ```
 *
 * @throws {RangeError} when a column is missing, a value is below zero, or an option is out of range.
 * @throws {TypeError} when the column does not hold numbers.
 * @category Charts
 */
export function plotShares(
  frame: DataFrame,
  options: {
    /** The numeric column with the parts of a total. A negative value throws an error. */
    readonly field: string;
    /**
     * `"bar"` draws one bar for each part. `"stack"` draws the shares of each period, from the result of `shares`.
     * @default {"bar"}
     */
    readonly as?: "bar" | "stack";
  } & ChartOptions,
): PlotChart {
  const settings = chartSettings("plotShares", options, RULES);
  const { fn, field, as, label, unit, limit = MOST } = settings;
  if (as === "stack") {
    return partsChart(frame, settings, {
      again: plotShares,
      field,
      what: "Shares",
      unit: "fraction",
      axis: "",
    });
  }
  const rows = readRows(frame, { label, alone: "", numbers: [field] }, fn);
  const below = rows.map(firstValue).find((value) => value !== null && value < 0);
  if (below !== undefined) {
    throw new RangeError(`${fn}: field: parts of a whole must not be below zero; got ${below}`);
  }
  const all = rows.filter((row) => firstValue(row) !== null);
  const other = (rest: readonly BarItem[]) => combined(rest);
  const { kept: items } = largest<BarItem>(all, { limit, sizeOf: firstValue, other });
  const total = sumOf(all, firstValue);
  const measure = measureOf(frame, field, { unit });
  const noun = rowNoun(frame, all, label);
  const span = windowWords(frame, field, settings);
  const name = span === "" ? bareTitle(measure.title) : withoutWindow(measure.title);
  const empty = !(total > 0 && Number.isFinite(total));
  return readyChart({
    again: plotShares,
    frame,
    settings,
    series: settings.highlight === undefined ? [] : items,
    empty: total === 0 && all.length > 0 ? "No data: the sum is zero" : empty,
    words: {
      what: `Shares of ${countOf(all.length, noun)} in ${inSentence(name)}`,
      span,
      said: empty ? [] : [`Gini coefficient ${gini(all, total)}`],
      kind: "Bar chart of shares",
      noun,
      rows: valueTexts(items, "fraction", ({ values: [value] }) => value! / total),
      rowsAre: measure.title,
      missing: rows.filter((row) => firstValue(row) === null).map(({ label }) => label),
    },
    figure: (draw, look) =>
      draw.barsFigure(
        { measures: [measure], items, noun, as: "bars", scale: "linear", shares: true },
        look,
      ),
  });
}
