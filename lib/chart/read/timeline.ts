import type { Every } from "../../schema/period.ts";
import { dtypeNames, isNumeric } from "../../table/columns/dtypes.ts";
import { whyNotAdded } from "../../table/read/adds.ts";
import { everyIn, withPeriods } from "../../table/read/periods.ts";
import { lastFullDay, type Noun } from "../../table/read/reading.ts";
import { isKeyOfTime } from "../../table/read/date_found.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { weekdayOf } from "../../table/read/spacing.ts";
import { timesIn } from "../../table/read/times.ts";
import { noteTotal } from "../../table/read/totals.ts";
import type { DataFrame } from "../../table/columns/polars.ts";
import { columnIn } from "../../table/track/descriptions.ts";
import type { EventLine } from "../event_lines.ts";
import { extentOf } from "../extent.ts";
import { type Measure, measureOf } from "../measures.ts";
import type { Settings } from "../options.ts";
import { periodText, writtenAs } from "../periods.ts";
import type { Reference } from "../reference.ts";
import { countOf, joined } from "../words.ts";
import { lastValue, type Line, openRanks, openTotals, pointsOf, readLines } from "./lines.ts";
import { columnOfTimes, numericColumns, recordsOf } from "./rows.ts";

/** The forms of a chart over time. */
export const DRAWN_AS = ["value", "rank", "stack"] as const;
const MOST_RANKS = 12;
const DAY = 86_400_000;
/** The functions whose results compare the values of periods. */
const COMPARISONS = ["growthRates", "indexed"];

type TimelineSettings = Settings & {
  readonly field?: string;
  readonly x?: string;
  readonly by?: string;
  readonly as?: typeof DRAWN_AS[number];
  readonly descending?: boolean;
  readonly scale?: "auto" | "linear" | "log";
  readonly axes?: "shared" | "own";
  readonly events?: readonly EventLine[];
  readonly reference?: Reference;
};

/** The lines of a frame over time, and how they are described. */
export type Timeline = ReturnType<typeof readTimeline>;

