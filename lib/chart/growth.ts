import { listed } from "../platform/terminal.ts";
import { oneOf } from "../platform/check_options.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import type { PlotChart } from "./chart.ts";
import { readyChart } from "./ready_chart.ts";
import type { CellRow } from "./drawing/cells.ts";
import { PART_WINDOW } from "../table/read/part_windows.ts";
import { columnTitle } from "../schema/dictionary.ts";
import { requireColumns } from "../table/read/requirements.ts";
import { type ChartOptions, chartSettings } from "./options.ts";
import { readRows, textValues } from "./read/rows.ts";
import { countOf, dayWords, inSentence, joined, valueTexts } from "./words.ts";

const GROWTH_WINDOWS = ["1d", "7d", "30d", "90d", "180d", "365d"] as const;

const MOST = 30;

function windowName(window: string): string {
  return countOf(Number.parseInt(window), "day");
}

/** Returns the only value of the column `measure`; null if it has no value. Throws if it has several values. */
function onlyMeasure(frame: DataFrame): string | null {
  const measures = new Set(textValues(frame, "measure"));
  const [measure = null, ...others] = measures;
  if (others.length === 0) return measure;
  throw new RangeError(
    `plotGrowth: the frame must hold one measure; got ${listed([...measures].map(String), 6)}`,
  );
}

/**
 * Returns the rows with the largest changes, then those with the smallest, in descending order. Null values come last.
 */
function mostExtreme<Row extends CellRow>(rows: readonly Row[], by: number, limit: number): Row[] {
  const size = ({ values }: Row) => values[by] ?? -Infinity;
  const ranked = rows.toSorted((a, b) => size(b) - size(a) || 0);
  if (ranked.length <= limit) return ranked;
  const known = ranked.filter(({ values }) => values[by] !== null);
  const gains = Math.ceil(limit / 2);
  if (known.length <= limit) return ranked.slice(0, limit);
  return [...known.slice(0, gains), ...known.slice(-(limit - gains))];
}

/**
 * Draws a table of growth, with one row per chain and one column per window. Each cell shows the change as a number
 * and as a color. Each column has its own color scale, because changes over a year are larger than those over a day.
 *
 * Takes the result of `growthTable`. If there are more than 30 chains (see `limit`), half of the drawn chains have the
 * largest changes over the window `field`, and the other half have the smallest changes.
 *
 * @example
 * ```ts
 * import { blockchainComparison, growthTable, plotGrowth } from "@chainframe/chainframe";
 *
 * const chart = plotGrowth(growthTable(await blockchainComparison(), { field: "ecosystem_tvl" }));
 * console.log(chart);
 * ```
 *
 * @throws {RangeError} when a column is missing, the frame holds several measures, or an option is out of range.
 * @throws {TypeError} when a column that must hold numbers does not.
 * @category Charts
 */
export function plotGrowth(
  frame: DataFrame,
  options: {
    /**
     * The column by which the chains are ranked: the change over this window.
     * @default {"30d"}
     */
    readonly field?: "1d" | "7d" | "30d" | "90d" | "180d" | "365d";
  } & ChartOptions = {},
): PlotChart {
  const source = "a frame of growthTable (plotTimeline draws the result of growthRates)";
  // Before the options, whose windows a frame of growthRates does not have.
  requireColumns(frame, { fn: "plotGrowth", source, numbers: GROWTH_WINDOWS });
  const settings = chartSettings("plotGrowth", options, { field: oneOf(GROWTH_WINDOWS) });
  const { fn, field = "30d", label, limit = MOST } = settings;
  const all = readRows(frame, {
    source,
    label,
    columns: [label ?? "chain_id", "measure"],
    numbers: GROWTH_WINDOWS,
  }, fn);
  const measure = onlyMeasure(frame);
  const by = GROWTH_WINDOWS.indexOf(field);
  const chosen = mostExtreme(all, by, limit);
  const drawn = GROWTH_WINDOWS.map((_, index) => index)
    .filter((index) => chosen.some(({ values }) => values[index] !== null));
  const without = GROWTH_WINDOWS.filter((_, index) => !drawn.includes(index)).map(windowName);
  const rows = chosen.map(({ label, values }) => ({
    label,
    values: drawn.map((index) => values[index]!),
  }));
  const partly = textValues(frame, "partly_filled");
  const parts = all.flatMap((row, at) =>
    partly[at] && chosen.includes(row) ? [`${row.label} (${partly[at]})`] : []
  );
  const noun = all[0]?.noun ?? "chain";
  const one = typeof noun === "string" ? noun : noun.one;
  const shown = drawn.map((index) => Number.parseInt(GROWTH_WINDOWS[index]!));
  const days = joined([...new Set([shown[0], shown.at(-1)])].map(String), " to ");
  return readyChart({
    again: plotGrowth,
    frame,
    settings,
    empty: drawn.length === 0,
    words: {
      what: measure === null ? "Change" : `Change of ${inSentence(columnTitle(measure))}`,
      of: countOf(chosen.length, noun),
      span: drawn.length === 0
        ? ""
        : joined([`${days} days`, dayWords("to", [frame, "30d"], settings)], " "),
      said: [`Largest change over ${windowName(field)} first`],
      kind: "Heat table",
      noun,
      rows: valueTexts(chosen, "change", ({ values }) => values[by]!),
      rowsAre: `change over ${windowName(field)}`,
      dropped: all.length > chosen.length &&
        `Drawn: the ${chosen.length} of ${
          countOf(all.length, noun)
        } with the largest and smallest changes.`,
      values: rows.flatMap(({ values }) => values.map((y, x) => ({ x, y, complete: true }))),
      notes: [
        without.length > 0 && `No value over ${listed(without, 6)}.`,
        parts.length > 0 && `${listed(parts, 3)}: ${PART_WINDOW}.`,
      ],
    },
    figure: (draw, look) =>
      draw.cellsFigure({
        rows,
        columns: drawn.map((index) => windowName(GROWTH_WINDOWS[index]!)),
        unit: "change",
        title: "Change; each column has its own color scale",
        down: one.replace(/^./u, (letter) => letter.toUpperCase()),
        order: drawn.indexOf(by),
      }, look),
  });
}
