import { momentNamed } from "../schema/period.ts";
import { boolean, oneOf, type Rule, string } from "../platform/check_options.ts";
import { adds, whyNotAdded } from "../table/read/adds.ts";
import { everyIn, withPeriods } from "../table/read/periods.ts";
import { columnsPerDay, daysOf } from "../table/read/per_day.ts";
import { type DataFrame, pl } from "../table/build/polars.ts";
import { shown } from "../platform/terminal.ts";
import { annotationOf } from "../table/track/provenance.ts";
import { columnIn } from "../table/track/descriptions.ts";
import type { Noun } from "../table/read/reading.ts";
import { requireColumns } from "../table/read/requirements.ts";
import { type PlotChart, readyChart, type ReadyParts } from "./draw.ts";
import type { BarsPlan } from "./drawing/bars.ts";
import type { LinesPlan } from "./drawing/line_plan.ts";
import { formatDay, type NumberUnit } from "./format.ts";
import { measureOf } from "./measures.ts";
import { type ChartOptions, chartSettings, SCALES, type Settings } from "./options.ts";
import { daysText, periodText, writtenAs } from "./periods.ts";
import { numericColumns } from "./read/rows.ts";
import {
  largest,
  lastValue,
  type Line,
  type LinePoint,
  pointsOf,
  readLines,
  sumBy,
  sumOfLines,
} from "./read/lines.ts";
import { countOf, inSentence, largestOf, pluralOf, valueTexts } from "./words.ts";

const DRAWN_AS = ["value", "index", "rank", "stack"] as const;

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
const MOST = { value: 24, index: 24, rank: 12, stack: 11 };
/** If there are more lines than this, a single panel is hard to read. */
const MOST_TOGETHER = 8;
const INDEX_LOG_FROM = 20;
/** Panels have their own scales if the largest line is at least this times the smallest line. */
const OWN_FROM = 10;

/** Returns whether a column is an index that `indexed` computed. */
function isIndex(frame: DataFrame, field: string): boolean {
  return columnIn(frame, field)?.unit === "index";
}

/** Returns the column to draw: the named column, else the first number that a table shows and that has a value. */
function fieldOf(frame: DataFrame, { field, x = "date" }: Settings<typeof RULES>, fn: string) {
  if (field !== undefined) return field;
  const [found] = numericColumns(frame, x);
  if (found !== undefined) return found;
  throw new RangeError(`${fn}: field: the frame has no column of numbers`);
}

/** Returns the first `x` at which the points of all lines meet a condition. */
function firstWhere(
  lines: readonly Line[],
  met: (points: readonly LinePoint[]) => boolean,
): number | undefined {
  const points = Map.groupBy(pointsOf(lines), ({ x }) => x);
  return lines[0]?.points.find(({ x }) => met(points.get(x)!))?.x;
}

/** Converts each line to percentages of its value at the position `base`. */
function indexed(lines: readonly Line[], base: number): Line[] {
  return lines.map((line) => {
    const hundred = line.points.find(({ x }) => x === base)!.y!;
    const points = line.points.map((point) => ({
      ...point,
      y: point.y === null || point.y < 0 ? null : 100 * point.y / hundred,
    }));
    return { ...line, points };
  });
}

/**
 * Returns the ranks of lines in each complete period. Each point has two ranks. In `text`, which is written in the
 * marker, lines with equal values share the smaller rank. In `y`, the position, lines with equal values have successive
 * ranks, in order of their labels. A null has no rank.
 */
function ranked(lines: readonly Line[], descending: boolean): Line[] {
  const sign = descending ? -1 : 1;
  const settled = lines.map((line) => ({
    ...line,
    points: line.points.filter(({ complete }) => complete),
  }));
  const known = settled.flatMap(({ label, points }) =>
    points.flatMap(({ x, y }) => y === null ? [] : [{ x, y, label }])
  );
  const order = Map.groupBy(
    known.toSorted((a, b) => sign * (a.y - b.y) || (a.label < b.label ? -1 : 1)),
    ({ x }) => x,
  );
  return settled.map((line) => ({
    ...line,
    points: line.points.map((point) => {
      if (point.y === null) return point;
      const there = order.get(point.x)!;
      const place = there.findIndex(({ label }) => label === line.label);
      const rank = there.findIndex(({ y }) => y === point.y) + 1;
      return { ...point, y: place + 1, text: String(rank) };
    }),
  }));
}

/** The number of periods whose sum is the size of a line of an index. */
const RECENT = 12;

/**
 * Returns the size of a line before it was indexed: the sum of its last complete periods if its values add up over days,
 * else its last complete value.
 */
function sizeBefore({ points }: Line, summed: boolean): number | null {
  const known = points.filter(({ y, complete }) => complete && y !== null);
  const recent = known.slice(summed ? -RECENT : -1);
  return recent.length === 0 ? null : sumBy(recent, ({ y }) => y!);
}

