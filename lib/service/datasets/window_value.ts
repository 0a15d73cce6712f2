import type { DailyColumn } from "./metric.ts";
import type { Window } from "../../schema/vocabulary.ts";

/** The days that the data covers, both ends included, as `YYYY-MM-DD`. */
export interface Span {
  /** The first day, `YYYY-MM-DD`. */
  readonly first_day: string;
  /** The last day, `YYYY-MM-DD`. */
  readonly last_day: string;
}

const DAY_MS = 86_400_000;

/** The day that is so many days after another; negative is before. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** How many days lie between two days, both included. */
export function daysBetween(start: string, end: string): number {
  return (Date.parse(end) - Date.parse(start)) / DAY_MS + 1;
}

/** SQL expressions of the four days that bound a window; both ends belong to it. */
interface WindowBounds {
  /** What the window is called among others, as part of a column's name. */
  readonly label: string;
  readonly start: string;
  readonly end: string;
  /** The first day of the window before, which is as long and ends where this one starts. */
  readonly before: string;
  /** The day that a change is measured from: as many days before the end as the window is long. */
  readonly base: string;
}

/** What a window can say about a metric. */
export type WindowStatistic = "sum" | "avg" | "latest" | "change" | "trend";

/** The aggregates that an inner query has to select, by their names: each is computed once. */
export type Aggregates = Map<string, string>;

type Part = "first" | "latest" | "was" | "sum" | "count" | "earlier" | "earlier_count";

function partSql(part: Part, name: string, bounds: WindowBounds): string {
  const { start, end, before, base } = bounds;
  const inside = `CASE WHEN day >= ${start} AND day <= ${end} THEN ${name} END`;
  const earlier = `CASE WHEN day >= ${before} AND day < ${start} THEN ${name} END`;
  switch (part) {
    case "first":
      return `min(CASE WHEN ${name} IS NOT NULL THEN day END)`;
    case "latest":
      return `max(CASE WHEN day = ${end} THEN ${name} END)`;
    case "was":
      return `max(CASE WHEN day = ${base} THEN ${name} END)`;
    case "sum":
      return `sum(${inside})`;
    case "count":
      return `count(${inside})`;
    case "earlier":
      return `sum(${earlier})`;
    case "earlier_count":
      return `count(${earlier})`;
  }
}

type Use = (part: Part) => string;

function levelValue(
  statistic: WindowStatistic,
  use: Use,
  { before }: WindowBounds,
  per: number,
): string {
  const mean = () => `${use("sum")} / ${use("count")}`;
  const meanBefore = () => `(${use("earlier")} / ${use("earlier_count")})`;
  switch (statistic) {
    case "sum":
      return "NULL";
    case "avg":
      return `CASE WHEN ${use("count")} > 0 THEN ${use("sum")} / (${per} * ${use("count")}) END`;
    case "latest":
      return `${use("latest")} / ${per}`;
    case "change":
      return `CASE WHEN ${use("was")} <> 0
        THEN (${use("latest")} - ${use("was")}) / abs(${use("was")}) END`;
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
  { kind, per }: DailyColumn,
): string {
  // From the first fact on, a day without one is zero.
  const zero = (part: Part) => `coalesce(${use(part)}, 0)`;
  const known = () => `CASE WHEN ${use("first")} <= ${end} THEN`;
  const days = () =>
    `(${end} - CASE WHEN ${use("first")} > ${start} THEN ${use("first")} ELSE ${start} END + 1)`;
  switch (statistic) {
    case "sum":
      return kind === "users" ? "NULL" : `${known()} ${zero("sum")} / ${per} END`;
    case "avg":
      return `${known()} ${zero("sum")} / (${per} * ${days()}) END`;
    case "latest":
      return `${known()} ${zero("latest")} / ${per} END`;
    case "change":
      return `CASE WHEN ${use("first")} <= ${base} AND ${zero("was")} <> 0
        THEN (${zero("latest")} - ${zero("was")}) / abs(${zero("was")}) END`;
    case "trend":
      return `CASE WHEN ${use("first")} <= ${before} AND ${zero("earlier")} <> 0
        THEN (${zero("sum")} - ${zero("earlier")}) / abs(${zero("earlier")}) END`;
  }
}

/**
 * What a window says about a daily column, as SQL over the aggregates that it adds to `into`. The
 * caller selects those from a table with one row per thing and day, grouped by the thing. Every
 * operation's sums, averages, changes and trends come from here; null is what cannot be told.
 */
export function windowValue(
  statistic: WindowStatistic,
  column: DailyColumn,
  bounds: WindowBounds,
  into: Aggregates,
): string {
  const use = (part: Part) => {
    const alias = part === "first"
      ? `${column.name}_first`
      : `${column.name}_${bounds.label}_${part}`;
    into.set(alias, partSql(part, column.name, bounds));
    return alias;
  };
  return column.kind === "level"
    ? levelValue(statistic, use, bounds, column.per)
    : flowValue(statistic, use, bounds, column);
}

/** The select list of aggregates. */
export function aggregateColumns(aggregates: Aggregates): string {
  return [...aggregates].map(([alias, sql]) => `${sql} AS ${alias}`).join(",\n    ");
}

function literal(day: string): string {
  return `toDate('${day}')`;
}

/** The bounds of a window that ends with the last day of the data; `max` begins with the first. */
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
