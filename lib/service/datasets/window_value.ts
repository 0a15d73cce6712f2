import type { DailyColumn } from "./metric.ts";
import { dayOf, dayText } from "../../schema/period.ts";
import type { Aggregation, Window } from "../../schema/vocabulary.ts";

/** First and last day of the data, `YYYY-MM-DD`. */
export interface Span {
  /** The first day, `YYYY-MM-DD`. */
  readonly first_day: string;
  /** The last day, `YYYY-MM-DD`. */
  readonly last_day: string;
}

/** Returns the day that is a number of days after another; a negative number gives a day before it. */
export function addDays(day: string, days: number): string {
  return dayText(dayOf(day) + days);
}

/** Returns the number of days from one day to another, both included. */
export function daysBetween(start: string, end: string): number {
  return dayOf(end) - dayOf(start) + 1;
}

/** SQL of the days that bound a window and the previous window. All bounds are inclusive. */
export interface WindowBounds {
  /** Name of the window, used in column names. */
  readonly label: string;
  readonly start: string;
  readonly end: string;
  /** First day of the previous window, which has the same length. */
  readonly before: string;
  /** A change compares the last day of the window with this day. */
  readonly base: string;
}

/** Values that a window has for a metric. */
export type WindowStatistic = Aggregation;

/** Aggregates that an inner query must select, by name. Each aggregate is computed once. */
export type Aggregates = Map<string, string>;

/**
 * Returns SQL of the last window bound on or before `day`; null if all bounds are later. The days with the same bound
 * are a segment.
 */
export function segmentOf(windows: readonly WindowBounds[]): string {
  const days = windows.flatMap(({ before, base, start, end }) => [
    before,
    base,
    start,
    end,
    `(${end} + 1)`,
  ]);
  const reached = [...new Set(days)].map((bound) => `CASE WHEN day >= ${bound} THEN ${bound} END`);
  return `greatest(${reached.join(", ")})`;
}

type Part = "first" | "latest" | "was" | "sum" | "count" | "earlier" | "earlier_count";

function partSql(part: Exclude<Part, "first">, name: string, bounds: WindowBounds): string {
  const { start, end, before, base } = bounds;
  const inside = (column: string) =>
    `sum(CASE WHEN segment >= ${start} AND segment <= ${end} THEN ${column} END)`;
  const earlier = (column: string) =>
    `sum(CASE WHEN segment >= ${before} AND segment < ${start} THEN ${column} END)`;
  switch (part) {
    case "latest":
      return `max(CASE WHEN segment = ${end} THEN ${name} END)`;
    case "was":
      return `max(CASE WHEN segment = ${base} THEN ${name} END)`;
    case "sum":
      return inside(name);
    case "count":
      return inside(`${name}_known`);
    case "earlier":
      return earlier(name);
    case "earlier_count":
      return earlier(`${name}_known`);
  }
}

type Use = (part: Part) => string;

// Sums are exact. They become doubles only when divided or returned.
function real(sql: string): string {
  return `CAST(${sql} AS DOUBLE)`;
}

function growth(now: string, before: string): string {
  return `${real(`${now} - ${before}`)} / abs(${real(before)})`;
}

function levelValue(statistic: WindowStatistic, use: Use, { before }: WindowBounds): string {
  const mean = () => `(${real(use("sum"))} / ${use("count")})`;
  const meanBefore = () => `(${real(use("earlier"))} / ${use("earlier_count")})`;
  switch (statistic) {
    case "sum":
    case "days":
      return "NULL";
    case "avg":
      return `CASE WHEN ${use("count")} > 0 THEN ${mean()} END`;
    case "latest":
      return real(use("latest"));
    case "change":
      return `CASE WHEN ${use("was")} <> 0 THEN ${growth(use("latest"), use("was"))} END`;
    case "trend":
      return `CASE WHEN ${use("first")} <= ${before} AND ${use("count")} > 0
        AND ${use("earlier")} <> 0
        THEN (${mean()} - ${meanBefore()}) / abs(${meanBefore()}) END`;
  }
}

function flowValue(
  statistic: WindowStatistic,
  use: Use,
  { start, end, before, base }: WindowBounds,
  kind: DailyColumn["kind"],
): string {
  // On days without a fact after the first fact, the value is 0.
  const zero = (part: Part) => `coalesce(${use(part)}, 0)`;
  const known = () => `CASE WHEN ${use("first")} <= ${end} THEN`;
  const days = () =>
    `(${end} - CASE WHEN ${use("first")} > ${start} THEN ${use("first")} ELSE ${start} END + 1)`;
  switch (statistic) {
    case "sum":
      return kind === "users" ? "NULL" : `${known()} ${real(zero("sum"))} END`;
    case "days":
      return kind === "users" ? "NULL" : `${known()} ${days()} END`;
    case "avg":
      return `${known()} ${real(zero("sum"))} / ${days()} END`;
    case "latest":
      return `${known()} ${real(zero("latest"))} END`;
    case "change":
      return `CASE WHEN ${use("first")} <= ${base} AND ${zero("was")} <> 0
        THEN ${growth(zero("latest"), zero("was"))} END`;
    case "trend":
      return `CASE WHEN ${use("first")} <= ${before} AND ${zero("earlier")} <> 0
        THEN ${growth(zero("sum"), zero("earlier"))} END`;
  }
}

/**
 * Returns SQL of the value of a window for a daily column. Adds the aggregates that this SQL uses to `into`.
 *
 * The caller selects these aggregates from the segments, grouped by entity. All sums, averages, changes and trends of
 * the service are computed here. Null means unknown.
 */
export function windowValue(
  statistic: WindowStatistic,
  column: DailyColumn,
  bounds: WindowBounds,
  into: Aggregates,
): string {
  const use = (part: Part) => {
    if (part === "first") return firstDay(column.name, into);
    const alias = `${column.name}_${bounds.label}_${part}`;
    into.set(alias, partSql(part, column.name, bounds));
    return alias;
  };
  return column.kind === "level"
    ? levelValue(statistic, use, bounds)
    : flowValue(statistic, use, bounds, column.kind);
}

/** Returns SQL of the first day on which a column is known. Adds the aggregate that this SQL uses to `into`. */
export function firstDay(name: string, into: Aggregates): string {
  into.set(`${name}_first`, `min(${name}_since)`);
  return `${name}_first`;
}

/** Returns the select list of aggregates. */
export function aggregateColumns(aggregates: Aggregates): string {
  return [...aggregates].map(([alias, sql]) => `${sql} AS ${alias}`).join(",\n    ");
}

function literal(day: string): string {
  return `DATE '${day}'`;
}

/** Returns the bounds of a window that ends with the last day; `max` starts with the first. */
export function trailingBounds(window: Window | "max", span: Span): WindowBounds {
  const { first_day, last_day } = span;
  const days = window === "max" ? daysBetween(first_day, last_day) : Number.parseInt(window);
  return {
    label: window === "max" ? "max" : `${days}d`,
    start: literal(addDays(last_day, 1 - days)),
    end: literal(last_day),
    before: literal(addDays(last_day, 1 - 2 * days)),
    base: literal(addDays(last_day, -days)),
  };
}
