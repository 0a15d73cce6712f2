import { oneOf, string } from "../platform/check_options.ts";
import type { DataFrame } from "../table/polars.ts";
import { partsChart } from "./contributions.ts";
import { type PlotChart, readyChart } from "./draw.ts";
import { countOf } from "./format.ts";
import { groupNoun, measureOf } from "./measures.ts";
import { type ChartOptions, chartSettings, requireNames } from "./options.ts";
import { ANY_NAMES, readRows } from "./rows.ts";
import { largest, otherPart, type Part, sumOf } from "./series.ts";
import { described, inSentence, valueTexts } from "./words.ts";

const DRAWN_AS = ["bar", "lorenz", "time"] as const;

const RULES = { field: string, as: oneOf(DRAWN_AS) };
const MOST = 8;

/**
 * Returns the Gini coefficient of sorted parts: 0 if all parts are equal, and near 1 if one part is nearly the total.
 */
function gini(sorted: readonly number[], total: number): number {
  const count = sorted.length;
  const weighted = sorted.reduce((sum, value, index) => sum + (index + 1) * value, 0);
  return (2 * weighted) / (count * total) - (count + 1) / count;
}

/**
 * Draws the shares of a total, from any frame: one bar divided into shares, or a Lorenz curve.
 *
 * Nulls are left out. The caption states the number of nulls. The bar has the 7 largest parts (see `limit`) and the sum
 * of the other parts.
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
     * `"bar"` draws one bar, divided into shares. `"lorenz"` draws the Lorenz curve and states the Gini coefficient.
     * `"time"` draws the shares of each period, from the result of `shares`.
     * @default {"bar"}
     */
    readonly as?: "bar" | "lorenz" | "time";
  } & ChartOptions,
): PlotChart {
  const fn = "plotShares";
  const settings = chartSettings(fn, options, RULES);
  if (settings.as === "time") {
    return partsChart(frame, settings, {
      fn,
      field: settings.field ?? "share",
      title: "Shares of the total",
      unit: "share",
      axis: "share of the total, %",
    });
  }
  const { field } = requireNames(fn, settings, ["field"]);
  const { label, as = "bar", unit, limit = MOST } = settings;
  const rows = readRows(frame, { label, alone: "", numbers: [field] }, fn);
  const below = rows.flatMap(({ values }) => values).find((value) => value !== null && value < 0);
  if (below !== undefined) {
    throw new RangeError(`${fn}: field: parts of a whole must not be below zero; got ${below}`);
  }
  const all = rows.flatMap(({ id, label, values: [value = null] }): Part[] =>
    value === null ? [] : [{ id, label, value }]
  );
  const bar = { limit, sizeOf: ({ value }: Part) => value, other: otherPart };
  const { kept: parts } = largest(all, as === "bar" ? bar : { ...bar, limit: Infinity });
  const total = sumOf(all, ({ value }) => value);
  const { title } = measureOf(field, { unit });
  const coefficient = gini(all.map(({ value }) => value).toSorted((a, b) => a - b), total);
  const texts = valueTexts(parts, "share", ({ value }) => value / total);
  const missing = rows.length - all.length;
  const noun = groupNoun(label ?? ANY_NAMES.find((name) => frame.columns.includes(name)));
  const found = as === "bar"
    ? `the largest has ${texts[0]?.slice(parts[0]!.label.length + 1)} of the sum`
    : `Gini coefficient ${coefficient.toFixed(2)}`;
  const empty = !(total > 0 && Number.isFinite(total));
  return readyChart({
    frame,
    settings,
    empty: total === 0 && all.length > 0 ? "No data: the sum is zero" : empty,
    title: `${as === "bar" ? "Shares of" : "How equally shared:"} ${inSentence(title)}`,
    subtitle: empty ? "" : `${countOf(all.length, noun)}; ${found}`,
    label: described("Shares", texts, { noun: "group", what: title }),
    notes: [missing > 0 && `Without a value: ${missing} of ${rows.length}.`],
    figure: (draw, look) =>
      draw.sharesFigure({ parts, as: as === "bar" ? as : "lorenz", gini: coefficient }, look),
  });
}
