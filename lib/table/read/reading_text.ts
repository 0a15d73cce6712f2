import { counted, listed } from "../../platform/terminal.ts";
import { dayText, type Every, type Period, periodAt } from "../../schema/period.ts";
import { dtypeNames, isNumeric } from "../columns/dtypes.ts";
import type { DataFrame } from "../columns/polars.ts";
import { columnIn, unitText } from "../track/descriptions.ts";
import { adds } from "./adds.ts";
import { distinct } from "./numbered.ts";
import { periodsOf } from "./periods.ts";
import {
  datesOf,
  entityNoun,
  entityTexts,
  lastFullDay,
  type Reading,
  readingOf,
  unitOf,
} from "./reading.ts";
import { daysColumn } from "./whole_sums.ts";

const ADDS = { both: "adds up", groups: "a level", none: "does not add up" } as const;
/** The number of columns with equal descriptions that are named. */
const MOST = 4;

/** Returns whether columns were stated or found. */
function howKnown(frame: DataFrame, names: readonly string[]): string {
  return names.some((name) => columnIn(frame, name)?.key === "stated") ? "stated" : "found";
}

/** Describes who the rows are: `3 protocols (found: protocol).` */
function whoText(frame: DataFrame, reading: Reading): string {
  const { entity, label, events } = reading;
  if (events !== undefined) return `Rows are events or things with a date, named by ${events}.`;
  if (entity.length === 0) return "One series.";
  const count = new Set(entityTexts(frame, reading)).size;
  const shown = label === null ? "" : `, shown by ${label}`;
  const how = `${howKnown(frame, entity)}: ${entity.join(", ")}`;
  return `${entityNoun(frame, reading).counted(count)} (${how}${shown}).`;
}

/** Describes the periods of a frame: `24 months in date (found), 2024-01-01 to 2025-12-31; complete: 23, as given.` */
function periodsText(frame: DataFrame, date: string): string {
  const fn = "help";
  const { periods, every, last } = periodsOf(frame, { fn, date });
  const known = periods.filter(({ start }) => !Number.isNaN(start));
  if (known.length === 0) return "";
  const first = known.reduce((least, { start }) => Math.min(least, start), Infinity);
  const end = known.reduce((most, { end }) => Math.max(most, end), -Infinity);
  const step = every === null ? "" : `, one a ${every}`;
  const span = `${counted(known.length, "date")} in ${date} (${howKnown(frame, [date])})${step}, ` +
    `${dayText(first)} to ${dayText(end)}`;
  if (frame.columns.includes("complete")) {
    return ` ${span}; complete: as the column complete states.`;
  }
  const through = last ?? lastFullDay(frame);
  const whole = known.filter(({ end }) => end <= (through ?? Infinity)).length;
  return ` ${span}; complete: ${whole}${
    through === null ? ", as given" : `, through ${dayText(through)}`
  }.`;
}

/** Describes the cohorts of a frame, and the unit of independence. */
function cohortsText(frame: DataFrame, { entity, times: [cohort = "cohort"] }: Reading): string {
  const unit = unitOf(frame, { entity, by: [] });
  const independent = unit.length === 0 ? "" : ` Unit of independence: ${unit.join(", ")}.`;
  return ` ${counted(distinct(frame, [cohort]), "cohort")} in ${cohort} (${
    howKnown(frame, [cohort])
  }).${independent}`;
}

/** Describes the columns of numbers: `fees_usd: US$, adds up, days in fees_usd_days.` Equal descriptions are one. */
function numbersText(frame: DataFrame, keys: readonly string[]): string {
  const dtypes = dtypeNames(frame);
  const numbers = frame.columns.filter((name, at) => {
    const column = columnIn(frame, name);
    const isOther = column !== undefined && column.role !== "value" || column?.counts !== undefined;
    return isNumeric(dtypes[at]!) && !isOther && !keys.includes(name);
  });
  const factsOf = (name: string) => {
    const days = daysColumn(frame, name, "help");
    const known = adds(frame, name);
    return [
      unitText(frame, name),
      known === undefined ? "not known whether it adds up" : ADDS[known],
      days === undefined ? "" : `days in ${days}`,
    ].filter((fact) => fact !== "").join(", ");
  };
  const texts = [...Map.groupBy(numbers, factsOf)].map(([facts, names]) =>
    `${listed(names, MOST)}: ${facts}.`
  );
  return texts.map((text) => ` ${text}`).join("");
}

/** Describes how functions read a frame: who the rows are, when, and what adds up; or why they do not read it. */
export function readingText(frame: DataFrame): string {
  let reading: Reading;
  try {
    reading = readingOf(frame, { fn: "help" });
    const [date] = datesOf(frame, "help");
    const isCohorts = reading.times[0]?.startsWith("cohort");
    const when = isCohorts
      ? cohortsText(frame, reading)
      : date === undefined
      ? ""
      : periodsText(frame, date);
    return whoText(frame, reading) + when +
      numbersText(frame, [...reading.entity, ...reading.times]);
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
    return `Functions do not read this frame: ${error.message.replace(/^help: /, "")}.`;
  }
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Returns a span of periods as text: by their months, quarters or years, or by their first days. */
function spanText({ start }: Period, { start: last, end }: Period, every: Every | null): string {
  const monthOf = (day: number) =>
    dayText(day).split("-").slice(0, 2).map(Number) as [number, number];
  const named = (day: number): string => {
    const [year, month] = monthOf(day);
    if (every === "year") return `${year}`;
    return every === "quarter" ? `Q${(month + 2) / 3} ${year}` : `${MONTHS[month - 1]} ${year}`;
  };
  const isCalendar = every === "month" ||
    (every === "quarter" || every === "year") && periodAt(start, every).start === start;
  // Quarters and years of other months have no names.
  const [from, to] = isCalendar
    ? [named(start), named(last)]
    : every === "quarter" || every === "year"
    ? [start, end].map((day) => `${MONTHS[monthOf(day)[1] - 1]} ${monthOf(day)[0]}`)
    : [dayText(start), dayText(last)];
  return from === to ? from! : `${from} to ${to}`;
}

/**
 * Describes who the rows are and when in one line, if the user stated it: `4 protocols by month, Jan 2025 to Feb 2026;
 * Mar 2026 is not over`. Null if nothing was stated, or if functions do not read the frame.
 */
export function statedReading(frame: DataFrame): string | null {
  const columns = frame.columns.map((name) => columnIn(frame, name));
  // The rows of `check` are findings, not values of entities.
  if (!columns.some((column) => column?.key === "stated")) return null;
  if (columns.some((column) => column?.from === "check")) return null;
  try {
    const fn = "show";
    const reading = readingOf(frame, { fn });
    const [date] = datesOf(frame, fn);
    if (date === undefined || reading.entity.length === 0 || reading.events !== undefined) {
      return null;
    }
    const count = new Set(entityTexts(frame, reading)).size;
    const { periods, every, last } = periodsOf(frame, { fn, date });
    const known = periods.filter(({ start }) => !Number.isNaN(start))
      .toSorted((a, b) => a.start - b.start);
    const through = last ?? lastFullDay(frame) ?? Infinity;
    const over = known.filter(({ end }) => end <= through);
    if (over.length === 0) return null;
    const running = known[over.length];
    return `${entityNoun(frame, reading).counted(count)}${every === null ? "" : ` by ${every}`}, ` +
      spanText(over[0]!, over.at(-1)!, every) +
      (running === undefined ? "" : `; ${spanText(running, running, every)} is not over`);
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
    return null;
  }
}
