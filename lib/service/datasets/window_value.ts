import type { MetricKind } from "./metric.ts";
import { dayOf, dayText } from "../../schema/period.ts";
import type { Aggregation, Window } from "../../schema/vocabulary.ts";

/** First and last day of the data, `YYYY-MM-DD`. */
export interface Span {
  /** The first day, `YYYY-MM-DD`. */
  readonly first_day: string;
  /** The last day, `YYYY-MM-DD`. */
  readonly last_day: string;
}

/** Returns the day that is `days` days after `day`. If `days` is negative, the result is before `day`. */
export function addDays(day: string, days: number): string {
  return dayText(dayOf(day) + days);
}

/** The first and last days of a window and of the previous window, `YYYY-MM-DD`. The windows include these days. */
export interface WindowBounds {
  readonly start: string;
  readonly end: string;
  /** First day of the previous window, which has the same length. */
  readonly before: string;
  /** Last day of the previous window. `change` compares the last day of the window with this day. */
  readonly base: string;
}

/** Returns the bounds of the window from `start` to `end`. Both days are included. */
export function windowBounds(start: string, end: string): WindowBounds {
  const days = dayOf(end) - dayOf(start) + 1;
  return { start, end, before: addDays(start, -days), base: addDays(start, -1) };
}

/** Returns the bounds of a window that ends with the last day of the data. The window `max` contains all days. */
export function trailingBounds(
  window: Window | "max",
  { first_day, last_day }: Span,
): WindowBounds {
  const start = window === "max" ? first_day : addDays(last_day, 1 - Number.parseInt(window));
  return windowBounds(start, last_day);
}

/** A daily column that is aggregated. */
interface DailyColumn {
  readonly name: string;
  readonly kind: MetricKind;
}

/** SQL for the values of metrics in windows. */
export interface WindowValues {
  /** Condition on `day` that selects the days of the windows and of the previous windows. */
  readonly during: string;
  /** SQL of the number of the segment that contains `day`. A segment is the days between two bounds of windows. */
  readonly segment: string;
  /** Returns an SQL aggregate that counts the days of a segment on which a column has a known value. */
  knownDays(column: string): string;
  /** Returns SQL of an aggregation of a daily column in a window. Null means unknown. */
  value(statistic: Aggregation, column: DailyColumn, bounds: WindowBounds): string;
  /** Returns SQL of the first day on which a column has a known value. */
  firstDay(column: string): string;
  /** Returns the SQL select list of the aggregates that `value` and `firstDay` use. Each aggregate is in it once. */
  aggregates(): string;
}

// Converts a sum to a double. Sums are exact decimals or integers. Only quotients and results are doubles.
function real(sql: string): string {
  return `CAST(${sql} AS DOUBLE)`;
}

function growth(now: string, before: string): string {
  return `${real(`${now} - ${before}`)} / abs(${real(before)})`;
}

/**
 * Returns SQL for the values of metrics in windows. All sums, averages, changes and trends of the service use this SQL.
 *
 * The caller uses the SQL in three steps:
 *
 * 1. Add up daily values by segment, into the columns `segment`, `<column>`, `<column>_known` (the number of days on
 *    which a level is known) and `<column>_since` (the first day with a known value).
 * 2. Select `aggregates()` from the segments, grouped by entity.
 * 3. Select each `value()` from the aggregates.
 */
export function windowValues(windows: readonly WindowBounds[]): WindowValues {
  const marks = [
    ...new Set(windows.flatMap(({ before, start, base, end }) => [
      before,
      base,
      start,
      end,
      addDays(end, 1),
    ])),
  ].sort();
  const [first, last] = [marks[0]!, addDays(marks.at(-1)!, -1)];
  const date = (mark: string) => `DATE '${mark}'`;
  return {
    ...valuesBetween(marks, date),
    during: `day BETWEEN ${date(first)} AND ${date(last)}`,
    knownDays: (column) =>
      `bit_count(bitstring_agg(CASE WHEN ${column} IS NOT NULL THEN day - ${date(first)} END,
        0, ${dayOf(last) - dayOf(first)}))`,
  };
}

