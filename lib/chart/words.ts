import { extentOf } from "./extent.ts";
import { inputName } from "../table/show/display.ts";
import {
  annotationOf,
  combinedProvenance,
  type Input,
  inputsOf,
} from "../table/track/provenance.ts";
import { counted } from "../platform/terminal.ts";
import { amountUnit } from "../table/read/retention_unit.ts";
import { columnIn, unitText } from "../table/track/descriptions.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import { lastFullDay, type Noun, readingOf } from "../table/read/reading.ts";
import { formatDay } from "./format.ts";
import { numbersOf, type NumberUnit } from "./numbers.ts";
import type { Settings } from "./options.ts";

/** A sentence of a caption, or false for no sentence. */
export type Note = string | false;

/** Returns a count with its noun: `1 chain`, `3 countries`. */
export function countOf(count: number, noun: string | Noun): string {
  return typeof noun === "object" ? noun.counted(count) : counted(count, noun);
}

/** Returns the plural of a noun: `chains`. */
export function pluralOf(noun: string | Noun): string {
  return countOf(0, noun).slice(2);
}

/** Returns the number of drawn groups: `24 chains`, or `the 5 largest of 24 chains` if the others are drawn as a sum. */
export function largestOf(drawn: number, all: number, noun: string | Noun): string {
  return drawn === all ? countOf(all, noun) : `the ${drawn} largest of ${countOf(all, noun)}`;
}

/**
 * Describes each source: citations first, then responses with their last day, then inputs of unknown origin. If only some
 * of the sources are sample data, they are marked.
 */
function sourcesOf(inputs: readonly Input[], locale: string): string[] {
  const mixed = !inputs.every(({ sample }) => sample);
  const operations = Map.groupBy(inputs, inputName);
  const mark = (all: readonly Input[]) =>
    mixed && all.some(({ sample }) => sample) ? " (SAMPLE DATA, invented)" : "";
  return [...operations].map(([name, all]) => {
    const responses = all.filter((each) => each.kind === "response");
    const [first] = responses;
    if (first === undefined) {
      const given = all.filter((each) => each.kind === "given");
      const licenses = given.flatMap(({ license }) => license ?? []);
      const days = given.flatMap(({ data_through }) =>
        data_through ? `data through ${formatDay(data_through, locale)}` : []
      );
      return joined([`${name}${mark(all)}`, ...new Set(days), ...new Set(licenses)], ", ");
    }
    const { retrieved_at, data_through } = responses.length === 1
      ? first
      : combinedProvenance(responses, []);
    const day = data_through === null
      ? `retrieved ${formatDay(retrieved_at!, locale)}`
      : `data through ${formatDay(data_through, locale)}`;
    const kept = responses.every(({ source }) => source === "cache") ? " (from the cache)" : "";
    return `${name.replaceAll("_", " ")}${mark(all)}, ${day}${kept}`;
  });
}

/** Returns whether the rows of a frame stand for periods, or for months of cohorts. */
function isTimed(frame: DataFrame): boolean {
  return readingOf(frame, { fn: "chart", repeats: true }).times.length > 0 ||
    columnIn(frame, "month")?.unit === "months";
}

/** Functions whose column `complete` is that of the frame from which they were made, or assumes that all is over. */
const ASSUMED = ["shares", "contributions", "decompose", "retentionCurves", "cohortTrend"];

/** Returns whether a column of own data, or a step, states which periods were over when the data was retrieved. */
function isCompleteStated(frame: DataFrame): boolean {
  const { provenance } = annotationOf(frame)!;
  const isOwn = inputsOf(provenance).some((each) =>
    each.kind === "given" && each.columns.includes("complete")
  );
  return isOwn ||
    frame.columns.includes("complete") &&
      !ASSUMED.includes(columnIn(frame, "complete")?.from ?? "");
}

/** Describes the source of the data of a chart. If the data are sample data, the text begins with a warning. */
export function sourceNote(frame: DataFrame, locale: string): string {
  const annotation = annotationOf(frame);
  if (annotation === undefined) return "Source not recorded.";
  const order = ["given", "response", "unknown"];
  const inputs = inputsOf(annotation.provenance)
    .toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  const asGiven = inputs.every(({ kind }) => kind === "given") && lastFullDay(frame) === null &&
    isTimed(frame) && !isCompleteStated(frame);
  const words = `${sourcesOf(inputs, locale).join("; ")}${asGiven ? ", as given" : ""}.`;
  return inputs.every(({ sample }) => sample)
    ? `SAMPLE DATA, invented: not facts about the world. Source: ${words}`
    : `Source: ${words}`;
}

/** Returns the last day of the data of a frame, or null if the service does not state this day. */
export function lastDay(frame: DataFrame): Date | null {
  return annotationOf(frame)?.provenance.data_through ?? null;
}

/** Joins the parts of a text that are not empty. */
export function joined(parts: readonly string[], between = "; "): string {
  return parts.filter((part) => part !== "").join(between);
}

