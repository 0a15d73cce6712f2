import { boolean, oneOf, string } from "../platform/check_options.ts";
import { listed } from "../platform/terminal.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import type { PlotChart } from "./chart.ts";
import { type ReadyChart, readyChart } from "./ready_chart.ts";
import type { BarsPlan } from "./drawing/bars.ts";
import type { LinesPlan } from "./drawing/line_plan.ts";
import { drawnEvents, type EventOptions, someEvents } from "./event_lines.ts";
import { extentOf } from "./extent.ts";
import { type ChartOptions, chartSettings, SCALES } from "./options.ts";
import { daysText } from "./periods.ts";
import { largest, lastValue, type Line, pointsOf, sumOfLines } from "./read/lines.ts";
import { movers, rankedLines, rankTexts } from "./read/ranks.ts";
import { DRAWN_AS, readTimeline, type Timeline } from "./read/timeline.ts";
import {
  aReference,
  type ReferenceOptions,
  referenceRules,
  referenceWords,
  requireReference,
} from "./reference.ts";
import {
  countOf,
  inSentence,
  joined,
  largestOf,
  type Note,
  pluralOf,
  valueTexts,
} from "./words.ts";

const RULES = {
  field: string,
  x: string,
  by: string,
  as: oneOf(DRAWN_AS),
  descending: boolean,
  scale: oneOf(SCALES),
  axes: oneOf(["shared", "own"]),
  events: someEvents,
  reference: aReference,
};
const MOST = { value: 24, rank: 12, stack: 6 };
const INDEX_LOG_FROM = 20;

const PER_DAY = "Sums are compared per day of the period.";

/** The texts and the figure of a chart over time. */
type Form = Pick<ReadyChart, "figure"> & { readonly words: Partial<ReadyChart["words"]> };

/** The lines that are drawn, and what was left out. */
type Drawn = ReturnType<typeof chosen>;

/** Returns the lines to draw: the largest, with the sum of the others if values add up. */
function chosen(read: Timeline, lines: readonly Line[]) {
  const { as, limit = MOST[as], noun, measure, levels } = read;
  const ranks = as === "rank";
  const all = lines.filter((line) => lastValue(line) !== null);
  const { kept, ...left } = largest(all, {
    limit,
    sizeOf: (line) =>
      ranks
        ? -lastValue(line)!
        : levels === undefined
        ? lastValue(line)
        : levels.get(line.label) ?? null,
    other: as === "stack" || measure.additive && !ranks
      ? (rest) => sumOfLines(rest, `other (${countOf(rest.length, noun)})`)
      : undefined,
  }, ranks ? `${pluralOf(noun)} with the first ranks,` : `largest ${pluralOf(noun)}`);
  const named = kept.filter(({ folded }) => !folded);
  const [group] = named;
  const drawn = left.others > 0 ? all.filter(({ folded }) => !folded).length : named.length;
  const missing = read.lines.filter((line) => !all.some(({ label }) => label === line.label));
  return {
    kept,
    left,
    points: pointsOf(kept),
    missing: all.length === 0 ? [] : missing.map(({ label }) => label),
    of: drawn > 1 ? largestOf(named.length, drawn, noun) : group?.id ? group.label : "",
  };
}

/** Returns a note on the last periods, if lines leave them out. */
function unfinishedNote({ unfinished, name }: Timeline): Note {
  const names = listed(unfinished.map(name), 3);
  return unfinished.length > 0 &&
    `Not drawn: ${names}, which ${unfinished.length > 1 ? "are" : "is"} not over.`;
}

/** Draws the values of a single date as bars. */
function barsForm(read: Timeline, { kept, points }: Drawn): Form {
  const plan: BarsPlan = {
    measures: [read.measure],
    items: kept.map(({ points: [point], ...line }) => (
      { ...line, values: [point!.y], hollow: !point!.complete }
    )),
    noun: read.noun.one,
    as: "bars",
    scale: read.scale,
    reference: read.reference,
  };
  return {
    words: { kind: "Bar chart", values: points, incomplete: "faded" },
    figure: (draw, look) => draw.barsFigure(plan, look),
  };
}

