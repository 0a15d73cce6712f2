import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import * as chainframe from "../../mod.ts";
import { type DataFrame, pl } from "../../mod.ts";
import {
  dateOfDay,
  dayText,
  EVERY,
  type Every,
  type Period,
  periodAt,
  periodFrom,
} from "../../lib/schema/period.ts";
import { seededRandom } from "../service/seeded_random.ts";
import { warned } from "./measured.ts";

/** A table of shops over successive periods. */
export interface Table {
  readonly every: Every;
  readonly periods: readonly Period[];
  readonly seed: number;
  /** The number of periods that were over when the data was retrieved. */
  readonly over: number | undefined;
  /** Whether the column `until` is given with each form. */
  readonly until: boolean;
}

/** Random tables: lengths, first months, weekdays of weeks, and numbers of periods. */
export const anyTable: fc.Arbitrary<Table> = fc.record({
  every: fc.constantFrom(...EVERY),
  month: fc.integer({ min: 0, max: 240 }),
  weekday: fc.constantFrom(0, 0, 1, 2, 3, 4, 5, 6),
  count: fc.integer({ min: 15, max: 26 }),
  seed: fc.integer({ min: 1, max: 1e6 }),
  over: fc.option(fc.integer({ min: 12, max: 14 }), { nil: undefined }),
  until: fc.boolean(),
}).map(({ every, month, weekday, count, ...table }) => {
  const first = new Date(Date.UTC(2001, month)).getTime() / 86_400_000;
  const start = every === "week" ? periodAt(first, every).start + weekday : first;
  const periods = [periodFrom(start, every)];
  while (periods.length < count) periods.push(periodFrom(periods.at(-1)!.end + 1, every));
  // Mondays are first days, so that weeks that end on Monday need `until`.
  const until = table.until || every === "week" && weekday === 1;
  return { ...table, every, periods, until };
});

