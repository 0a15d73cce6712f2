import type { DataFrame } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import type { Series } from "./colors.ts";
import { type FieldWords, wordsFor } from "./field_words.ts";
import { countOf, formatDay, formatMonth } from "./format.ts";
import { nameOf } from "./metrics.ts";
import type { Settings } from "./options.ts";
import { groupsOf, lastDay, numberValues } from "./values.ts";

/** The value of a series in a period. */
export interface TimePoint {
  readonly date: Date;
  /** Whether the period is over, and all of it in the data. */
  readonly complete: boolean;
  readonly value: number | null;
}

/** A line over time: a point for every period of the frame, null where it has no row. */
export interface TimeSeries extends Series {
  readonly points: readonly TimePoint[];
}

/** What a timeline holds. */
export interface Timeline {
  readonly field: string;
  readonly words: FieldWords;
  /** What one period is: `month`; null where the frame does not say, or several things. */
  readonly every: string | null;
  readonly dates: readonly Date[];
  readonly series: readonly TimeSeries[];
}

const NAMES = [
  ...["project_name", "chain_name", "market_sector_name", "data_id", "chain_id", "product_id"],
  ...["project_id", "market_sector_id"],
];
const DAY = 86_400_000;
const LENGTHS: readonly (readonly [least: number, most: number, every: string])[] = [
  [1, 1, "day"],
  [7, 7, "week"],
  [28, 31, "month"],
  [90, 92, "quarter"],
  [365, 366, "year"],
];

function datesOf(frame: DataFrame, column: string): Date[] {
  return ([...frame.getColumn(column)] as unknown as (Date | null)[]).map((date) =>
    date ?? new Date(NaN)
  );
}

function everyOf(frame: DataFrame, starts: readonly Date[]): string | null {
  if (!frame.columns.includes("until")) return null;
  const names = new Set(
    datesOf(frame, "until").map((until, row) => {
      const days = Math.round((until.getTime() - starts[row]!.getTime()) / DAY) + 1;
      return LENGTHS.find(([least, most]) => days >= least && days <= most)?.[2] ?? null;
    }),
  );
  const [every = null] = names;
  return names.size === 1 ? every : null;
}

/** What a field of a timeline says, with what `indexed`, `growthRates` and `rollingMean` make of one. */
function timeWords(field: string, unit: string | undefined, every: string | null): FieldWords {
  const [, base = field, kind] = /^(.+)_(index|growth|mean)$/.exec(field) ?? [];
  const read = wordsFor(base, kind === "mean" || kind === undefined ? unit : undefined);
  // The sum of a period is what there was in it.
  const words = every === null
    ? read
    : { ...read, title: read.title.replace(/, sum$/, ` per ${every}`) };
  const mine = kind === "index"
    ? { title: `${words.title}, index`, unit: "count", axis: "index", additive: false } as const
    : kind === "growth"
    ? {
      title: `${words.title}, growth`,
      unit: "change",
      axis: "change, %",
      additive: false,
    } as const
    : kind === "mean"
    ? { ...words, title: `${words.title}, rolling mean` }
    : words;
  return unit === undefined || kind === "mean"
    ? mine
    : { ...wordsFor(field, unit), title: mine.title };
}

/** The period in which every line of an index is 100. */
function baseOf(series: readonly TimeSeries[]): Date | undefined {
  const [first] = series;
  return first?.points.find((_, period) => {
    const values = series.flatMap(({ points }) => points[period]!.value ?? []);
    return values.length > 0 && values.every((value) => Math.abs(value - 100) < 1e-9);
  })?.date;
}

/** The column to draw: the one that was named, else the first of numbers that has a value. */
function fieldOf(frame: DataFrame, field: string | undefined, asker: string): string {
  if (field !== undefined) return field;
  const numeric = frame.columns.filter((name) => frame.getColumn(name).isNumeric());
  const valued = numeric.find((name) => numberValues(frame, name).some((value) => value !== null));
  const found = valued ?? numeric[0];
  if (found !== undefined) return found;
  throw new RangeError(`${asker}: field: the frame has no column of numbers`);
}