/** Returns the lines to draw, and the texts on all lines. */
function chosen(
  lines: readonly Line[],
  settings: Settings<typeof RULES>,
  { additive, noun, index, sizes }: {
    readonly additive: boolean;
    /** The noun for a line: `chain`. */
    readonly noun: string | Noun;
    readonly index: boolean;
    /** The sizes of the lines of an index, by label, if the frame has the values before they were indexed. */
    readonly sizes: ReadonlyMap<string, number | null> | undefined;
  },
) {
  const { as = "value", limit = MOST[as] } = settings;
  const known = lines.filter((line) => lastValue(line) !== null);
  const other = additive && (as === "value" || as === "stack")
    ? (rest: readonly Line[]) => sumOfLines(rest, `other (${countOf(rest.length, noun)})`)
    : undefined;
  const sizeOf = (line: Line) => {
    if (sizes !== undefined) return sizes.get(line.label) ?? null;
    return as === "rank" ? -lastValue(line)! : lastValue(line);
  };
  const what = as === "rank"
    ? `${pluralOf(noun)} with the first ranks,`
    : index && sizes === undefined
    ? `${pluralOf(noun)} with the highest index,`
    : `largest ${pluralOf(noun)}`;
  const { kept, note } = largest(known, { limit, sizeOf, other }, what);
  const missing = lines.filter((line) => !known.includes(line)).map(({ label }) => label);
  const all = known.filter(({ folded }) => !folded).length;
  return { kept, all, dropped: note, missing: known.length === 0 ? [] : missing };
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

function timelineParts(
  given: DataFrame,
  options: NonNullable<Parameters<typeof plotTimeline>[1]>,
  fn: string,
) {
  const settings = chartSettings(fn, options, RULES);
  const { x = "date", by, label, as = "value", locale, scale } = settings;
  const source = "a frame with dates, or with the columns named";
  requireColumns(given, { fn, source, columns: [x] });
  const frame = x === "date" ? withPeriods(given, { fn }) : given;
  const field = fieldOf(frame, settings, fn);
  const grouping = by ?? label;
  const daily = as === "index" && x === "date"
    ? columnsPerDay(frame, { fn, fields: [field], per: undefined })
    : [];
  const values = daily.length === 0
    ? frame
    : frame.withColumns(pl.col(field).cast(pl.Float64).div(daysOf(frame, "date")).alias(field));
  const reading = {
    x,
    ...grouping === undefined ? {} : { by: grouping },
    ...label === undefined ? {} : { label },
  };
  const read = readLines(values, { ...reading, field }, fn);
  const level = isIndex(frame, field) ? field.replace(/_index$/, "") : field;
  const sized = level === field
    ? as === "index" ? read.lines : undefined
    : frame.columns.includes(level)
    ? readLines(frame, { ...reading, field: level }, fn).lines
    : undefined;
  const every = x === "date" ? everyIn(frame) : null;
  const written = x === "date" ? writtenAs(frame) : null;
  const measure = measureOf(frame, field, { unit: settings.unit, every });
  const reason = as === "stack" ? whyNotAdded(frame, field) : null;
  if (reason !== null) throw new RangeError(`${fn}: as: ${field} cannot be stacked: ${reason}`);
  const isBase = (points: readonly LinePoint[]) =>
    points.length === read.lines.length && points.every(({ y, complete }) => complete && y! > 0);
  const base = as === "index" ? firstWhere(read.lines, isBase) : undefined;
  if (as === "index" && base === undefined && read.lines.some((line) => lastValue(line) !== null)) {
    throw new RangeError(`${fn}: as: no period is complete and above zero for all lines`);
  }
  const name = (at: number) => periodText(new Date(at), written, locale);
  const all = as === "rank"
    ? ranked(read.lines, settings.descending ?? true)
    : base === undefined
    ? read.lines
    : indexed(read.lines, base);
  const summed = adds(frame, level) === "both";
  const noun = read.lines[0]?.noun ?? "group";
  const hundred = as === "index" || /_index$/.test(field);
  const { kept: lines, ...left } = chosen(all, settings, {
    additive: as === "stack" || measure.additive,
    noun,
    index: hundred,
    sizes: as === "rank" || sized === undefined
      ? undefined
      : new Map(sized.map((line) => [line.label, sizeBefore(line, summed)])),
  });
  const steps = annotationOf(frame)?.provenance.steps ?? [];
  const perDay = daily.length > 0 ||
    /_(growth|index)$/.test(field) && steps.some((step) => step.endsWith(" per day"));
  const unit = hundred ? "count" : measure.unit;
  const since = base ?? (!hundred ? undefined : firstWhere(lines, (points) => {
    const values = points.flatMap(({ y }) => y ?? []);
    return values.length > 0 && values.every((value) => Math.abs(value - 100) < 1e-9);
  }));
  const from = since === undefined ? "" : `, ${name(since)} = 100`;
  const named = lines.filter(({ folded }) => !folded);
  const [group] = named;
  const drawn = lines.length > named.length ? left.all : named.length;
  const of = drawn > 1 ? largestOf(named.length, drawn, noun) : group?.id ? group.label : "";
  const measured = inSentence(measure.title);
  const points = pointsOf(lines);
  const [low, high] = [
    Math.min(...points.map(({ x }) => x)),
    Math.max(...points.map(({ x }) => x)),
  ];
  const events = (settings.events ?? []).filter(({ x }) => x >= low && x <= high)
    .toSorted((a, b) => a.x - b.x);
  const outside = (settings.events ?? []).length - events.length;
  const parts: ReadyParts = {
    frame: given,
    settings: as === "rank" && lines.length > 2 ? { ...movers(lines), ...settings } : settings,
    series: lines,
    empty: lines.length === 0,
    words: {
      ...left,
      ...as === "rank"
        ? {
          what: "Ranks",
          of: `${of} by ${measured}`,
          kind: "Ranks over time",
          rows: rankTexts(lines),
          values: pointsOf(read.lines).filter(({ complete }) => !complete),
          incomplete: "not ranked",
        }
        : {
          what: as === "index" ? `Index of ${measured}` : measure.title,
          of,
          kind: as === "stack" ? "Stacked bars" : low === high ? "Bar chart" : "Line chart",
          rows: valueTexts(lines, unit, lastValue),
          rowsAre: "last complete values",
          values: points,
          incomplete: as === "stack" || low === high ? "faded" : "hollow",
        },
      span: read.dates ? daysText(points.map(({ x }) => x), locale, written) : "",
      said: [
        every === null || measure.title.includes(`per ${every}`) ? "" : `By ${every}`,
        as !== "rank" ? "" : settings.descending === false ? "smallest first" : "largest first",
      ],
      noun,
      period: name,
      notes: [
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
  };
  // One date has no line.
  const bars: BarsPlan | undefined = low === high && read.dates && as === "value"
    ? {
      measures: [measure],
      items: lines.map(({ points: [point], ...line }) => ({
        ...line,
        values: [point!.y],
        hollow: !point!.complete,
      })),
      noun: typeof noun === "string" ? noun : noun.one,
      as: "bars",
      scale,
    }
    : undefined;
  const plan: LinesPlan = {
    lines,
    x: {
      dates: read.dates,
      name: read.dates ? "" : measureOf(frame, x).title,
      ...read.dates && { write: name },
    },
    y: {
      unit,
      name: hundred ? `index${from}` : measure.axis,
      scale,
      zero: measure.additive && !hundred,
      ...hundred ? { logFrom: INDEX_LOG_FROM, holds: [100] } : {},
    },
    ranks: as === "rank",
    panels: (as === "value" || as === "index") && read.dates && lines.length > MOST_TOGETHER &&
        settings.highlight === undefined
      ? panelsOf(lines, hundred ? "shared" : settings.axes, measure.unit)
      : undefined,
    rules: [...hundred ? [{ y: 100, label: "100" }] : [], ...events],
  };
  return { parts, plan, bars };
}

/**
 * Draws lines over dates or numbers. The name of each line is at its end. The lines show values, an index, or ranks. If
 * there are more than eight lines over time, each line has its own panel, unless some lines are highlighted. Incomplete
 * periods are hollow markers without a line. They are ignored when lines are chosen or ranked. A null makes a gap, and
 * so does a missing period. The values of a single date are bars.
 *
 * Takes the result of `timeline`, `growthRates`, `indexed`, `rollingMean` or `answersOf` with `values`, or any other frame if
 * the options name its columns. If there are more than 24 lines (12 for ranks; see `limit`), the lines with the largest
 * values in the last complete period are drawn. If values can be added, the sum of the other lines is also drawn. Of an
 * index, the lines with the largest sums of the last 12 complete periods are drawn (for levels, the largest values).
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
 * @throws {RangeError} when a column is missing, a line has two rows with the same `x`, an index has no period that is
 * complete and above zero for all lines, values that do not add up are stacked, or an option is out of range.
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
     * `"value"` draws values. `"index"` draws each line as a percentage of its value in the first period that is
     * complete for all lines; sums of months, quarters and years are compared per day. `"rank"` draws the rank of each line in each complete period, with rank 1 for the largest
     * value; the lines that gain and lose most ranks are in color (see `highlight`). `"stack"` draws stacked bars with their total, for values that add up over the lines; the column `share` of
     * `shares` is stacked up to 100%.
     * @default {"value"}
     */
    readonly as?: "value" | "index" | "rank" | "stack";
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
  const { parts, plan, bars } = timelineParts(frame, options, "plotTimeline");
  return readyChart({
    again: plotTimeline,
    ...parts,
    figure: (draw, look) =>
      bars !== undefined
        ? draw.barsFigure(bars, look)
        : options.as === "stack"
        ? draw.stacksFigure({
          lines: plan.lines,
          y: plan.y,
          rules: plan.rules ?? [],
          // Shares are stacked up to 100%.
          ...plan.y.unit !== "fraction" && { total: sumOfLines(plan.lines, "total") },
        }, look)
        : draw.linesFigure(plan, look),
  });
}
