import { EVERY, type Every, everyOf, type Period, periodAt } from "../../schema/period.ts";
import type { DataFrame } from "../../table/columns/polars.ts";
import { noteWeekday, periodsOf } from "../../table/read/periods.ts";
import {
  dayLengths,
  firstHour,
  requireTimes,
  type Times,
  timesIn,
  timeText,
} from "../../table/read/times.ts";

/** The parts of rows that lie in one period each, in order of time. Days are numbers. */
export interface RowParts {
  /** The index of the row. */
  readonly row: readonly number[];
  /** The first day of the part. */
  readonly day: readonly number[];
  /** The part of the row's own period, from 0 to 1. */
  readonly share: readonly number[];
  /** The number of days that the part covers. */
  readonly days: readonly number[];
  /** Whether the row ends in this part. */
  readonly ends: readonly boolean[];
  /** The last day that the rows cover to its end. */
  readonly last: number;
  /** The number of rows that lie in several periods. */
  readonly split: number;
  /** Whether no row is split, and all rows cover the same number of days. */
  readonly areWhole: boolean;
  /** Whether rows are parts of days, so that numbers of days have fractions. */
  readonly areHours: boolean;
  /** Whether rows are days or moments, of which an entity can have many on a day: days with a value are counted. */
  readonly areMoments: boolean;
}

/** The rows, and the periods to make. */
interface Asked {
  readonly fn: string;
  readonly date: string;
  readonly zone: string | undefined;
  /** The length of the periods to make. */
  readonly every: Every;
  /** Whether each row is a day or a part of a day, because days without a row are 0. */
  readonly areDays: boolean;
}

/** The most days of periods. */
export const MOST_DAYS = { day: 1, week: 7, month: 31, quarter: 92, year: 366 } as const;

const DAY_SECONDS = 86_400;
/** If this part of the distances between times is the same, rows are parts of days. */
const EVEN = 0.9;

/** Throws a RangeError if rows are longer than the periods to make. */
function refuseLonger(periods: readonly Period[], own: Every | null, { fn, every }: Asked): void {
  if (own !== null && EVERY.indexOf(own) <= EVERY.indexOf(every)) return;
  const longest = periods.reduce((most, { start, end }) => Math.max(most, end - start + 1), 0);
  if (own === null && longest <= MOST_DAYS[every]) return;
  const lengths = new Set(periods.map(everyOf));
  const length = own ?? EVERY.findLast((each) => lengths.has(each) && MOST_DAYS[each] >= longest);
  throw new RangeError(
    `${fn}: every: the rows are ${length === undefined ? `up to ${longest} day` : length}s, ` +
      `which cannot be made ${every}s`,
  );
}

/** Returns the period of each row of dates. */
function periodsOfRows(dates: DataFrame, asked: Asked): Period[] {
  const { fn, date, zone, areDays } = asked;
  const { days, every: stated } = timesIn(dates, date, zone);
  // Sparse days can all be Mondays.
  if (areDays && stated === null && !dates.columns.includes("until")) {
    return Array.from(days, (day) => periodAt(day, "day"));
  }
  const { numbers, periods, every, weekday } = periodsOf(dates, { fn, date, zone });
  if (areDays && every !== "day") {
    throw new RangeError(
      `${fn}: missing: requires rows that are days; the rows are ${every ?? "period"}s`,
    );
  }
  refuseLonger(periods, every, asked);
  noteWeekday(weekday, fn);
  return Array.from(numbers, (number) => periods[number]!);
}

const isWhole = (days: readonly number[], split: number) =>
  split === 0 && days.every((each) => each === days[0]);

