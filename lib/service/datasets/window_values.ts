import type { MetricKind } from "./metric.ts";

/** SQL expressions of the four days that bound a window; both ends belong to it. */
export interface WindowBounds {
  readonly start: string;
  readonly end: string;
  /** The first day of the window before, which is as long and ends where this one starts. */
  readonly before: string;
  /** The day that a change is measured from: as many days before the end as the window is long. */
  readonly base: string;
}

/** SQL expressions of what a window says about a metric; null where it cannot be told. */
export interface WindowValues {
  readonly sum: string;
  readonly avg: string;
  readonly latest: string;
  readonly change: string;
  readonly trend: string;
}

/** A daily column to be aggregated: its name, how it behaves, and what one US dollar or unit is. */
export interface DailyColumn {
  readonly name: string;
  readonly kind: MetricKind;
  /**
   * How many of the column's units make one of the answer's: 100 for cents.
   * @default 1
   */
  readonly per?: number;
}

function within(name: string, from: string, to: string): string {
  return `CASE WHEN day >= ${from} AND day <= ${to} THEN ${name} END`;
}

function levelValues(name: string, bounds: WindowBounds, per: number): WindowValues {
  const { start, end, before, base } = bounds;
  const first = `min(CASE WHEN ${name} IS NOT NULL THEN day END)`;
  const latest = `max(${within(name, end, end)})`;
  const was = `max(${within(name, base, base)})`;
  const inside = within(name, start, end);
  const earlier = `CASE WHEN day >= ${before} AND day < ${start} THEN ${name} END`;
  const mean = `sum(${inside}) / count(${inside})`;
  const meanBefore = `(sum(${earlier}) / count(${earlier}))`;
  return {
    sum: "NULL",
    avg: `CASE WHEN count(${inside}) > 0 THEN sum(${inside}) / (${per} * count(${inside})) END`,
    latest: `${latest} / ${per}`,
    change: `CASE WHEN ${was} <> 0 THEN (${latest} - ${was}) / abs(${was}) END`,
    trend: `CASE WHEN ${first} <= ${before} AND count(${inside}) > 0 AND sum(${earlier}) <> 0
      THEN (${mean} - ${meanBefore}) / abs(${meanBefore}) END`,
  };
}

function flowValues(
  name: string,
  kind: MetricKind,
  bounds: WindowBounds,
  per: number,
): WindowValues {
  const { start, end, before, base } = bounds;
  const first = `min(CASE WHEN ${name} IS NOT NULL THEN day END)`;
  const sum = `coalesce(sum(${within(name, start, end)}), 0)`;
  const earlier =
    `coalesce(sum(CASE WHEN day >= ${before} AND day < ${start} THEN ${name} END), 0)`;
  const latest = `coalesce(max(${within(name, end, end)}), 0)`;
  const was = `coalesce(max(${within(name, base, base)}), 0)`;
  const days = `(${end} - CASE WHEN ${first} > ${start} THEN ${first} ELSE ${start} END + 1)`;
  const known = `CASE WHEN ${first} <= ${end} THEN`;
  return {
    sum: kind === "users" ? "NULL" : `${known} ${sum} / ${per} END`,
    avg: `${known} ${sum} / (${per} * ${days}) END`,
    latest: `${known} ${latest} / ${per} END`,
    change: `CASE WHEN ${first} <= ${base} AND ${was} <> 0
      THEN (${latest} - ${was}) / abs(${was}) END`,
    trend: `CASE WHEN ${first} <= ${before} AND ${earlier} <> 0
      THEN (${sum} - ${earlier}) / abs(${earlier}) END`,
  };
}

/**
 * What a window says about a daily column, as SQL over a table with one row per thing and day,
 * grouped by the thing. Every operation's sums, averages, changes and trends come from here.
 */
export function windowValues(column: DailyColumn, bounds: WindowBounds): WindowValues {
  const { name, kind, per = 1 } = column;
  return kind === "level" ? levelValues(name, bounds, per) : flowValues(name, kind, bounds, per);
}
