import { momentNamed } from "../schema/period.ts";
import { boolean, oneOf, type Rule, string } from "../platform/check_options.ts";
import { whyNotAdded } from "../table/read/adds.ts";
import { everyIn, withPeriods } from "../table/read/periods.ts";
import { type DataFrame, pl } from "../table/columns/polars.ts";
import { listed, shown } from "../platform/terminal.ts";
import { columnIn } from "../table/track/descriptions.ts";
import { requireColumns } from "../table/read/requirements.ts";
import type { PlotChart } from "./chart.ts";
import { readyChart } from "./ready_chart.ts";
import type { BarsPlan } from "./drawing/bars.ts";
import type { LinesPlan } from "./drawing/line_plan.ts";
import { formatDay } from "./format.ts";
import { measureOf } from "./measures.ts";
import type { NumberUnit } from "./numbers.ts";
import { type ChartOptions, chartSettings, SCALES, type Settings } from "./options.ts";
import { daysText, periodText, writtenAs } from "./periods.ts";
import { numericColumns } from "./read/rows.ts";
import {
  largest,
  lastValue,
  type Line,
  openRanks,
  openTotals,
  pointsOf,
  readLines,
  sumOfLines,
} from "./read/lines.ts";
import { countOf, inSentence, joined, largestOf, pluralOf, valueTexts } from "./words.ts";

const DRAWN_AS = ["value", "rank", "stack"] as const;

/** Accepts a list of events, or a frame with the columns `date` and `label`. */
const someEvents: Rule<{ readonly x: number; readonly label: string }[]> = (value, refuse) => {
  const rows = pl.DataFrame.isDataFrame(value) ? value.toRecords() : value;
  if (!Array.isArray(rows)) refuse("must list events, each { date, label }");
  return (rows as ({ date?: unknown; label?: unknown } | null)[]).map((row, at) => {
    const date = momentNamed(row?.date, "start");
    if (date !== null && typeof row?.label === "string") {
      return { x: date.getTime(), label: row.label };
    }
    const wrong = date === null
      ? `date: must be a day, such as "2025-03-01"; element ${at} has ${shown(row?.date)}`
      : `label: must be a text; element ${at} has ${shown(row?.label)}`;
    return refuse(`must list events, each { date: "2025-03-01", label: "fork" }; ${wrong}`);
  });
};

const RULES = {
  field: string,
  x: string,
  by: string,
  as: oneOf(DRAWN_AS),
  descending: boolean,
  scale: oneOf(SCALES),
  axes: oneOf(["shared", "own"]),
  events: someEvents,
};
const DAY = 86_400_000;
/** The functions whose results compare the values of periods. */
const COMPARISONS = ["growthRates", "indexed"];
const MOST = { value: 24, rank: 12, stack: 11 };
/** If there are more lines than this, a single panel is hard to read. */
const MOST_TOGETHER = 8;
const INDEX_LOG_FROM = 20;
/** Panels have their own scales if the largest line is at least this times the smallest line. */
const OWN_FROM = 10;

/** Returns the column to draw: the named column, else the first number that a table shows and that has a value. */
function fieldOf(frame: DataFrame, { field, x = "date", fn }: Settings<typeof RULES>) {
  if (field !== undefined) return field;
  if (frame.columns.includes("rule") && frame.columns.includes("severity")) {
    throw new RangeError(
      `${fn}: frame: expected values over time; got the rows of check. Print them by show(frame), ` +
        "and draw the frame that was checked",
    );
  }
  const [found] = numericColumns(frame, x);
  if (found !== undefined) return found;
  throw new RangeError(`${fn}: field: the frame has no column of numbers`);
}

/**
 * Returns the ranks of lines in each complete period. Each point has two ranks. In `text`, which is written in the
 * marker, lines with equal values share the smaller rank. In `y`, the position, lines with equal values have successive
 * ranks, in order of their labels. A null has no rank, and no value has one in the periods that `open` has.
 */
function ranked(lines: readonly Line[], open: ReadonlySet<number>, descending: boolean): Line[] {
  const sign = descending ? -1 : 1;
  const known = lines.flatMap(({ label, points }) =>
    points.flatMap(({ x, y }) => y === null || open.has(x) ? [] : [{ x, y, label }])
  );
  const order = Map.groupBy(
    known.toSorted((a, b) => sign * (a.y - b.y) || (a.label < b.label ? -1 : 1)),
    ({ x }) => x,
  );
  const last = Math.max(...order.keys());
  return lines.map((line) => ({
    ...line,
    points: line.points.filter(({ x }) => x <= last).map((point) => {
      const there = point.y === null ? undefined : order.get(point.x);
      if (there === undefined) return { ...point, y: null };
      const place = there.findIndex(({ label }) => label === line.label);
      const rank = there.findIndex(({ y }) => y === point.y) + 1;
      return { ...point, y: place + 1, text: String(rank) };
    }),
  }));
}

