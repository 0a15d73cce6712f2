import { boolean, oneOf, required, string } from "../platform/check_options.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import type { PlotChart } from "./chart.ts";
import { readyChart } from "./ready_chart.ts";
import { type Measure, measureOf } from "./measures.ts";
import { type ChartOptions, chartSettings, SCALES } from "./options.ts";
import { partWindowNote } from "./notes.ts";
import { datesText, timeOfRow } from "./periods.ts";
import { readRows } from "./read/rows.ts";
import { largest } from "./read/lines.ts";
import { bareTitle, countOf, dayWords, inSentence, joined, valueTexts } from "./words.ts";

const RULES = { x: required(string), y: required(string), scale: oneOf(SCALES), trend: boolean };
const MOST = 1000;

/**
 * Draws a scatter plot of two numeric columns of any frame. The points have names that do not overlap.
 *
 * A row is not drawn if one of its two values is null. The caption states the number of these rows. Names are placed
 * beside their points, starting with the largest `y`. If `highlight` is given, all other points are gray.
 *
 * @example
 * ```ts
 * import { blockchainComparison, plotScatter } from "@chainframe/chainframe";
 *
 * const chains = await blockchainComparison();
 * const chart = plotScatter(chains, {
 *   x: "active_users_daily_latest",
 *   y: "ecosystem_fees_30d_sum",
 *   label: "chain_name",
 * });
 * console.log(chart);
 * ```
 *
 * @throws {RangeError} when a required column is missing, or an option is out of range.
 * @throws {TypeError} when a column that has to hold numbers does not.
 * @category Charts
 */
export function plotScatter(
  frame: DataFrame,
  options: {
    /** The numeric column of the horizontal axis. */
    readonly x: string;
    /** The numeric column of the vertical axis. */
    readonly y: string;
    /**
     * The scale of both axes, as in `plotTimeline`. With `"auto"`, the scale of each axis depends on its own values.
     * @default {"auto"}
     */
    readonly scale?: "auto" | "linear" | "log";
    /**
     * Whether to draw the least-squares line from the first to the last point, and to state `r²` in the caption. If an axis is
     * logarithmic, the line is fitted to the logarithms of its values. With two logarithmic axes, the line is a power
     * law, and the caption has the exponent. The slope is `b = Σ(x − x̄)(y − ȳ) / Σ(x − x̄)²`, where `x̄`
     * and `ȳ` are the means. The value of the line at `x` is `ȳ + b (x − x̄)`. `r² = b² Σ(x − x̄)² / Σ(y − ȳ)²` is the
     * part of the variance of `y` that the line explains. A high `r²` does not prove that one quantity causes the
     * other. If there are fewer than three points, no line is drawn.
     * @default {false}
     */
    readonly trend?: boolean;
  } & ChartOptions,
): PlotChart {
  const settings = chartSettings("plotScatter", options, RULES);
  const { fn, x, y, label, unit, locale, limit = MOST, trend = false, scale = "auto" } = settings;
  const rows = readRows(frame, { label, alone: "", numbers: [x, y] }, fn);
  const all = rows.flatMap(({ values: [x = null, y = null], ...named }) =>
    x === null || y === null ? [] : [{ ...named, x, y }]
  );
  const { kept: points, ...left } = largest(all, { limit, sizeOf: ({ y }) => y }, "highest points");
  const [across, up] = [measureOf(frame, x), measureOf(frame, y, { unit })].map((measure) => (
    { ...measure, title: bareTitle(measure.title) }
  )) as [Measure, Measure];
  const places = valueTexts(points, across.unit, ({ x }) => x);
  const texts = valueTexts(
    points.map(({ y }, index) => ({ label: `${places[index]},`, y })),
    up.unit,
    ({ y }) => y,
  );
  const known = rows[0]?.noun;
  const entity = known === undefined || known.one === "group" ? null : known;
  const groups = new Map(points.map(({ id, label }) => [id, label]));
  // An entity can have a point at each date.
  const repeats = entity !== null && new Set(rows.map(({ id }) => id)).size < rows.length;
  const noun = repeats || entity === null ? "point" : entity;
  const [first = ""] = groups.values();
  const of = !repeats
    ? countOf(points.length, noun)
    : groups.size === 1
    ? first
    : countOf(groups.size, entity);
  const when = timeOfRow(frame);
  const one = entity === null ? "point" : repeats && when === "" ? "row" : entity.one;
  const without = rows.flatMap(({ label, values }) => values.includes(null) ? [label] : []);
  return readyChart({
    again: plotScatter,
    frame,
    settings,
    series: settings.highlight === undefined ? [] : points,
    groups: points,
    empty: points.length === 0,
    words: {
      what: `${up.title} against ${inSentence(across.title)}`,
      of,
      span: joined([
        dayWords("to", [frame, y], settings),
        datesText(frame, locale),
      ], ", "),
      said: [joined([`Each dot: one ${one}`, repeats ? when : ""], " ")],
      kind: "Scatter plot",
      noun,
      rows: texts,
      ...left,
      missing: repeats ? [] : without,
      notes: [
        repeats && without.length > 0 &&
        `Not drawn, no value: ${without.length} of ${countOf(rows.length, noun)}.`,
        partWindowNote(frame, [x, y]),
      ],
    },
    figure: (draw, look) => draw.scatterFigure({ points, x: across, y: up, scale, trend }, look),
  });
}