/** Divides rows of days and longer periods at the ends of the periods to make. */
function partsOfPeriods(dates: DataFrame, asked: Asked): RowParts {
  const periods = periodsOfRows(dates, asked);
  const endless = periods.findIndex(({ end }) => Number.isNaN(end));
  if (endless >= 0) {
    throw new RangeError(`${asked.fn}: until: must not be null; got null in row ${endless}`);
  }
  const [row, day, share, days]: [number[], number[], number[], number[]] = [[], [], [], []];
  const ends: boolean[] = [];
  let [last, split] = [-Infinity, 0];
  const order = [...periods.keys()].sort((a, b) => periods[a]!.start - periods[b]!.start);
  for (const at of order) {
    const { start, end } = periods[at]!;
    for (let from = start; from <= end;) {
      const to = Math.min(end, periodAt(from, asked.every).end);
      if (from === start && to < end) split += 1;
      row.push(at);
      day.push(from);
      days.push(to - from + 1);
      share.push((to - from + 1) / (end - start + 1));
      ends.push(to === end);
      from = to + 1;
    }
    last = Math.max(last, end);
  }
  const areWhole = isWhole(days, split);
  const kinds = { areWhole, areHours: false, areMoments: asked.areDays };
  return { row, day, share, days, ends, last, split, ...kinds };
}

/**
 * Returns the most frequent distance between successive moments, in seconds, if nine of ten distances are the same and
 * divide a day. Null if the moments have no such distance.
 */
function stepOf(moments: Float64Array): number | null {
  const sorted = [...new Set(moments)].sort((a, b) => a - b);
  const counts = new Map<number, number>();
  for (let at = 1; at < sorted.length; at++) {
    const gap = Math.round((sorted[at]! - sorted[at - 1]!) * DAY_SECONDS);
    counts.set(gap, (counts.get(gap) ?? 0) + 1);
  }
  const [[step, count] = [0, 0]] = [...counts].sort(([a, m], [b, n]) => n - m || a - b);
  return step > 0 && DAY_SECONDS % step === 0 && count >= EVEN * (sorted.length - 1) ? step : null;
}

/** Takes rows as parts of their days, or as moments if they follow each other at no fixed distance. */
function partsOfDays(dates: DataFrame, times: Times, { date, zone, areDays }: Asked): RowParts {
  const moments = timesIn(dates, date, "UTC").days;
  const step = stepOf(moments);
  const areHours = step !== null && !areDays;
  const row = [...times.days.keys()].sort((a, b) => times.days[a]! - times.days[b]!);
  const day = row.map((at) => Math.floor(times.days[at]!));
  const lengths = zone === undefined ? new Map<number, number>() : dayLengths(day, zone);
  const latest = times.days.reduce((most, each) => Math.max(most, each), -Infinity);
  const days = day.map((each) => areHours ? step / (lengths.get(each) ?? DAY_SECONDS) : 1);
  return {
    row,
    day,
    days,
    share: day.map(() => 1),
    ends: day.map(() => true),
    areWhole: isWhole(days, 0),
    // A rounding error must not take the last second of a day away.
    last: Math.floor(latest + (step ?? 0) / DAY_SECONDS + 1e-9) - 1,
    split: 0,
    areHours,
    areMoments: !areHours,
  };
}

/**
 * Reads which stretch of time each row covers, and divides it among the periods to make. Each row of `dates` has another
 * date.
 *
 * @throws {RangeError} when a date is null or is not read, when rows are longer than the periods to make, and when there
 * are times of day, but no zone.
 */
export function rowParts(dates: DataFrame, asked: Asked): RowParts {
  const { fn, date } = asked;
  const own = requireTimes(dates, date, fn);
  const none = own.days.findIndex(Number.isNaN);
  if (none >= 0) throw new RangeError(`${fn}: ${date}: must not be null; got null in row ${none}`);
  if (!own.hasHours) return partsOfPeriods(dates, { ...asked, zone: undefined });
  const zone = asked.zone ?? own.zone;
  if (zone === undefined) {
    const row = firstHour(own.days);
    throw new RangeError(
      `${fn}: zone: is required, such as "UTC", because there are times of day: ${date} ` +
        timeText(own.days[row]!),
    );
  }
  const times = timesIn(dates, date, zone);
  return times.hasHours
    ? partsOfDays(dates, times, { ...asked, zone })
    : partsOfPeriods(dates, { ...asked, zone });
}
