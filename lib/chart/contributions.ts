import { oneOf } from "../platform/check_options.ts";
import { listed } from "../platform/terminal.ts";
import { aDay } from "../table/read/day_rule.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import type { PlotChart } from "./chart.ts";
import { readyChart } from "./ready_chart.ts";
import { drawnEvents, type EventOptions, someEvents } from "./event_lines.ts";
import { extentOf } from "./extent.ts";
import { formatCount } from "./format.ts";
import { wholeOf } from "./measures.ts";
import { type ChartOptions, chartSettings, type Settings } from "./options.ts";
import { daysText, periodText, writtenAs } from "./periods.ts";
import { datedFrame, readRecords } from "./read/rows.ts";
import {
  largest,
  lastValue,
  type Line,
  pointsOf,
  readLines,
  sumBy,
  sumOfLines,
} from "./read/lines.ts";
import { waterfallChart } from "./waterfall.ts";
import { countOf, type Note, valueTexts } from "./words.ts";

const MOST = 6;

const DRAWN_AS = ["stack", "waterfall"] as const;

const RULES = { as: oneOf(DRAWN_AS), from: aDay, to: aDay, events: someEvents };

/** Returns the sum of a group's absolute contributions over all periods. */
function weightOf({ points }: Line): number {
  return sumBy(points, ({ y }) => Math.abs(y ?? 0));
}

const OFTEN: Readonly<Record<string, string>> = {
  day: "daily ",
  week: "weekly ",
  month: "monthly ",
  quarter: "quarterly ",
  year: "yearly ",
};

/** Reads one line for each entity, and one line with the totals. All rows of a date have the same total. */
function readParts(frame: DataFrame, { fn, locale }: Settings) {
  const field = "contribution";
  const totals = readRecords(frame, {
    fn,
    source: "a frame of contributions",
    dates: ["date"],
    numbers: ["total", field],
  }, { texts: ["status", "per"] });
  const { lines } = readLines(frame, { field, x: "date" }, fn);
  const byDate = new Map(totals.map(({ date, total }) => [date!, total]));
  const points = [...byDate].map(([x, y]) => ({ x, y: y!, complete: true }));
  const total: Line = { id: "", label: "total", points: points.toSorted((a, b) => a.x - b.x) };
  const known = points.filter(({ y }) => y !== null).map(({ x }) => x);
  const [first, last] = extentOf(known);
  const lacking = total.points.filter(({ x, y }) => y === null && x > first && x < last)
    .map(({ x }) => periodText(new Date(x), writtenAs(frame), locale));
  const notes: Note[] = [
    totals.some(({ per }) => per === "day") && "Values per day of the period.",
    lacking.length > 0 && `No total, because a value is missing: ${listed(lacking, 3)}.`,
  ];
  return { lines, total, notes };
}

/**
 * Draws the result of `contributions`: the percentage points that each entity, such as a chain, adds to the growth of the
 * total. Each period has stacked bars, and a line shows the growth of the total.
 *
 * The 6 entities with the largest contributions (see `limit`) have their own bars. The other entities are combined into one
 * bar.
 *
 * With `as: "waterfall"`, each entity has one bar, which shows its change between two dates as a fraction of the total at
 * the first date. The change over several periods is Σ contribution_t · total_(t−1) / total_from. The bars add up to
 * the growth of the total, which is the last bar. An entity that enters adds its first value, and an entity that leaves
 * takes away its last value.
 *
 * @example
 * ```ts
 * import { contributions, plotContributions, timeline } from "@chainframe/chainframe";
 *
 * const fees = await timeline({
 *   metric_ids: ["fees"],
 *   group_by: "chains",
 *   every: "month",
 *   from: "2025-01",
 *   to: "2025-12",
 * });
 * const parts = contributions(fees, { field: "fees_sum" });
 * console.log(plotContributions(parts));
 * console.log(plotContributions(parts, { as: "waterfall", from: "2025-01", to: "2025-12" }));
 * ```
 *
 * @param frame a frame of `contributions`
 * @throws {RangeError} when columns are missing, an option is out of range, a date is in no period of the frame, or a period between the dates has no contributions.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Charts
 */
export function plotContributions(
  frame: DataFrame,
  options:
    & {
      /**
       * `"stack"` draws stacked bars for each period. `"waterfall"` draws one bar for each entity: its change between two
       * dates.
       * @default {"stack"}
       */
      readonly as?: "stack" | "waterfall";
      /**
       * The first period of a waterfall. All changes are fractions of the total in this period. Give any day of the
       * period: a Date, or a text such as `2025-01-31`. A month or a year means its first day.
       * @default {the period before the first period with contributions}
       */
      readonly from?: string | Date;
      /**
       * The last period of a waterfall, in the same form as `from`.
       * @default {the last period with contributions}
       */
      readonly to?: string | Date;
    }
    & EventOptions
    & ChartOptions = {},
): PlotChart {
  const settings = chartSettings("plotContributions", options, RULES);
  const { fn, as = "stack", from, to, limit = MOST, locale } = settings;
  const dated = datedFrame(frame, fn);
  const parts = readParts(dated, settings);
  const whole = wholeOf(frame, "contribution") ?? "the total";
  if (as === "waterfall") {
    if (settings.events !== undefined) {
      throw new RangeError(`${fn}: events: must not be given with as: "waterfall"`);
    }
    const again = plotContributions;
    return waterfallChart(dated, settings, { again, from, to, limit, whole, ...parts });
  }
  if (from !== undefined || to !== undefined) {
    throw new RangeError(`${fn}: ${from === undefined ? "to" : "from"}: requires as: "waterfall"`);
  }
  const { lines: all, total, notes } = parts;
  const known = new Set(
    pointsOf(all).flatMap(({ x, y }) => y === null ? [] : [x]),
  );
  const onlyKnown = (line: Line): Line => ({
    ...line,
    points: line.points.filter(({ x }) => known.has(x)),
  });
  const lines = all.map(onlyKnown);
  const weighty = lines.filter((line) => weightOf(line) > 0);
  const { kept, ...left } = largest(weighty, {
    limit,
    sizeOf: weightOf,
    // The periods of the frame are those whose total is complete.
    other: (rest) => {
      const sum = sumOfLines(rest, `other (${formatCount(rest.length)})`);
      return { ...sum, points: sum.points.map((point) => ({ ...point, complete: true })) };
    },
  });
  const { noun = "group" } = all[0] ?? {};
  const dates = [...known];
  const written = writtenAs(dated);
  const events = drawnEvents(settings.events, extentOf(dates));
  const of = countOf(weighty.length, noun);
  return readyChart({
    again: plotContributions,
    frame,
    settings,
    series: kept,
    empty: kept.length === 0,
    words: {
      what: `Contributions of ${of} to the ${OFTEN[written ?? ""] ?? ""}growth of ${whole}`,
      span: daysText(dates, locale, written),
      said: [`Changes of ${whole}, relative to the total of the period before`],
      kind: "Contributions",
      noun,
      rows: valueTexts(kept, "change", lastValue),
      rowsAre: "in the last period",
      ...left,
      values: pointsOf(kept).filter(({ complete }) => !complete),
      period: (at) => periodText(new Date(at), written, locale),
      incomplete: "faded",
      notes: [...notes, events.note],
    },
    figure: (draw, look) =>
      draw.stacksFigure({
        lines: kept,
        y: { unit: "change", name: "" },
        total: onlyKnown(total),
        empty: "no total",
        rules: events.rules,
      }, look),
  });
}