/** Reads the lines of a timeline for the function called `asker`. */
export function readTimeline(
  frame: DataFrame,
  { field: given, label, unit, locale }: Pick<Settings, "label" | "unit" | "locale"> & {
    field?: string | undefined;
  },
  asker: string,
): Timeline {
  const source = "what timeline or comparisonOver gives";
  requireColumns(frame, {
    asker,
    source,
    columns: ["date", ...label === undefined ? [] : [label]],
  });
  const field = fieldOf(frame, given, asker);
  requireColumns(frame, { asker, source, numbers: [field] });
  if (frame.height > 0 && String(frame.getColumn("date").dtype.variant) !== "Date") {
    throw new TypeError(`${asker}: column date has to hold Date, and holds other values`);
  }
  const starts = datesOf(frame, "date");
  const every = everyOf(frame, starts);
  const words = timeWords(field, unit, every);
  const values = numberValues(frame, field);
  const complete = frame.columns.includes("complete")
    ? [...frame.getColumn("complete")].map((each: unknown) => each !== false)
    : starts.map(() => true);
  const times = [...new Set(starts.map((date) => date.getTime()))].sort((a, b) => a - b);
  const { labels, ids } = groupsOf(frame, { names: NAMES, label });
  const found = new Map<string, { id: string; points: Map<number, TimePoint> }>();
  labels.forEach((label, row) => {
    const group = found.get(label) ?? { id: ids[row]!, points: new Map() };
    const time = starts[row]!.getTime();
    if (group.points.has(time)) {
      throw new RangeError(
        `${asker}: each row must be another period of a line, and "${label}" is there twice on ${
          formatDay(starts[row]!)
        }; label names the column that tells lines apart`,
      );
    }
    group.points.set(time, {
      ...{ date: starts[row]!, complete: complete[row]!, value: values[row] ?? null },
    });
    found.set(label, group);
  });
  // Before the first value of all, and after the last, there is nothing to draw.
  const known = new Set(
    starts.flatMap((date, row) => values[row] === null ? [] : [date.getTime()]),
  );
  const [first, last] = [
    times.findIndex((t) => known.has(t)),
    times.findLastIndex((t) => known.has(t)),
  ];
  const shown = first === -1 ? times : times.slice(first, last + 1);
  const series = [...found].map(([name, { id, points }]) => ({
    ...{ id, label: label === undefined ? nameOf(name) : name },
    points: shown.map((time) =>
      points.get(time) ?? { date: new Date(time), complete: true, value: null }
    ),
  }));
  const dates = shown.map((time) => new Date(time));
  const base = words.axis === "index" ? baseOf(series) : undefined;
  const axis = base === undefined
    ? words.axis
    : `${words.axis}, ${dateText(base, every, locale)} = 100`;
  return { field, words: { ...words, axis }, every, dates, series };
}

/** The last value of a line that is known. */
export function lastValue({ points }: TimeSeries): number | null {
  return points.findLast(({ value }) => value !== null)?.value ?? null;
}

function dateText(date: Date, every: string | null, locale: string): string {
  if (every === "year") return String(date.getUTCFullYear());
  return every === "month" || every === "quarter"
    ? formatMonth(date, locale)
    : formatDay(date, locale);
}

/** What one period of a timeline is, where the frame is one, and how its first day is written. */
export interface Periods {
  readonly every: string | null;
  readonly text: (date: Date, locale: string) => string;
}

/** The periods of a frame. */
export function periodsOf(frame: DataFrame): Periods {
  const dated = frame.columns.includes("date") && frame.columns.includes("until") &&
    frame.height > 0;
  const every = dated ? everyOf(frame, datesOf(frame, "date")) : null;
  return { every, text: (date, locale) => dateText(date, every, locale) };
}

/** Which periods are drawn: `By month, Jan 2025 to Jun 2026; data to 17 Jun 2026`. */
export function spanWords(
  { dates, every }: Timeline,
  frame: DataFrame,
  { from = frame, locale }: Settings,
): string {
  const [first, last] = [dates[0], dates.at(-1)];
  if (first === undefined || last === undefined) return "";
  const text = (date: Date) => dateText(date, every, locale);
  const span = dates.length === 1 ? text(first) : `${text(first)} to ${text(last)}`;
  const day = lastDay(from);
  return [
    every === null ? span : `By ${every}, ${span}`,
    ...day === null ? [] : [`data to ${formatDay(day, locale)}`],
  ].join("; ");
}

/** What a reader has to know of the values: which are not final, and how many there are not. */
export function timeNotes(series: readonly TimeSeries[]): string[] {
  const points = series.flatMap(({ points }) => points);
  const open = points.filter(({ complete, value }) => !complete && value !== null).length;
  const missing = points.filter(({ value }) => value === null).length;
  return [
    ...open === 0 ? [] : ["Hollow and dashed: the period is not complete."],
    ...missing === 0
      ? []
      : [`${missing} of ${countOf(points.length, "value")} not known: gaps, which are not zero.`],
  ];
}