/** Returns the column to draw: the named column, else the first number that a table shows and that has a value. */
function fieldOf(frame: DataFrame, x: string, { field, fn }: TimelineSettings) {
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
 * Returns whether a column holds days or periods. Texts do if all of them are read, and numbers if they are stated as
 * times; times of the dtype Datetime are moments.
 */
function holdsPeriods(frame: DataFrame, x: string): boolean {
  if (x === "date") return true;
  const dtype = dtypeNames(frame)[frame.columns.indexOf(x)]!;
  if (isNumeric(dtype)) return isKeyOfTime(frame, x);
  const { unread, hasHours } = timesIn(frame, x);
  return unread.length === 0 && !(hasHours && dtype.startsWith("Datetime"));
}

/**
 * Returns the last periods that are not over: those of which no line has a complete value. A period that ended before
 * the last full day of the data is over, even if it lacks days. Empty if no period is complete.
 */
function unfinishedOf(lines: readonly Line[], frame: DataFrame, x: string): number[] {
  const known = Map.groupBy(pointsOf(lines).filter(({ y }) => y !== null), ({ x }) => x);
  const complete = (at: number) => known.get(at)!.some((point) => point.complete);
  const places = [...known.keys()].sort((a, b) => a - b);
  if (!places.some(complete) || !frame.columns.includes("until")) return [];
  const through = (lastFullDay(frame) ?? Infinity) * DAY;
  const ends = new Map(
    recordsOf(frame, { numbers: [x, "until"] }).map((row) => [row[x]!, row.until!]),
  );
  const settled = places.findLastIndex((at) =>
    complete(at) || Number.isFinite(through) && (ends.get(at) ?? Infinity) <= through
  );
  return places.slice(settled + 1);
}

/** Returns a unit for a subtitle: `US$`. Empty if ticks have it, and for an index, whose base the chart names. */
function unitWords({ unit, axis }: Measure): string {
  return unit === "usd" ? "US$" : axis === "index" ? "" : axis;
}

/** Describes the unit and the periods of values: `US$ a month`, `By quarter`. */
function perWords(frame: DataFrame, field: string, { measure, every, perDay }: {
  readonly measure: Measure;
  readonly every: Every | null;
  readonly perDay: boolean;
}): string {
  const unit = unitWords(measure);
  if (every === null || measure.title.includes(`per ${every}`)) return unit;
  const period = `${every}${weekEnd(frame, every)}`;
  if (perDay && unit !== "") return `${unit} a day, by ${period}`;
  if (columnIn(frame, field)?.adds === "both" && unit !== "") return `${unit} a ${period}`;
  return joined([unit, `by ${period}`], ", ");
}

/** Returns the last day of weeks that do not end on Sunday: ` to Friday`. */
function weekEnd(frame: DataFrame, every: Every): string {
  if (every !== "week" || !frame.columns.includes("until")) return "";
  const [until] = timesIn(frame.select("until").head(1), "until").days;
  const weekday = until === undefined || Number.isNaN(until) ? "Sunday" : weekdayOf(until);
  return weekday === "Sunday" ? "" : ` to ${weekday}`;
}

/** Returns the sizes of lines before they were indexed, by which the lines to draw are chosen. */
function levelsOf(
  frame: DataFrame,
  field: string,
  read: (field: string) => { readonly lines: readonly Line[] },
): ReadonlyMap<string, number | null> | undefined {
  const column = columnIn(frame, field);
  const level = column?.from === "indexed" ? column.of?.[0]?.name ?? field : field;
  if (level === field || !frame.columns.includes(level)) return undefined;
  return new Map(read(level).lines.map((line) => [line.label, lastValue(line)]));
}

/**
 * Reads a frame for a chart over time: its lines, their measure, and the periods whose totals or ranks are open.
 *
 * @throws what `plotTimeline` throws.
 */
export function readTimeline(frame: DataFrame, settings: TimelineSettings) {
  const { fn, by, label, locale, scale, descending = true } = settings;
  const x = settings.x ?? columnOfTimes(frame, fn);
  requireColumns(frame, {
    fn,
    source: "a frame with dates, or with the columns named",
    columns: [x],
  });
  const hasPeriods = holdsPeriods(frame, x);
  const dated = hasPeriods ? withPeriods(frame, { fn, date: x }) : frame;
  const field = fieldOf(dated, x, settings);
  const as = settings.as ?? (isShare(dated, field) ? "stack" : "value");
  const reason = as === "stack" ? whyNotAdded(dated, field) : null;
  if (reason !== null) throw new RangeError(`${fn}: as: ${field} cannot be stacked: ${reason}`);
  if (as === "stack") noteTotal(frame, { fn, field });
  const read = (field: string) => readLines(dated, { field, x, by, label }, fn);
  const { lines: values, dates } = read(field);
  // One or two days without `until` do not show the length of their periods.
  const isKnown = frame.columns.includes("until") || dated.getColumn(x).nUnique() > 2 ||
    hasPeriods && timesIn(frame, x).every !== null;
  const every = hasPeriods && isKnown ? everyIn(dated, x) : null;
  const written = hasPeriods ? writtenAs(frame, x) : null;
  const name = (at: number) => dates ? periodText(new Date(at), written, locale) : String(at);
  const measure = measureOf(dated, field, { unit: settings.unit, every });
  const column = columnIn(dated, field);
  const hundred = column?.unit === "index";
  const open = as === "value" && dates ? unfinishedOf(values, dated, x) : [];
  const isLevel = column?.adds === "groups";
  const unfinished = isLevel ? [] : open;
  const isSingle = new Set(pointsOf(values).flatMap(({ x, y }) => y === null ? [] : [x])).size < 2;
  const left = new Set(isSingle ? [] : unfinished);
  // A level of the last day is a value of a day that is over.
  const settled = new Set(isLevel ? open : []);
  const lines = values.map((line) => ({
    ...line,
    points: line.points.filter(({ x }) => !left.has(x))
      .map((point) => settled.has(point.x) ? { ...point, complete: true } : point),
  }));
  const running = new Set(pointsOf(lines).flatMap(({ x, complete }) => complete ? [] : [x]));
  const partial = as === "rank"
    ? openRanks(lines, { limit: settings.limit ?? MOST_RANKS, descending })
    : openTotals(lines);
  const hasWhole = pointsOf(lines).some(({ x, y }) => y !== null && !partial.has(x));
  const places = new Set(pointsOf(lines).map(({ x }) => x));
  const [low, high] = extentOf(places);
  // Single days that are far apart are snapshots.
  const snapshots = every === "day" && high - low > 2 * DAY * places.size;
  const often = snapshots || low === high && as === "value" ? null : every;
  const perDay = column?.per === "day" && COMPARISONS.includes(column.from ?? "");
  const noun: Noun = values[0]?.noun ??
    { one: "group", counted: (count) => countOf(count, "group") };
  return {
    ...{ settings, locale, as, scale, descending, dates, measure, hundred, noun, lines, written },
    ...{ name, perDay, unfinished: [...left] },
    limit: settings.limit,
    reference: settings.reference,
    events: settings.events,
    unit: hundred ? "count" : measure.unit,
    daily: every === "day" && !snapshots,
    across: dates ? "" : measureOf(dated, x).title,
    /** The periods without a complete total or rank. */
    open: hasWhole ? partial : running,
    levels: hundred ? levelsOf(dated, field, read) : undefined,
    per: perWords(dated, field, { measure, every: often, perDay: isPerDay(dated, field) }),
    often: often === null || measure.title.includes(`per ${often}`)
      ? ""
      : `by ${often}${weekEnd(dated, often)}`,
  };
}

/** Returns whether a column has the shares that `shares` returns. */
function isShare(frame: DataFrame, field: string): boolean {
  return field === "share" &&
    ["total", "hhi", "status"].every((name) => frame.columns.includes(name)) &&
    whyNotAdded(frame, field) === null;
}

/** Returns whether the values of a column are totals per day. */
function isPerDay(frame: DataFrame, field: string): boolean {
  return field === "total" && frame.columns.includes("per") &&
    recordsOf(frame, { texts: ["per"] }).every(({ per }) => per === "day");
}
