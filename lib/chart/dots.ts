import { aNumber, aText, type Rule } from "../platform/check_options.ts";
import type { DataFrame } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { type PlotChart, plotChart } from "./draw.ts";
import { wordsFor } from "./field_words.ts";
import { countOf, formatValue } from "./format.ts";
import { groupWord, requireNames } from "./line.ts";
import type { Reference } from "./plot/draw_dots.ts";
import { type ChartOptions, chartSettings, lookOf, type Settings } from "./options.ts";
import { ANY_NAMES, captionOf, emptyWords, groupsOf, numberValues } from "./values.ts";

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
   * A value to compare with, as a line across all rows: that of all groups together, for example. With a label
   * its name stands beside it.
   * @default {none}
   */
  readonly reference?: number | { readonly value: number; readonly label: string };
}

const aReference: Rule<Reference> = (given, refuse) => {
  if (typeof given !== "object" || given === null) {
    return Number.isFinite(given)
      ? { value: given as number, label: "" }
      : refuse("must be a finite number");
  }
  const { value, label } = given as Partial<Reference>;
  return Number.isFinite(value) && typeof label === "string"
    ? { value: value!, label }
    : refuse("must be a finite number with its label: { value, label }");
};

const RULES = {
  value: aText,
  lower: aText,
  upper: aText,
  confidence: aNumber(0, 1),
  reference: aReference,
};
const MOST = 40;

/** What the lines of the bounds are: `95% interval`. */
function intervalWords(
  frame: DataFrame,
  { confidence, locale }: Settings<typeof RULES>,
): string {
  const stated = frame.columns.includes("confidence")
    ? new Set(numberValues(frame, "confidence").filter((value) => value !== null))
    : [];
  const [sure, ...others] = confidence === undefined ? stated : [confidence];
  if (sure === undefined || others.length > 0) return "interval";
  return `${formatValue(sure, "share", locale)} interval`;
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
  const settings = chartSettings(asker, options, RULES);
  requireNames(asker, settings, ["value"]);
  const { value, label, unit, limit = MOST, from = frame } = settings;
  const bounds = [settings.lower, settings.upper].filter((name) => name !== undefined);
  if (bounds.length === 1) {
    throw new RangeError(
      `${asker}: lower and upper belong together, and one is given: ${bounds[0]}`,
    );
  }
  const columns = label === undefined ? [] : [label];
  requireColumns(frame, {
    asker,
    source: "any frame with the columns named",
    columns,
    numbers: [value!, ...bounds],
  });
  const { labels, ids } = groupsOf(frame, { names: ANY_NAMES, label, alone: "" });
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
  const { reference, height = null } = settings;
  const view = { ...lookOf(about, settings), words, reference, height, rows: empty ? [] : rows };
  type Draw = typeof import("./plot/draw_dots.ts");
  const draw = (): Promise<Draw> => import(new URL("./plot/draw_dots.ts", import.meta.url).href);
  return plotChart({
    ...{ ...view, from },
    spec: async (width) => (await draw()).dotsFigure({ ...view, width }),
  });
}