/** Draws values as stacked bars. Bars that lack a part are faded. */
function stackForm(read: Timeline, { kept, points }: Drawn): Form {
  const { open, name, measure } = read;
  const running = new Set(points.flatMap(({ x, complete }) => complete ? [] : [x]));
  const lacking = [...open].filter((x) => !running.has(x)).toSorted((a, b) => a - b).map(name);
  const lines = kept.map((line) => ({
    ...line,
    points: line.points.map((point) => (
      { ...point, complete: point.complete && !open.has(point.x) }
    )),
  }));
  const events = drawnEvents(read.events, extentOf(points.map(({ x }) => x)));
  return {
    words: {
      kind: "Stacked bars",
      values: points,
      incomplete: "faded",
      notes: [
        lacking.length > 0 && `Faded, without all parts: ${listed(lacking, 3)}.`,
        events.note,
      ],
    },
    figure: (draw, look) =>
      draw.stacksFigure({
        lines,
        y: { unit: measure.unit, name: "" },
        rules: [...events.rules, ...referenceRules(read.reference)],
        write: name,
        // Shares are stacked up to 100%.
        ...measure.unit === "fraction"
          ? { empty: "no total" }
          : { total: sumOfLines(lines, "total") },
      }, look),
  };
}

/** Draws the rank of each line in each complete period. */
function rankForm(read: Timeline, { kept, of }: Drawn): Form {
  const { open, name, measure, descending } = read;
  const title = inSentence(measure.title);
  const events = drawnEvents(read.events, extentOf(pointsOf(kept).map(({ x }) => x)));
  return {
    words: {
      what: "Ranks",
      of: `${of} by ${title}`,
      kind: "Ranks over time",
      rows: rankTexts(kept),
      rowsAre: "",
      values: pointsOf(read.lines).filter(({ x, y }) => y !== null && open.has(x))
        .map((point) => ({ ...point, complete: false })),
      incomplete: "not ranked",
      said: [`Rank 1: the ${descending ? "largest" : "smallest"} ${title}`, read.often],
      notes: [events.note],
    },
    figure: (draw, look) =>
      draw.linesFigure({
        lines: kept,
        x: { dates: read.dates, name: "", write: name },
        y: { unit: measure.unit, name: "" },
        ranks: true,
        rules: events.rules,
      }, look),
  };
}

/** Draws values as lines, in one panel or in a panel for each line. */
function valueForm(read: Timeline, { kept, points }: Drawn): Form {
  const { dates, measure, hundred, name, settings, reference, unfinished } = read;
  const base = [...Map.groupBy(points.filter(({ y }) => hundred && y !== null), ({ x }) => x)]
    .find(([, some]) => some.every(({ y }) => Math.abs(y! - 100) < 1e-9));
  const events = drawnEvents(read.events, extentOf(points.map(({ x }) => x)));
  const plan: LinesPlan = {
    lines: kept,
    x: { dates, daily: read.daily, name: read.across, ...dates && { write: name } },
    y: {
      unit: read.unit,
      name: "",
      scale: read.scale,
      zero: measure.additive && !hundred,
      holds: hundred ? [100] : [],
      ...hundred ? { logFrom: INDEX_LOG_FROM } : {},
    },
    ifCrowded: true,
    panels: dates && kept.length > 1 && settings.highlight === undefined
      ? settings.axes ?? "auto"
      : undefined,
    rules: [
      ...hundred ? [{ y: 100, label: "100" }] : [],
      ...events.rules,
      ...referenceRules(reference),
    ],
  };
  const goal = referenceWords(reference, read.unit);
  return {
    words: {
      ...hundred && {
        said: [
          joined(
            [base === undefined ? "index" : `index, ${name(base[0])} = 100`, read.often],
            ", ",
          ),
        ],
      },
      kind: goal === "" ? "Line chart" : `Line chart, with the line ${goal},`,
      // The figure names the gaps of lines.
      values: points.filter(({ y }) => y !== null),
      ...unfinished.length === 0 && pointsOf(read.lines).some(({ complete }) => complete)
        ? { incomplete: "hollow: not all days" }
        : {},
      notes: [events.note],
    },
    figure: (draw, look) => draw.linesFigure(plan, look),
  };
}

