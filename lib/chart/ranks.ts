import { aFlag, aText } from "../platform/check_options.ts";
import type { DataFrame } from "../table/polars.ts";
import { type PlotChart, plotChart } from "./draw.ts";
import { countOf } from "./format.ts";
import { type ChartOptions, chartSettings, lookOf } from "./options.ts";
import type { RankedLine, RanksView } from "./plot/draw_ranks.ts";
import { readTimeline, spanWords, timeNotes, type TimeSeries } from "./time_series.ts";
import { captionOf, emptyWords } from "./values.ts";

/**
 * Options of `plotRanks`.
 *
 * @category Charts
 */
export interface PlotRanksOptions extends ChartOptions {
  /**
   * The column that ranks.
   * @default {the first column of numbers that has a value}
   */
  readonly field?: string;
  /**
   * Whether the largest value is first.
   * @default {true}
   */
  readonly descending?: boolean;
}

const RULES = { field: aText, descending: aFlag };
const MOST = 12;

/**
 * The ranks of each period: equal values share the smaller rank, and stand one below the other by name; a null
 * has no rank.
 */
function ranked(series: readonly TimeSeries[], descending: boolean): RankedLine[] {
  const sign = descending ? -1 : 1;
  const places = series.map((): { rank: number | null; place: number | null }[] => []);
  const periods = series[0]?.points.length ?? 0;
  for (let period = 0; period < periods; period++) {
    const there = series.flatMap(({ points, label }, index) => {
      const { value } = points[period]!;
      return value === null ? [] : [{ index, label, value }];
    }).toSorted((a, b) => sign * (a.value - b.value) || (a.label < b.label ? -1 : 1));
    for (const each of places) each.push({ rank: null, place: null });
    there.forEach(({ index, value }, place) => {
      const rank = there.findIndex((other) => other.value === value) + 1;
      places[index]![period] = { rank, place: place + 1 };
    });
  }
  return series.map(({ id, label, points }, index) => ({
    ...{ id, label },
    points: points.map(({ date, complete, value }, period) => ({
      ...{ date, complete, value, ...places[index]![period]! },
    })),
  }));
}

/** Where a line stands at its end, for an order from first to last. */
function lastPlace({ points }: RankedLine): number {
  return points.findLast(({ place }) => place !== null)?.place ?? Infinity;
}

function describe(lines: readonly RankedLine[]): string {
  const named = lines.slice(0, 5).map(({ label, points }) => {
    const known = points.filter(({ rank }) => rank !== null);
    return `${label} from ${known[0]!.rank} to ${known.at(-1)!.rank}`;
  });
  const more = lines.length > 5 ? ` and ${lines.length - 5} more` : "";
  return `Ranks of ${countOf(lines.length, "line")} over time: ${named.join("; ")}${more}.`;
}

/**
 * Ranks over periods, a bump chart: who overtook whom. The rank stands in each point, and the names at the ends.
 *
 * Takes what `timeline`, `growthRates`, `indexed`, `rollingMean` or `comparisonOver` gives. Ranks are those among
 * all of the frame; of more than 12 lines (`limit`) those are drawn that are first at their ends. Equal values
 * share the smaller rank. Periods that are not complete are hollow and dashed, a null is a gap.
 *
 * @example
 * ```ts
 * import { plotRanks, timeline } from "@chainframe/chainframe";
 *
 * const fees = await timeline({
 *   metric_ids: ["fees"],
 *   group_by: "chains",
 *   every: "quarter",
 *   from: "2025-01",
 *   to: "2025-12",
 * });
 * console.log(plotRanks(fees, { field: "fees_sum" }));
 * ```
 *
 * @throws {RangeError} when a column that is needed is missing, a line has two rows of one period, or an option
 * is out of range.
 * @throws {TypeError} when a column does not hold what it has to.
 * @category Charts
 */
export function plotRanks(frame: DataFrame, options: PlotRanksOptions = {}): PlotChart {
  const asker = "plotRanks";
  const settings = chartSettings(asker, options, RULES);
  const { descending = true, limit = MOST, from = frame, height } = settings;
  const timeline = readTimeline(frame, settings, asker);
  const all = ranked(timeline.series, descending)
    .filter((line) => lastPlace(line) !== Infinity)
    .toSorted((a, b) => lastPlace(a) - lastPlace(b));
  const lines = all.slice(0, limit);
  const order = descending ? "largest first" : "smallest first";
  const drawn = new Set(lines.map(({ label }) => label));
  const about = {
    title: settings.title ?? `${timeline.words.title}: ranks`,
    subtitle: settings.subtitle ??
      [spanWords(timeline, frame, settings), order].filter((part) => part !== "").join("; "),
    label: lines.length === 0 ? emptyWords(frame) : describe(lines),
    caption: captionOf(frame, settings, [
      ...all.length > lines.length
        ? [`${all.length} lines: drawn are the ${lines.length} that are first at their ends.`]
        : [],
      ...timeNotes(timeline.series.filter(({ label }) => drawn.has(label))),
    ]),
  };
  const view: RanksView = { ...lookOf(about, settings), height, lines, dates: timeline.dates };
  type Draw = typeof import("./plot/draw_ranks.ts");
  const draw = (): Promise<Draw> => import(new URL("./plot/draw_ranks.ts", import.meta.url).href);
  return plotChart({
    ...{ ...view, from },
    spec: async (width) => (await draw()).ranksFigure({ ...view, width }),
  });
}