/** Returns whether a column of a frame is not from the service, so that the last day of the service's data is not its. */
function isOwn(frame: DataFrame, field: string): boolean {
  const inputs = inputsOf(annotationOf(frame)?.provenance);
  const { from, meaning } = columnIn(frame, field) ?? { from: null, meaning: "" };
  return inputs.some(({ kind }) => kind !== "response") && from === null && meaning === "";
}

/**
 * Returns `words` followed by the last day of the data of a column: `data to 30 Jun 2026`. Returns an empty text if the
 * service does not state this day, or if the column is not from the service.
 */
export function dayWords(
  words: string,
  [frame, field]: readonly [DataFrame, string],
  { source = frame, locale }: Pick<Settings, "source" | "locale">,
): string {
  const day = isOwn(frame, field) ? null : lastDay(source);
  return day === null ? "" : `${words} ${formatDay(day, locale)}`;
}

/** Returns the name of bounds: `95% interval`, or the argument `unknown` if the levels differ or are not known. */
export function intervalName(
  levels: Iterable<number | null>,
  locale: string,
  unknown = "confidence interval",
): string {
  const [level, ...others] = new Set([...levels].flatMap((level) => level ?? []));
  return level === undefined || others.length > 0
    ? unknown
    : `${numbersOf([level], { unit: "fraction", locale })(level)} interval`;
}

/** Returns the first and the last month since first use as text: `months 1 to 11`, or `month 3`. */
export function monthsText(months: readonly number[]): string {
  const [first, last] = extentOf(months);
  return months.length === 0
    ? ""
    : first === last
    ? `month ${first}`
    : `months ${first} to ${last}`;
}

/** Writes a p value with two digits: `p 0.031`, or `p < 0.001`. */
export function pText(p: number, locale: string): string {
  return p < 0.001 ? "p < 0.001" : `p ${p.toLocaleString(locale, { maximumSignificantDigits: 2 })}`;
}

/** Returns names with their values for an alternative text: `Alder $41.2M`. */
export function valueTexts<Row extends { readonly label: string }>(
  rows: readonly Row[],
  unit: NumberUnit,
  valueOf: (row: Row) => number | null,
): string[] {
  const write = numbersOf(rows.map(valueOf), { unit, locale: "en-US" });
  return rows.map((row) => {
    const value = valueOf(row);
    return `${row.label} ${value === null ? "no value" : write(value)}`;
  });
}

/** Writes the ends of a range, with their unit once: `−2.5 to −1.1 points`. */
export function rangeText(
  [low, high]: readonly [number, number],
  write: (value: number) => string,
): string {
  return `${write(low).replace(/ points?$/, "")} to ${write(high)}`;
}

/** Removes `, latest` and `, sum` from the end of a title. The title of a chart states the dates instead. */
export function bareTitle(title: string): string {
  return title.replace(/, (latest|sum)$/, "");
}

/** Removes also the window of a measure from its title, because the title of the chart states the window. */
export function withoutWindow(title: string): string {
  return bareTitle(title.replace(/ over \d+ days?(?=,|$)/, ""));
}

/** Returns a title for use within a sentence. The title begins in lower case, unless it begins with an abbreviation. */
export function inSentence(title: string): string {
  return /^[A-Z][A-Z0-9]/.test(title) ? title : `${title.charAt(0).toLowerCase()}${title.slice(1)}`;
}

/**
 * Returns the words for what cohorts count: persons, who are active again, or amounts of a unit, such as US dollars.
 * `name` is the column of counts.
 */
export function countedWords(frame: DataFrame, name = "size") {
  if (amountUnit(frame, name) === null) {
    return {
      sizes: "Users",
      retention: "Retention",
      all: "first-time users",
      share: "Share of first-time users who are active again",
      shareIn: (month: string) => `Share of first-time users who are active in month ${month}`,
      ofCohort: "Share of the users of a cohort who are active again",
      total: (text: string, count: number) => `${text} user${count === 1 ? "" : "s"}`,
      still: "Still active",
      most: "users",
      together: "all users together",
      older: "hold older users",
      active: "Active users",
      arrived: (months: string) => `Users who arrived within ${months}; oldest at the bottom`,
      last: "active users in the last month",
      lacking: (months: string) => `users of cohorts older than ${months}, who are unknown`,
    };
  }
  const sign = unitText(frame, name);
  return {
    sizes: sign,
    retention: "Net retention of value",
    all: "all cohorts",
    share: `${sign} of a month for each ${sign} of month 0`,
    shareIn: (month: string) => `${sign} of month ${month} for each ${sign} of month 0`,
    ofCohort: `${sign} of a month for each ${sign} of month 0`,
    total: (text: string) => `${sign} ${text} of month 0`,
    still: "Of month 0",
    most: `${sign} of month 0`,
    together: "all amounts together",
    older: "hold older amounts",
    active: sign,
    arrived: (months: string) => `${sign} of cohorts of the last ${months}; oldest at the bottom`,
    last: `${sign} in the last month`,
    lacking: (months: string) => `amounts of cohorts older than ${months}, which are unknown`,
  };
}
