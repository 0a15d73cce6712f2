import { aText, oneOf } from "../platform/check_options.ts";
import type { DataFrame } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { type Scale, SCALES } from "./comparison.ts";
import { type PlotChart, plotChart } from "./draw.ts";
import { wordsFor } from "./field_words.ts";
import { formatDay } from "./format.ts";
import { describeLines, requireNames } from "./line.ts";
import { type ChartOptions, chartSettings, lookOf } from "./options.ts";
import { periodsOf } from "./time_series.ts";
import { captionOf, emptyWords, groupsOf, numberValues } from "./values.ts";

/**
 * Options of `plotSlope`.
 *
 * @category Charts
 */
export interface PlotSlopeOptions extends ChartOptions {
  /** The column of the two dates, or whatever two things are compared. */
  readonly x: string;
  /** The numeric column. */
  readonly y: string;
  /** The column that names the lines. */
  readonly label: string;
  /**
   * How heights are measured: `"linear"`, `"log"` (where every value is above zero), on which lines that rise alike
   * grew by the same part, or `"auto"`: log where the largest value is more than a thousand times the smallest.
   * @default {"auto"}
   */
  readonly scale?: Scale;
}

const RULES = { x: aText, y: aText, scale: oneOf(SCALES) };
const MOST = 12;

/** The two things that a slope compares, in their order. */
function sidesOf(frame: DataFrame, column: string): [unknown, unknown] {
  const key = (value: unknown) => value instanceof Date ? value.getTime() : value;
  const values = ([...frame.getColumn(column)] as unknown[]).filter((value) => value !== null);
  const known = [...new Map(values.map((value) => [key(value), value])).values()];
  if (known.length !== 2) {
    throw new RangeError(`plotSlope: x: must have two values, and ${column} has ${known.length}`);
  }
  const text = typeof known[0] === "string";
  const [a, b] = known as [unknown, unknown];
  return text || Number(key(a)) < Number(key(b)) ? [a, b] : [b, a];
}

/**
 * What changed between two dates: one line for each group from its value on the left to that on the right, with
 * names and values at both sides.
 *
 * A group that has no value on one side is not drawn, and counted in the caption. Of more than 12 groups the
 * twelve that are largest on the right are drawn (`limit`).
 *
 * @example
 * ```ts
 * import { pl, plotSlope } from "@chainframe/chainframe";
 *
 * const frame = pl.DataFrame({
 *   year: [2025, 2026, 2025, 2026],
 *   chain: ["Alder", "Alder", "Basalt", "Basalt"],
 *   fees: [10, 30, 25, 20],
 * });
 * console.log(plotSlope(frame, { x: "year", y: "fees", label: "chain" }));
 * ```
 *
 * @throws {RangeError} when a column that is needed is missing, `x` does not have two values, or an option is
 * out of range.
 * @throws {TypeError} when `y` does not hold numbers.
 * @category Charts
 */
export function plotSlope(frame: DataFrame, options: PlotSlopeOptions): PlotChart {
  const asker = "plotSlope";
  const settings = chartSettings(asker, options, RULES);
  requireNames(asker, settings, ["x", "y", "label"]);
  const { x, y, label, unit, limit = MOST, from = frame, locale } = settings;
  const columns = [x!, label!];
  requireColumns(frame, {
    asker,
    source: "any frame with the columns named",
    columns,
    numbers: [y!],
  });
  const sides = frame.height === 0 ? ["", ""] as const : sidesOf(frame, x!);
  const { labels, ids } = groupsOf(frame, { names: [], label });
  const values = numberValues(frame, y!);
  const same = (value: unknown, side: unknown) =>
    value instanceof Date ? value.getTime() === (side as Date).getTime() : value === side;
  const groups = new Map<string, { id: string; label: string; ends: (number | null)[] }>();
  ([...frame.getColumn(x!)] as unknown[]).forEach((at, row) => {
    const side = sides.findIndex((side) => same(at, side));
    const group = groups.get(ids[row]!) ??
      { id: ids[row]!, label: labels[row]!, ends: [null, null] };
    if (side >= 0) group.ends[side] = values[row]!;
    groups.set(group.id, group);
  });
  const whole = [...groups.values()].filter(({ ends }) => ends.every((end) => end !== null))
    .toSorted((a, b) => b.ends[1]! - a.ends[1]!);
  const lines = whole.slice(0, limit).map(({ id, label, ends }) => (
    { id, label, points: ends.map((value, at) => ({ at, value })) }
  ));
  const { every, text } = x === "date" ? periodsOf(frame) : { every: null, text: formatDay };
  const name = (side: unknown) => side instanceof Date ? text(side, locale) : String(side);
  const words = wordsFor(y!, unit);
  const title = every === null ? words.title : words.title.replace(/, sum$/, ` per ${every}`);
  const empty = lines.length === 0;
  const about = {
    title: settings.title ?? title,
    subtitle: settings.subtitle ?? (empty ? "" : `${name(sides[0])} and ${name(sides[1])}`),
    label: empty ? emptyWords(frame) : describeLines(lines, words.unit),
    caption: captionOf(frame, settings, [
      ...groups.size > whole.length
        ? [`Without a value on one side, and not drawn: ${groups.size - whole.length}.`]
        : [],
      ...whole.length > lines.length
        ? [`${whole.length} groups: drawn are the ${limit} that end highest.`]
        : [],
    ]),
  };
  const { height = 420, scale = "auto" } = settings;
  const view = { ...lookOf(about, settings), height, scale, words, lines };
  type Draw = typeof import("./plot/draw_slope.ts");
  const draw = (): Promise<Draw> => import(new URL("./plot/draw_slope.ts", import.meta.url).href);
  return plotChart({
    ...{ ...view, from },
    spec: async (width) =>
      (await draw()).slopeFigure({ ...view, width, sides: [name(sides[0]), name(sides[1])] }),
  });
}
