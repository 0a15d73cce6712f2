import { aText, oneOf } from "../platform/check_options.ts";
import type { DataFrame } from "../table/polars.ts";
import { type Scale, SCALES } from "./comparison.ts";
import { type PlotChart, plotChart, type VegaChart, vegaChart } from "./draw.ts";
import { countOf, formatValue } from "./format.ts";
import { type ChartOptions, chartSettings, lookOf } from "./options.ts";
import type { TimelineView } from "./plot/time_lines.ts";
import {
  lastValue,
  periodsOf,
  readTimeline,
  spanWords,
  type Timeline,
  timeNotes,
  type TimeSeries,
} from "./time_series.ts";
import { captionOf, emptyWords } from "./values.ts";

/**
 * Options of `plotTimeline` and `vegaTimeline`.
 *
 * @category Charts
 */
export interface PlotTimelineOptions extends ChartOptions {
  /**
   * The column that is drawn.
   * @default {the first column of numbers that has a value}
   */
  readonly field?: string;
  /**
   * `"log"` and `"linear"` say which axis, `"auto"` leaves it to the values: logarithmic where they are all above
   * zero and the largest is more than a thousand times the smallest; of an index, more than twenty times.
   * @default {"auto"}
   */
  readonly scale?: Scale;
}

const RULES = { field: aText, scale: oneOf(SCALES) };
const MOST = 24;

/** The sum of several lines; null where none of them has a value. */
function sumOf(series: readonly TimeSeries[], label: string): TimeSeries {
  const [first] = series;
  const points = first!.points.map(({ date }, index) => {
    const all = series.map(({ points }) => points[index]!);
    const values = all.flatMap(({ value }) => value === null ? [] : [value]);
    const value = values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
    return { date, complete: all.every(({ complete }) => complete), value };
  });
  return { id: label, label, points, folded: true };
}

/** The largest lines, by their last values, and what became of the others. */
function folded({ series, words }: Timeline, limit: number) {
  const ranked = series.filter((each) => lastValue(each) !== null)
    .toSorted((a, b) => lastValue(b)! - lastValue(a)!);
  if (ranked.length <= limit) return { series: ranked, notes: [] };
  const count = words.additive ? limit - 1 : limit;
  const rest = ranked.slice(count);
  const what = `${ranked.length} lines: drawn are the ${count} largest at their ends`;
  return words.additive
    ? {
      series: [...ranked.slice(0, count), sumOf(rest, `other (${countOf(rest.length, "line")})`)],
      notes: [`${what}, and the sum of the others.`],
    }
    : { series: ranked.slice(0, count), notes: [`${what}; these do not add up.`] };
}

function describe(series: readonly TimeSeries[], { words, dates }: Timeline): string {
  const ends = series.slice(0, 4).map((each) =>
    `${each.label} ${formatValue(lastValue(each)!, words.unit)}`
  );
  const more = series.length > 4 ? ` and ${series.length - 4} more` : "";
  return `Line chart of ${countOf(series.length, "line")} over ${
    countOf(dates.length, "period")
  }, at their ends: ${ends.join("; ")}${more}.`;
}

function timelineView(frame: DataFrame, options: PlotTimelineOptions, asker: string) {
  const settings = chartSettings(asker, options, RULES);
  const { scale = "auto", limit = MOST, from = frame } = settings;
  const timeline = readTimeline(frame, settings, asker);
  const { series, notes } = folded(timeline, limit);
  const without = timeline.series.filter((each) => lastValue(each) === null).length;
  const { words } = timeline;
  const only = series.length === 1 && timeline.series.length === 1 ? `: ${series[0]!.label}` : "";
  const empty = series.length === 0;
  const about = {
    title: settings.title ?? `${words.title}${only}`,
    subtitle: settings.subtitle ?? spanWords(timeline, frame, settings),
    label: empty ? emptyWords(frame) : describe(series, timeline),
    caption: captionOf(frame, settings, [
      ...notes,
      ...without > 0 && !empty ? [`Without any value: ${countOf(without, "line")}.`] : [],
      ...timeNotes(series),
    ]),
  };
  const { height = 400 } = settings;
  const view: TimelineView = {
    ...{ ...lookOf(about, settings), height, scale, series, words, dates: timeline.dates },
    period: periodsOf(frame),
    hundred: /_index$/.test(timeline.field),
  };
  return { view, from };
}

/**
 * Lines over time, with their names at their ends: a line for each group, small multiples where there are more
 * than eight and none is highlighted. Periods that are not complete are hollow and dashed, a null is a gap, and
 * an index has a line at 100.
 *
 * Takes what `timeline`, `growthRates`, `indexed`, `rollingMean` or `comparisonOver` gives. Of more than 24 lines
 * (`limit`) those are drawn that are largest at their ends, and the sum of the others where they add up.
 *
 * @example
 * ```ts
 * import { plotTimeline, timeline } from "@chainframe/chainframe";
 *
 * const fees = await timeline({
 *   metric_ids: ["fees"],
 *   group_by: "market-sector",
 *   every: "quarter",
 *   from: "2025-01",
 *   to: "2025-12",
 * });
 * const chart = plotTimeline(fees, { field: "fees_sum" });
 * console.log(chart);
 * ```
 *
 * @throws {RangeError} when a column that is needed is missing, a line has two rows of one period, or an option
 * is out of range.
 * @throws {TypeError} when a column does not hold what it has to.
 * @category Charts
 */
export function plotTimeline(frame: DataFrame, options: PlotTimelineOptions = {}): PlotChart {
  const { view, from } = timelineView(frame, options, "plotTimeline");
  type Draw = typeof import("./plot/draw_timeline.ts");
  const draw = (): Promise<Draw> =>
    import(new URL("./plot/draw_timeline.ts", import.meta.url).href);
  return plotChart({
    ...{ ...view, from },
    spec: async (width) => (await draw()).timelineFigure({ ...view, width }),
  });
}

/**
 * Lines over time that answer to the mouse: hovering shows the numbers, dragging across marks a span of time, a
 * click on a name shows its line alone, and the next click all again. In the page that `save` makes the names
 * take keys as well. Names stand at the ends of the lines, as far as they fit; else above.
 *
 * Takes what `plotTimeline` takes, and draws the same lines in one panel.
 *
 * @example
 * ```ts
 * import { timeline, vegaTimeline } from "@chainframe/chainframe";
 *
 * const fees = await timeline({
 *   metric_ids: ["fees"],
 *   group_by: "market-sector",
 *   every: "quarter",
 *   from: "2025-01",
 *   to: "2025-12",
 * });
 * console.log(vegaTimeline(fees, { field: "fees_sum" }));
 * ```
 *
 * @throws {RangeError} when a column that is needed is missing, a line has two rows of one period, or an option
 * is out of range.
 * @throws {TypeError} when a column does not hold what it has to.
 * @category Charts
 */
export function vegaTimeline(frame: DataFrame, options: PlotTimelineOptions = {}): VegaChart {
  const { view, from } = timelineView(frame, options, "vegaTimeline");
  type Draw = typeof import("./vega/draw_timeline.ts");
  const draw = (): Promise<Draw> =>
    import(new URL("./vega/draw_timeline.ts", import.meta.url).href);
  return vegaChart({
    ...{ ...view, from },
    spec: async (width) => (await draw()).timelineSpec({ ...view, width }),
  });
}