/** Returns the first and the last rank of each line. */
function rankTexts(lines: readonly Line[]): string[] {
  return lines.map(({ label, points }) => {
    const known = points.filter(({ text }) => text !== undefined);
    return `${label} from ${known[0]?.text} to ${known.at(-1)?.text}`;
  });
}

/** Returns whether panels share an axis. Fractions share one, because their sizes have a common meaning. */
function panelsOf(lines: readonly Line[], axes: "shared" | "own" | undefined, unit: NumberUnit) {
  const sizes = lines.map(({ points }) => Math.max(...points.map(({ y }) => Math.abs(y ?? 0))))
    .filter((size) => size > 0);
  const apart = unit !== "fraction" && unit !== "change" &&
    Math.max(...sizes) >= OWN_FROM * Math.min(...sizes);
  return axes ?? (apart ? "own" : "shared");
}

/** Highlights the lines that gain and that lose most ranks, if any line gains or loses a rank. */
function movers(lines: readonly Line[]): { highlight?: string[] } {
  const moved = lines.map(({ id, points }) => {
    const known = points.flatMap(({ text }) => text === undefined ? [] : [Number(text)]);
    return { id, by: (known[0] ?? 0) - (known.at(-1) ?? 0) };
  }).toSorted((a, b) => b.by - a.by);
  const ends = [moved[0]!, moved.at(-1)!];
  const ids = ends.filter(({ by }, side) => side === 0 ? by > 0 : by < 0).map(({ id }) => id);
  return ids.length === 0 ? {} : { highlight: ids };
}