/** The columns of a table of windows, each of which begins a segment. */
export const WINDOW_COLUMNS: WindowBounds = {
  before: "before_first",
  base: "before_last",
  start: "first_day",
  end: "last_day",
};

/**
 * Returns the same SQL for windows that are rows of a table with the columns `WINDOW_COLUMNS`, joined to the days by
 * `during`. The days of each window must be distinct, and are counted.
 */
export function windowRowValues(): WindowValues {
  const { before, base, start, end } = WINDOW_COLUMNS;
  return {
    ...valuesBetween([before, base, start, end, `${end} + 1`], (mark) => mark),
    during: `day BETWEEN ${before} AND ${end}`,
    knownDays: (column) => `count(${column})`,
  };
}

/** Returns the SQL of segments that begin with the given marks. `date` returns the SQL of the day of a mark. */
function valuesBetween(
  marks: readonly string[],
  date: (mark: string) => string,
): Omit<WindowValues, "during" | "knownDays"> {
  const aliases = new Map<string, string>();
  const use = (aggregate: string) => {
    const alias = aliases.get(aggregate) ?? `a${aliases.size}`;
    aliases.set(aggregate, alias);
    return alias;
  };
  const firstDay = (column: string) => use(`min(${column}_since)`);
  const segmentFrom = (day: string) => marks.indexOf(day) + 1;
  const sum = (column: string, from: number, to: number) =>
    use(`sum(CASE WHEN segment BETWEEN ${from} AND ${to} THEN ${column} END)`);

  const value: WindowValues["value"] = (statistic, { name, kind }, bounds) => {
    const [before, base, start, end] = [bounds.before, bounds.base, bounds.start, bounds.end]
      .map(date);
    // After the first fact of a flow or of users, days without a fact are 0.
    const known = (aggregate: string) => kind === "level" ? aggregate : `coalesce(${aggregate}, 0)`;
    const from = segmentFrom(bounds.start);
    const to = segmentFrom(bounds.end);
    const inside = (column = name) => sum(column, from, to);
    const earlier = (column = name) => sum(column, segmentFrom(bounds.before), from - 1);
    const latest = () => known(sum(name, to, to));
    const since = () => firstDay(name);
    const days = () =>
      `(${end} - CASE WHEN ${since()} > ${start} THEN ${since()} ELSE ${start} END + 1)`;
    const mean = () => `(${real(inside())} / ${inside(`${name}_known`)})`;
    const meanBefore = () => `(${real(earlier())} / ${earlier(`${name}_known`)})`;
    const ifKnown = (sql: string) => `CASE WHEN ${since()} <= ${end} THEN ${sql} END`;
    switch (statistic) {
      case "sum":
        return kind === "flow" ? ifKnown(real(known(inside()))) : "NULL";
      case "days":
        return kind === "flow" ? ifKnown(days()) : "NULL";
      case "avg":
        return kind === "level"
          ? `CASE WHEN ${inside(`${name}_known`)} > 0 THEN ${mean()} END`
          : ifKnown(`${real(known(inside()))} / ${days()}`);
      case "latest":
        return kind === "level" ? real(latest()) : ifKnown(real(latest()));
      case "change": {
        const was = known(sum(name, segmentFrom(bounds.base), segmentFrom(bounds.base)));
        const there = kind === "level" ? "" : `${since()} <= ${base} AND `;
        return `CASE WHEN ${there}${was} <> 0 THEN ${growth(latest(), was)} END`;
      }
      case "trend": {
        const there = `${since()} <= ${before} AND ${known(earlier())} <> 0`;
        return kind === "level"
          ? `CASE WHEN ${there} AND ${inside(`${name}_known`)} > 0
            THEN (${mean()} - ${meanBefore()}) / abs(${meanBefore()}) END`
          : `CASE WHEN ${there} THEN ${growth(known(inside()), known(earlier()))} END`;
      }
    }
  };
  return {
    segment: marks.map((mark) => `(day >= ${date(mark)})::UTINYINT`).join(" + "),
    value,
    firstDay,
    aggregates: () => [...aliases].map(([sql, alias]) => `${sql} AS ${alias}`).join(",\n    "),
  };
}
