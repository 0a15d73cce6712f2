import { aText, oneOf } from "../platform/check_options.ts";
import type { DataFrame } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { type PlotChart, plotChart } from "./draw.ts";
import { wordsFor } from "./field_words.ts";
import { countOf, formatterFor } from "./format.ts";
import { requireNames } from "./line.ts";
import { type ChartOptions, chartSettings, lookOf } from "./options.ts";
import type { SharePart } from "./plot/shares_bar.ts";
import { ANY_NAMES, captionOf, emptyWords, groupsOf, numberValues } from "./values.ts";

const KINDS = ["bar", "lorenz"] as const;

/**
 * Options of `plotShares`.
 *
 * @category Charts
 */
export interface PlotSharesOptions extends ChartOptions {
  /** The numeric column whose values are parts of a whole: none below zero. */
  readonly value: string;
  /**
   * `"bar"`: one bar, cut into the shares. `"lorenz"`: which share of the whole the smallest have together, all
   * the way to all of them.
   * @default {"bar"}
   */
  readonly kind?: "bar" | "lorenz";
}

const RULES = { value: aText, kind: oneOf(KINDS) };
const MOST = 8;

/** Gini's coefficient of sorted parts: 0 where all are equal, near 1 where one has everything. */
function gini(sorted: readonly number[], total: number): number {
  const count = sorted.length;
  const weighted = sorted.reduce((sum, value, index) => sum + (index + 1) * value, 0);
  return (2 * weighted) / (count * total) - (count + 1) / count;
}

/** The largest parts, and the sum of the rest. */
function folded(parts: readonly SharePart[], most: number): SharePart[] {
  if (parts.length <= most) return [...parts];
  const rest = parts.slice(most - 1);
  const label = `other (${rest.length})`;
  const value = rest.reduce((sum, part) => sum + part.value, 0);
  return [...parts.slice(0, most - 1), { id: label, label, value, folded: true }];
}

/**
 * How a whole is shared, of any frame: one bar cut into shares, or a Lorenz curve with Gini's coefficient.
 *
 * A null has no part, and is counted in the caption. The bar has the 7 largest (`limit`) and the sum of the rest.
 *
 * @example
 * ```ts
 * import { blockchainComparison, plotShares } from "@chainframe/chainframe";
 *
 * const chains = await blockchainComparison();
 * const chart = plotShares(chains, { value: "ecosystem_fees_30d_sum", label: "chain_name" });
 * console.log(chart);
 * ```
 *
 * @throws {RangeError} when a column that is needed is missing, a value is below zero, or an option is out of
 * range.
 * @throws {TypeError} when a column that has to hold numbers does not.
 * @category Charts
 */
export function plotShares(frame: DataFrame, options: PlotSharesOptions): PlotChart {
  const asker = "plotShares";
  const settings = chartSettings(asker, options, RULES);
  requireNames(asker, settings, ["value"]);
  const { value, label, kind = "bar", unit, limit = MOST, from = frame, locale } = settings;
  const columns = label === undefined ? [] : [label];
  const source = "any frame with the columns named";
  requireColumns(frame, { asker, source, columns, numbers: [value!] });
  const { labels, ids } = groupsOf(frame, { names: ANY_NAMES, label, alone: "" });
  const values = numberValues(frame, value!);
  const below = values.find((value) => value !== null && value < 0);
  if (below !== undefined) {
    throw new RangeError(`${asker}: value: parts of a whole cannot be below zero: ${below}`);
  }
  const parts = labels.flatMap((label, row): SharePart[] =>
    values[row] === null ? [] : [{ id: ids[row]!, label, value: values[row]!, folded: false }]
  ).toSorted((a, b) => b.value - a.value);
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  const empty = !(total > 0 && Number.isFinite(total));
  const words = wordsFor(value!, unit);
  const [first] = parts;
  const write = formatterFor([0.123], { unit: "share", locale });
  const coefficient = empty ? 0 : gini(parts.map(({ value }) => value).reverse(), total);
  const missing = values.length - parts.length;
  const what = /^[A-Z]{2}/.test(words.title)
    ? words.title
    : `${words.title.charAt(0).toLowerCase()}${words.title.slice(1)}`;
  const title = kind === "bar" ? `Shares of ${what}` : `How equally shared: ${what}`;
  const about = {
    title: settings.title ?? title,
    subtitle: settings.subtitle ??
      (empty
        ? ""
        : `${countOf(parts.length, "group")}; ${
          kind === "bar"
            ? `the largest has ${write(first!.value / total)}`
            : `Gini coefficient ${coefficient.toFixed(2)}`
        }`),
    label: empty
      ? total === 0 && parts.length > 0 ? "No data: the sum is zero" : emptyWords(frame)
      : `Shares of ${countOf(parts.length, "group")}, ${words.title}: ${
        parts.slice(0, 4).map(({ label, value }) => `${label} ${write(value / total)}`).join(", ")
      }.`,
    caption: captionOf(frame, settings, [
      ...missing === 0 || empty ? [] : [
        `Without a value, and so without a part: ${missing} of ${countOf(values.length, "row")}.`,
      ],
    ]),
  };
  const { height = 420 } = settings;
  const kept = empty ? [] : kind === "bar" ? folded(parts, limit) : parts;
  const view = { ...lookOf(about, settings), height, kind, parts: kept, gini: coefficient };
  type Draw = typeof import("./plot/draw_shares.ts");
  const draw = (): Promise<Draw> => import(new URL("./plot/draw_shares.ts", import.meta.url).href);
  return plotChart({
    ...{ ...view, from },
    spec: async (width) => (await draw()).sharesFigure({ ...view, width }),
  });
}
