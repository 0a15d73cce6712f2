import type { DataFrame } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { type PlotChart, readyChart } from "./draw.ts";
import { countOf } from "./format.ts";
import { captionOf } from "./notes.ts";
import { type ChartOptions, chartSettings } from "./options.ts";
import { numberValues, recordsOf } from "./read/rows.ts";
import { largest, type Line, linesFrom } from "./read/lines.ts";
import { intervalName } from "./words.ts";

const MOST = 8;
const MOST_BANDS = 2;

/** Returns a function that formats a value as percentage points with a sign. */
function points(values: readonly (number | null)[]): (value: number) => string {
  const sizes = values.flatMap((value) => value === null ? [] : [Math.abs(100 * value)]);
  const digits = Math.max(0, ...sizes) < 10 ? 1 : 0;
  return (value) => {
    const size = Math.abs(100 * value).toFixed(digits);
    return Number(size) === 0 ? "0" : `${value < 0 ? "−" : "+"}${size}`;
  };
}

/** Reads one line for each pair of groups. */
function pairsOf(frame: DataFrame): Line[] {
  const rows = recordsOf(frame, {
    numbers: ["month", "difference", "lower", "upper"],
    texts: ["group_a", "group_b"],
  });
  const labels = rows.map(({ group_a, group_b }) => `${group_a} − ${group_b}`);
  return linesFrom({ labels, ids: labels }, (row) => {
    const { month, difference: y, lower, upper } = rows[row]!;
    return { x: month ?? 0, y, complete: true, lower, upper };
  });
}

function widest({ points }: Line): number {
  return Math.max(0, ...points.map(({ y }) => Math.abs(y ?? 0)));
}

/**
 * Draws the difference in retention between the two groups of a pair, by month, in percentage points. Bounds are drawn
 * as bands for up to two pairs, and as whiskers for more pairs. A difference whose bounds contain 0 may be due to
 * chance.
 *
 * Takes the result of `compareRetention` for one or several months. If there are more than 8 pairs (see `limit`), the
 * pairs with the largest differences are drawn.
 *
 * @example
 * ```ts
 * import { cohortAnalysis, compareRetention, plotDifference, retentionCurves } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * const pairs = compareRetention(curves, { by: "market_sector_id", month: [1, 3, 6] });
 * console.log(plotDifference(pairs));
 * ```
 *
 * @throws {RangeError} when a column is missing, or an option is out of range.
 * @throws {TypeError} when a column that must hold numbers does not.
 * @category Charts
 */
export function plotDifference(
  frame: DataFrame,
  options: ChartOptions = {},
): PlotChart {
  const fn = "plotDifference";
  const settings = chartSettings(fn, options, {});
  const { limit = MOST, locale } = settings;
  requireColumns(frame, {
    fn,
    source: "a frame of compareRetention",
    columns: ["group_a", "group_b"],
    numbers: ["month", "difference", "lower", "upper"],
  });
  const all = pairsOf(frame);
  const known = all.filter(({ points }) => points.some(({ y }) => y !== null));
  const what = "pairs with the largest differences";
  const { kept: lines, note } = largest(known, { limit, sizeOf: widest }, what);
  const drawn = lines.flatMap(({ points }) => points);
  const values = drawn.map(({ y }) => y);
  const write = points(values);
  const bounded = drawn.some(({ lower = null, upper = null }) => lower !== null && upper !== null);
  const interval = intervalName(numberValues(frame, "confidence"), locale);
  const texts = lines.map(({ label, points }) => {
    const last = points.findLast(({ y }) => y !== null)!;
    return `${label} ${write(last.y!)} in month ${last.x}`;
  });
  const bounds = !bounded ? undefined : lines.length <= MOST_BANDS ? "bands" : "whiskers";
  return readyChart({
    frame,
    settings: { format: write, ...settings },
    series: lines,
    empty: lines.length === 0,
    ...captionOf({
      what: "Difference in retention",
      of: lines.length === 1 ? lines[0]!.label : countOf(lines.length, "pair"),
      said: [`${lines.length === 1 ? "P" : "First group minus second, in p"}ercentage points`],
      kind: "Line chart",
      noun: "pair",
      rows: texts,
      dropped: note,
      values: drawn,
      bounds,
      interval,
    }),
    figure: (draw, look) =>
      draw.linesFigure({
        lines,
        x: { name: "Months since the cohort began", months: true },
        y: { unit: "change", name: "", scale: "linear", zero: true },
        bounds,
        interval,
        rules: [{ y: 0, label: "no difference" }],
      }, look),
  });
}