type Label = string | number | Date;
type Form = readonly [
  labelOf: (period: Period) => Label,
  make?: (column: ReturnType<typeof pl.col>) => ReturnType<typeof pl.col>,
];

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const first = ({ start }: Period) => dateOfDay(start);
const last = ({ end }: Period) => dateOfDay(end);
const digits = (date: Date) => Number(date.toISOString().slice(0, 10).replaceAll("-", ""));
const words = (date: Date) =>
  `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
const inZone = (zone: string) => (column: ReturnType<typeof pl.col>) =>
  column.dt.replaceTimeZone(zone);

/** Forms of days, by first or by last days of periods. */
const DAYS: Readonly<Record<string, Form>> = {
  "last Date": [last, (column) => column.cast(pl.Date)],
  "first time": [first],
  "last time in us": [last, (column) => column.cast(pl.Datetime("us"))],
  "last second": [(period) => new Date(last(period).getTime() + 86_399_999)],
  "first in UTC": [first, (column) => column.cast(pl.Datetime("us", "UTC"))],
  "first in Berlin": [first, inZone("Europe/Berlin")],
  "last in Tokyo": [last, inZone("Asia/Tokyo")],
  "first text": [({ start }) => dayText(start)],
  "last text": [({ end }) => dayText(end)],
  "first text with Z": [(period) => first(period).toISOString()],
  "last text with an offset": [({ end }) => `${dayText(end)}T00:00:00-05:00`],
  "first digits": [(period) => digits(first(period)), (column) => column.cast(pl.Int64)],
  "last digits": [(period) => digits(last(period))],
  "first seconds": [(period) => first(period).getTime() / 1000],
  "last milliseconds": [(period) => last(period).getTime()],
  "first microseconds": [(period) => first(period).getTime() * 1000],
  "first words": [(period) => words(first(period))],
  "last slashes": [({ end }) => dayText(end).replaceAll("-", "/")],
};

/** Forms that state the length of periods. */
const STATED: Readonly<Partial<Record<Every, Readonly<Record<string, Form>>>>> = {
  month: {
    "2025-01": [({ start }) => dayText(start).slice(0, 7)],
    "Jan 2025": [(period) => words(first(period)).replace(/^\d+ /, "")],
    "202501": [(period) => Math.floor(digits(first(period)) / 100)],
    "01/2025": [({ start }) => `${dayText(start).slice(5, 7)}/${dayText(start).slice(0, 4)}`],
  },
  quarter: {
    "2025-Q1": [(period) => `${first(period).getUTCFullYear()}-Q${quarterOf(period)}`],
    "Q1 2025": [(period) => `Q${quarterOf(period)} ${first(period).getUTCFullYear()}`],
  },
  year: { "2025": [(period) => first(period).getUTCFullYear()] },
  week: { "2025-W05": [weekText] },
};

function quarterOf(period: Period): number {
  return first(period).getUTCMonth() / 3 + 1;
}

/** Returns the ISO week of a period that begins on Monday. The week of a year holds its first Thursday. */
function weekText({ start }: Period): string {
  const year = dateOfDay(start + 3).getUTCFullYear();
  const monday = periodAt(Date.UTC(year, 0, 4) / 86_400_000, "week").start;
  return `${year}-W${String((start - monday) / 7 + 1).padStart(2, "0")}`;
}

/** The forms of the labels of a table. */
export function formsOf({ every, periods: [period], until }: Table): Record<string, Form> {
  const isCalendar = periodAt(period!.start, every).start === period!.start;
  const days = Object.entries(DAYS).filter(([name]) =>
    // It cannot be known that weeks begin on Friday, and `until` needs first days.
    until ? name.startsWith("first") : isCalendar || every !== "week" || !name.startsWith("first")
  );
  return { ...Object.fromEntries(days), ...isCalendar ? STATED[every] : {} };
}

const SHOPS = ["ash", "birch", "cedar", "elm", "fir", "gum", "hazel", "larch"];

/** The table with the labels of a form, in a column that is stated if its name is not `date`. */
function frameOf(
  { periods, seed, over, until }: Table,
  [labelOf, make]: Form,
  name: "date" | "day" = "date",
): DataFrame {
  const random = seededRandom(seed);
  const rows = periods.flatMap((period) =>
    SHOPS.map((shop, at) => ({
      period,
      shop,
      half: Math.round(100 * (20 + 9 * at + 8 * random())) / 100,
    }))
  ).filter(({ shop }) => shop !== "gum" || random() > 0.1);
  const labels = rows.map(({ period }) => labelOf(period));
  const date = labels[0] instanceof Date
    ? pl.Series("date", labels, pl.Datetime("ms"))
    : typeof labels[0] === "number"
    ? pl.Series("date", labels, pl.Float64)
    : pl.Series("date", labels, pl.Utf8);
  const frame = pl.DataFrame([
    date,
    pl.Series("until", rows.map(({ period }) => last(period)), pl.Datetime("ms")).cast(pl.Date),
    pl.Series("shop", rows.map(({ shop }) => shop), pl.Utf8),
    pl.Series("half", rows.map(({ half }) => half), pl.Float64),
    pl.Series("usd", rows.map(({ half }) => 2 * half), pl.Float64),
    pl.Series("two", rows.map(() => 2), pl.Float64),
  ]);
  const labelled = make === undefined
    ? frame
    : frame.withColumn(make(pl.col("date")).alias("date"));
  const columns = labelled.columns.filter((name) => until || name !== "until");
  return chainframe.withSource(labelled.select(...columns).rename({ date: name }), {
    citation: "a test",
    ...name !== "date" && { date: name },
    ...over !== undefined && { through: dateOfDay(periods[over]!.end - 1) },
    columns: {
      usd: { unit: "usd", adds: "both" },
      half: { adds: "both" },
      two: { adds: "groups" },
    },
  });
}

const FIELD = { field: "usd" } as const;
const LOG = { ...FIELD, scale: "log" } as const;

/** All functions of a frame with dates. `kept` names those whose column of dates stays as it is given. */
const RUNS: Readonly<Record<string, (frame: DataFrame, event: Date) => DataFrame>> = {
  "kept growthRates": (f) => chainframe.growthRates(f, FIELD),
  "kept growthRates of four periods": (f) => chainframe.growthRates(f, { ...FIELD, periods: 4 }),
  "kept growthRates of a year": (f) => chainframe.growthRates(f, { ...FIELD, periods: "year" }),
  "kept growthRates of all columns": (f) => chainframe.growthRates(f),
  "kept indexed": (f) => chainframe.indexed(f, FIELD),
  "kept rollingMean": (f) => chainframe.rollingMean(f, { ...FIELD, periods: 3 }),
  "kept topN": (f) => chainframe.topN(f, { ...FIELD, limit: 2 }),
  "kept concentration": (f) => chainframe.concentration(f, FIELD),
  "kept check": (f) => chainframe.check(f).select("field", "rule", "value", "severity"),
  contributions: (f) => chainframe.contributions(f, FIELD),
  shares: (f) => chainframe.shares(f, FIELD),
  decompose: (f) => chainframe.decompose(f, { product: "usd", factors: ["half", "two"] }),
  counterfactual: (f, event) => chainframe.counterfactual(f, { ...LOG, starts: { elm: event } }),
  eventStudy: (f, event) =>
    chainframe.eventStudy(f, { ...LOG, starts: { elm: event, fir: event, ash: event } }),
  "resample to months": (f) => chainframe.resample(f, { every: "month" }),
  "resample to quarters": (f) => chainframe.resample(f, { every: "quarter" }),
  "resample to years": (f) => chainframe.resample(f, { every: "year" }),
  "resample by mean": (f) => chainframe.resample(f, { every: "year", how: "mean" }),
  "resample by last": (f) => chainframe.resample(f, { every: "quarter", how: "last" }),
};

/** The result of a function: its rows, or its error. A column `day` is written as `date`. */
function outcome(run: () => DataFrame, isKept: boolean): unknown {
  const written = (text: unknown) => text === "day" ? "date" : text;
  try {
    const [result] = warned(run);
    const names = result.columns.filter((name) =>
      !isKept || !["date", "day", "until"].includes(name)
    );
    const rows = result.select(...names).rows();
    return [names.map(written), rows.map((row) => row.map(written))];
  } catch (error) {
    return String(error).replace(": day: ", ": date: ");
  }
}

/** The number of results of a table that are no errors. */
export function resultsOf(table: Table): number {
  const base = frameOf({ ...table, until: true }, [first]);
  const event = first(table.periods[9]!);
  return Object.values(RUNS).filter((run) =>
    typeof outcome(() => run(base, event), false) !== "string"
  ).length;
}

/** Compares the results of all functions, and the drawing of plotTimeline, for a table with other labels. */
export async function compareForms(table: Table, names: readonly string[]): Promise<void> {
  const { periods, over = periods.length } = table;
  const event = first(periods[Math.floor(Math.min(over, periods.length) * 0.75)]!);
  // The first days of weeks from other weekdays need `until`.
  const base = frameOf({ ...table, until: true }, [first, (column) => column.cast(pl.Date)]);
  const forms = formsOf(table);
  const frames = names.map((name, at) => {
    const column = (at + table.seed) % 2 === 0 ? "date" : "day";
    return [`${name} in ${column}`, frameOf(table, forms[name]!, column)] as const;
  });
  for (const [fn, run] of Object.entries(RUNS)) {
    const isKept = fn.startsWith("kept");
    const expected = outcome(() => run(base, event), isKept);
    for (const [name, frame] of frames) {
      const about = `${fn}, ${table.every} from ${dayText(periods[0]!.start)}, ${name}`;
      deepEqual(outcome(() => run(frame, event), isKept), expected, about);
    }
  }
  const drawn = (frame: DataFrame) => warned(() => chainframe.plotTimeline(frame, FIELD))[0].svg();
  const expected = await drawn(base);
  for (const [name, frame] of frames) equal(await drawn(frame) === expected, true, `svg, ${name}`);
}