/**
 * Draws lines over dates or numbers. The name of each line is at its end. The lines show values or ranks. If there are
 * more than eight lines over time, each line has its own panel, unless some lines are highlighted. Incomplete periods are
 * hollow markers without a line. They are ignored when lines are chosen. A period has ranks if its total is complete. A
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
  options: {
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
     * @default {"value"}
     */
    readonly as?: "value" | "rank" | "stack";
    /**
     * Events that vertical lines mark: a list such as `[{ date: "2025-03-01", label: "fork" }]`, or a frame with the
     * columns `date` and `label`.
     * @default {none}
     */
    readonly events?:
      | readonly { readonly date: string | Date; readonly label: string }[]
      | DataFrame;
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
     * @default {"own" if the largest line is at least ten times the smallest, except for fractions and indexes}
     */
    readonly axes?: "shared" | "own";
  } & ChartOptions = {},
): PlotChart {
  const settings = chartSettings("plotTimeline", options, RULES);
  const { fn, x = "date", by, label, as = "value", locale, scale, limit = MOST[as] } = settings;
  const source = "a frame with dates, or with the columns named";
  requireColumns(frame, { fn, source, columns: [x] });
  const dated = x === "date" ? withPeriods(frame, { fn }) : frame;
  const field = fieldOf(dated, settings);
  const reason = as === "stack" ? whyNotAdded(dated, field) : null;
  if (reason !== null) throw new RangeError(`${fn}: as: ${field} cannot be stacked: ${reason}`);
  const read = (field: string) => readLines(dated, { field, x, by: by ?? label, label }, fn);
  const { lines: values, dates } = read(field);
  // One or two dates without `until` do not show the length of their periods.
  const isKnown = frame.columns.includes("until") || dated.getColumn(x).nUnique() > 2;
  const every = x === "date" && isKnown ? everyIn(dated) : null;
  const written = x === "date" ? writtenAs(frame) : null;
  const name = (at: number) => periodText(new Date(at), written, locale);
  const measure = measureOf(dated, field, { unit: settings.unit, every });
  const hundred = columnIn(dated, field)?.unit === "index";
  const ranks = as === "rank";
  const noun = values[0]?.noun ?? "group";
  const { descending = true } = settings;
  const running = new Set(pointsOf(values).flatMap(({ x, complete }) => complete ? [] : [x]));
  const partial = ranks ? openRanks(values, { limit, descending }) : openTotals(values);
  const settled = pointsOf(values).some(({ x, y }) => y !== null && !partial.has(x));
  const open = settled ? partial : running;
  const all = (ranks ? ranked(values, open, descending) : values)
    .filter((line) => lastValue(line) !== null);
  // The lines of an index are chosen by the values from which it was computed.
  const column = columnIn(dated, field);
  const level = column?.from === "indexed" ? column.of?.[0]?.name ?? field : field;
  const levels = hundred && dated.columns.includes(level)
    ? new Map(read(level).lines.map((line) => [line.label, lastValue(line)]))
    : undefined;
  const { kept: lines, ...left } = largest(all, {
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
  const unit = hundred ? "count" : measure.unit;
  const points = pointsOf(lines);
  const places = points.map(({ x }) => x);
  const [low, high] = [Math.min(...places), Math.max(...places)];
  const base = [...Map.groupBy(points.filter(({ y }) => hundred && y !== null), ({ x }) => x)]
    .find(([, some]) => some.every(({ y }) => Math.abs(y! - 100) < 1e-9));
  const named = lines.filter(({ folded }) => !folded);
  const [group] = named;
  const drawn = left.others > 0 ? all.filter(({ folded }) => !folded).length : named.length;
  const of = drawn > 1 ? largestOf(named.length, drawn, noun) : group?.id ? group.label : "";
  const events = (settings.events ?? []).filter(({ x }) => x >= low && x <= high)
    .toSorted((a, b) => a.x - b.x);
  const outside = (settings.events ?? []).length - events.length;
  const perDay = column?.per === "day" && COMPARISONS.includes(column.from ?? "");
  const lacking = [...open].filter((x) => !running.has(x)).toSorted((a, b) => a - b).map(name);
  // One date has no line.
  const single = low === high && dates && as === "value";
  // Single days that are far apart are snapshots.
  const snapshots = every === "day" && high - low > 2 * DAY * new Set(places).size;
  const often = every === null || single || snapshots || measure.title.includes(`per ${every}`)
    ? ""
    : `by ${every}`;
  const plan: LinesPlan = {
    lines: as !== "stack" ? lines : lines.map((line) => ({
      ...line,
      points: line.points.map((point) => (
        { ...point, complete: point.complete && !open.has(point.x) }
      )),
    })),
    x: {
      dates,
      name: dates ? "" : measureOf(dated, x).title,
      ...dates && { write: name },
    },
    y: {
      unit,
      name: hundred ? `index${base === undefined ? "" : `, ${name(base[0])} = 100`}` : measure.axis,
      scale,
      zero: measure.additive && !hundred,
      ...hundred ? { logFrom: INDEX_LOG_FROM, holds: [100] } : {},
    },
    ranks,
    panels: as === "value" && dates && lines.length > MOST_TOGETHER &&
        settings.highlight === undefined
      ? panelsOf(lines, hundred ? "shared" : settings.axes, measure.unit)
      : undefined,
    rules: [...hundred ? [{ y: 100, label: "100" }] : [], ...events],
  };
  const bars: BarsPlan | undefined = !single ? undefined : {
    measures: [measure],
    items: lines.map(({ points: [point], ...line }) => (
      { ...line, values: [point!.y], hollow: !point!.complete }
    )),
    noun: values[0]?.noun?.one ?? "group",
    as: "bars",
    scale,
  };
  return readyChart({
    again: plotTimeline,
    frame,
    settings: ranks && lines.length > 2 ? { ...movers(lines), ...settings } : settings,
    series: lines,
    empty: lines.length === 0,
    words: {
      ...left,
      missing: all.length === 0
        ? []
        : values.filter((line) => lastValue(line) === null).map(({ label }) => label),
      ...ranks
        ? {
          what: "Ranks",
          of: `${of} by ${inSentence(measure.title)}`,
          kind: "Ranks over time",
          rows: rankTexts(lines),
          values: pointsOf(values).filter(({ x, y }) => y !== null && open.has(x))
            .map((point) => ({ ...point, complete: false })),
          incomplete: "not ranked",
        }
        : {
          what: measure.title,
          of,
          kind: as === "stack" ? "Stacked bars" : single ? "Bar chart" : "Line chart",
          rows: valueTexts(lines, unit, lastValue),
          rowsAre: "last complete values",
          values: points,
          incomplete: as === "stack" || single ? "faded" : "hollow",
        },
      span: dates ? daysText(places, locale, written) : "",
      said: ranks
        ? [
          `Rank 1: the ${settings.descending === false ? "smallest" : "largest"} ${
            inSentence(measure.title)
          }`,
          often,
        ]
        : [joined([measure.title, often], measure.title.includes(",") ? ", " : " ")],
      noun,
      period: name,
      notes: [
        as === "stack" && lacking.length > 0 && `Faded, without all parts: ${listed(lacking, 3)}.`,
        perDay && "Sums are compared per day of the period.",
        outside > 0 && `Events outside the drawn dates: ${outside}.`,
        events.length > 0 &&
        `Vertical lines: ${
          events.map(({ x, label }, at) =>
            `${events.length > 1 ? `${at + 1} ` : ""}${label} (${formatDay(new Date(x), locale)})`
          ).join(", ")
        }.`,
      ],
    },

    figure: (draw, look) =>
      bars !== undefined ? draw.barsFigure(bars, look) : as === "stack"
        ? draw.stacksFigure({
          lines: plan.lines,
          y: plan.y,
          rules: plan.rules,
          // Shares are stacked up to 100%.
          ...plan.y.unit !== "fraction" && { total: sumOfLines(plan.lines, "total") },
        }, look)
        : draw.linesFigure(plan, look),
  });
}