/**
 * Draws lines over dates or numbers. The name of each line and its last value are at its end. The lines show values or
 * ranks. If one panel has no room for the names of all lines over time, or if lines cross each other often, each line has
 * its own panel, unless some lines are highlighted. A period that is not over is left out of lines, and faded in bars. A
 * point that lacks days of a finished period is hollow. They are ignored when lines are chosen. A period has ranks if its total is complete. A
 * null makes a gap, and so does a missing period. The values of a single date are bars.
 *
 * Takes the result of `timeline`, `growthRates`, `indexed`, `rollingMean` or `answersOf` with `values`, or any other frame if
 * the options name its columns. If there are more than 24 lines (12 for ranks; see `limit`), the lines with the largest
 * values in the last complete period are drawn, for an index those before they were indexed. If values can be added, the
 * sum of the other lines is also drawn.
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
 * console.log(plotTimeline(fees, { field: "fees_sum" }));
 * console.log(plotTimeline(fees, { field: "fees_sum", as: "rank" }));
 * ```
 *
 * @throws {RangeError} when a column is missing, a line has two rows with the same `x`, values that do not add up are
 * stacked, the frame is a result of `check`, or an option is out of range.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Charts
 */
export function plotTimeline(
  frame: DataFrame,
  options:
    & {
      /**
       * The numeric column of the vertical axis.
       * @default {the column that a function such as `growthRates` added, else the first column of numbers that has a value}
       */
      readonly field?: string;
      /**
       * The column of the horizontal axis: dates or numbers.
       * @default {"date"}
       */
      readonly x?: string;
      /**
       * The column of ids or names whose values have a line each. To show other names, set `label`.
       * @default {the names or ids of the frame that distinguish its rows}
       */
      readonly by?: string;
      /**
       * `"value"` draws values. `"rank"` draws the rank of each line in each complete period, with rank 1 for the largest
       * value; the lines that gain and lose most ranks are in color (see `highlight`). `"stack"` draws stacked bars with
       * their total, for values that add up over the lines; the column `share` of `shares` is stacked up to 100%. Bars
       * that lack a part are faded.
       * @default {"value", and "stack" for the shares that `shares` returns}
       */
      readonly as?: "value" | "rank" | "stack";
      /**
       * Whether the largest value has rank 1.
       * @default {true}
       */
      readonly descending?: boolean;
      /**
       * The scale of the vertical axis. `"auto"` is logarithmic if all values are above zero, the largest value is more
       * than 30 times the smallest value (for an index, more than 20 times), and the values are not fractions.
       * @default {"auto"}
       */
      readonly scale?: "auto" | "linear" | "log";
      /**
       * Whether the panels of many lines share a vertical axis.
       * @default {"own" if at least half of the lines would use less than 15% of a shared axis}
       */
      readonly axes?: "shared" | "own";
    }
    & EventOptions
    & ReferenceOptions
    & ChartOptions = {},
): PlotChart {
  const settings = chartSettings("plotTimeline", options, RULES);
  requireReference(settings);
  const read = readTimeline(frame, settings);
  const { as, dates, measure, name, locale } = read;
  const ranks = as === "rank";
  const lines = ranks ? rankedLines(read.lines, read.open, read.descending) : read.lines;
  const drawn = chosen(read, lines);
  const { kept, of, left, missing, points } = drawn;
  const places = points.map(({ x }) => x);
  const [low, high] = extentOf(places);
  // One date has no line.
  const form = ranks
    ? rankForm(read, drawn)
    : as === "stack"
    ? stackForm(read, drawn)
    : low === high && dates
    ? barsForm(read, drawn)
    : valueForm(read, drawn);
  const { notes = [], ...words } = form.words;
  return readyChart({
    again: plotTimeline,
    frame,
    settings: ranks && kept.length > 2 ? { ...movers(kept), ...settings } : settings,
    series: kept,
    empty: kept.length === 0,
    words: {
      ...left,
      missing,
      what: measure.title,
      of,
      kind: "",
      rows: valueTexts(kept, read.unit, lastValue),
      rowsAre: "last complete values",
      span: dates ? daysText(places, locale, read.written) : "",
      said: [read.per],
      noun: read.noun,
      period: name,
      ...words,
      notes: [unfinishedNote(read), read.perDay && PER_DAY, ...notes],
    },
    figure: form.figure,
  });
}
