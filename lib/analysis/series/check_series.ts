import { NO_SERIES } from "../../schema/check_rules.ts";
import { dayOf, dayText, type Every, everyOf, periodAt } from "../../schema/period.ts";
import { rowGroups } from "../../table/read/panel.ts";
import { longestEvery, numbered } from "../../table/read/periods.ts";
import { dtypeNames, isText } from "../../table/build/dtypes.ts";
import type { DataFrame } from "../../table/build/polars.ts";
import { arraysIn } from "../columnar.ts";
import type { Finding, Numbers } from "./check_rows.ts";

/** The share of values up to which zeros and repeated values are unusual. */
const RARE = 0.02;
/** The number of differences that the rule of spikes needs: of days and weeks, of longer periods, and at their ends. */
const [FEWEST, FEWEST_LONG, FEWEST_ENDS] = [26, 12, 24];
/**
 * A spike differs by more than this number of median absolute deviations, by more than this factor, and by more than
 * this multiple of the largest differences that are not rare.
 */
const [LIMIT, FACTOR, APART] = [12, 3, 3];
/** A level changes by this factor between two weeks, and by this number of deviations within the weeks. */
const [JUMP, DEVIATIONS, WEEK] = [10, 8, 7];
/** Zeros are unusual if the median of the other values is at least this, and none is below a tenth of it. */
const [LARGE, SMALLEST] = [100, 0.1];
/** Dates before or after these are no dates of data. */
const [EARLIEST, LATEST] = [dayOf("1990-01-01"), dayOf("2100-12-31")];

/** Returns the median of sorted values. */
function middleOf(sorted: Float64Array): number {
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

/** Returns the median absolute deviation of values from their median. */
function deviationOf(sorted: Float64Array): number {
  const middle = middleOf(sorted);
  return middleOf(sorted.map((value) => Math.abs(value - middle)).sort());
}

function indicesOf(values: Float64Array, test: (value: number) => boolean): number[] {
  const found: number[] = [];
  for (let at = 0; at < values.length; at++) if (test(values[at]!)) found.push(at);
  return found;
}

/** The values of a series in order of time, without nulls. */
interface Points {
  readonly every: Every;
  readonly rows: Uint32Array;
  /** The first days of the periods. */
  readonly days: Float64Array;
  readonly values: Float64Array;
  /** The logarithms of the values. NaN where a value is not positive. */
  readonly logs: Float64Array;
  /**
   * For each point, the logarithm of the median of the four nearest positive values: two before and two after, at the
   * ends all on one side. Days are compared with the same weekday. NaN where a value has fewer neighbors.
   */
  readonly near: Float64Array;
  /** The differences of the logarithms from their neighbors, sorted. */
  readonly differences: Float64Array;
  /** The median absolute deviation of the differences. */
  readonly deviation: number;
}

function pointsOf(
  own: Uint32Array,
  { all, days: dayOfRow, every }: {
    readonly all: Float64Array;
    readonly days: Float64Array;
    readonly every: Every;
  },
): Points {
  const rows = own.filter((row) => !Number.isNaN(all[row]!));
  const count = rows.length;
  const numbers = () => new Float64Array(count);
  const [days, values, logs, differences] = [numbers(), numbers(), numbers(), numbers()];
  const near = numbers().fill(NaN);
  const step = every === "day" && count >= 5 * 7 ? 7 : 1;
  const weekdays = Array.from({ length: step }, (): number[] => []);
  for (let at = 0; at < count; at++) {
    const value = values[at] = all[rows[at]!]!;
    const day = days[at] = dayOfRow[rows[at]!]!;
    logs[at] = value > 0 ? Math.log(value) : NaN;
    if (value > 0) weekdays[((day % step) + step) % step]!.push(at);
  }
  let known = 0;
  for (const alike of weekdays) {
    const last = alike.length - 1;
    for (let at = 0; at <= last; at++) {
      let [left, sum, least, most] = [4, 0, Infinity, -Infinity];
      let other = Math.max(0, at < 2 ? at + 1 : at > last - 2 ? at - 4 : at - 2);
      for (; other <= last && left > 0; other++) {
        if (other === at) continue;
        const log = logs[alike[other]!]!;
        if (log < least) least = log;
        if (log > most) most = log;
        sum += log;
        left--;
      }
      if (left > 0) continue;
      const place = alike[at]!;
      near[place] = (sum - least - most) / 2;
      differences[known++] = logs[place]! - near[place]!;
    }
  }
  const sorted = differences.subarray(0, known).sort();
  const deviation = deviationOf(sorted);
  return { every, rows, days, values, logs, near, differences: sorted, deviation };
}

/** A point that a rule does not allow. The value is that of the point, or else given. */
type Found = readonly [at: number, expected: string, value?: number];

/** Zeros between positive values that are not often below half of their neighbors. */
function* zeros({ values, differences }: Points): Generator<Found> {
  const found = indicesOf(values.subarray(1, -1), (value) => value === 0);
  if (found.length === 0 || found.length > 1 + RARE * values.length) return;
  const low = differences.filter((each) => each < -Math.log(2)).length;
  if (differences.length === 0 || low > RARE * values.length) return;
  for (const before of found) yield [before + 1, "above 0"];
}

/** Many zeros among values that are all large. */
function* manyZeros({ values, days }: Points): Generator<Found> {
  const found = indicesOf(values, (value) => value === 0);
  if (found.length <= 1 + RARE * values.length || found.length > values.length / 2) return;
  const others = values.filter((value) => value !== 0).sort();
  const [middle, least] = [middleOf(others), others[0]!];
  if (middle < LARGE || least < SMALLEST * middle) return;
  const first = dayText(days[found[0]!]!);
  yield [found[0]!, `at least ${least.toPrecision(3)}; first 0 on ${first}`, found.length];
}

/**
 * Values that repeat for 7 days, or 5 longer periods. In series in which other values repeat too, such as small counts,
 * this is usual.
 */
function* repeats({ values, every }: Points): Generator<Found> {
  const runs: [at: number, count: number][] = [];
  let [count, ties] = [1, 0];
  for (let at = 0; at < values.length; at++) {
    const isSame = values[at] === values[at + 1];
    if (!isSame && count >= (every === "day" ? 7 : 5)) {
      const digits = String(Math.abs(values[at]!)).replace(/e.*|\D/g, "").replace(/^0+|0+$/g, "");
      if (digits.length > 2) runs.push([at - count + 1, count]);
    }
    if (isSame) ties++;
    count = isSame ? count + 1 : 1;
  }
  for (const [at, count] of runs) {
    if (ties - count < RARE * values.length) yield [at, `not the same in ${count} periods`];
  }
}

const isShort = (every: Every) => every === "day" || every === "week";

/** Returns the values that the rule of spikes needs, if a series has fewer. */
function missingFor({ every, values, differences, deviation }: Points): string | null {
  const fewest = isShort(every) ? FEWEST : FEWEST_LONG;
  const isVaried = differences.length >= fewest && deviation > 1e-9;
  if (values.length > 0 && !isVaried) return `${fewest} values that vary`;
  return isShort(every) || values.length === 0 || values.length >= FEWEST_ENDS
    ? null
    : `${FEWEST_ENDS} values to judge the first and last two`;
}

/**
 * The few points that differ much more than all others in their direction. So values that are often low, such as the last
 * days of months, are no spikes. A value of a longer period also differs from the two before and from the two after, so
 * that a launch is no spike.
 */
function* spikes({ every, logs, near, differences, deviation }: Points): Generator<Found> {
  const [count, known] = [logs.length, differences.length];
  if (known < (isShort(every) ? FEWEST : FEWEST_LONG) || !(deviation > 1e-9)) return;
  const rare = Math.max(1, Math.floor(RARE * known));
  const limitOf = (usual: number) => Math.max(LIMIT * deviation, Math.log(FACTOR), APART * usual);
  const [low, high] = [limitOf(-differences[rare]!), limitOf(differences[known - 1 - rare]!)];
  if (differences[0]! >= -low && differences[known - 1]! <= high) return;
  for (let at = 0; at < count; at++) {
    const by = logs[at]! - near[at]!;
    if (!(by > high || -by > low)) continue;
    if (!isShort(every) && (at < 2 || at >= count - 2)) {
      if (count < FEWEST_ENDS) continue;
    } else if (!isShort(every)) {
      const before = logs[at]! - (logs[at - 2]! + logs[at - 1]!) / 2;
      const after = logs[at]! - (logs[at + 1]! + logs[at + 2]!) / 2;
      const least = Math.min(Math.abs(before), Math.abs(after));
      if (!(before * after > 0 && least > Math.log(FACTOR))) continue;
    }
    yield [at, `about ${Math.exp(near[at]!).toPrecision(3)}`];
  }
}

/** Days on which the level of a series changes. */
function* jumps({ every, logs, values }: Points): Generator<Found> {
  for (let at = WEEK; every === "day" && at + WEEK <= logs.length; at++) {
    const step = logs[at]! - logs[at - 1]!;
    if (!(Math.abs(step) >= Math.log(JUMP))) continue;
    const weeks = [logs.slice(at - WEEK, at).sort(), logs.slice(at, at + WEEK).sort()];
    // The sorted values of the lower week, and of the higher one. NaN is sorted last.
    const [lower, higher] = (step > 0 ? weeks : weeks.toReversed()) as [Float64Array, Float64Array];
    if (!(higher[0]! > lower[WEEK - 1]!)) continue;
    const deviation = Math.max(deviationOf(lower), deviationOf(higher));
    const least = Math.max(Math.log(JUMP), DEVIATIONS * deviation);
    if (middleOf(higher) - middleOf(lower) <= least) continue;
    yield [at, `about ${values[at - 1]!.toPrecision(3)}, as before`];
  }
}

/** The rules of the values of a series. */
const RULES = {
  "no zero between values": zeros,
  "no zeros among large values": manyZeros,
  "no repeated value": repeats,
  "no spike": spikes,
  "no jump of the level": jumps,
};

/** The change of a metric is that from the previous period to this one. */
function* changesIn(
  { rows, days, values, every }: Points,
  field: string,
  changes: Float64Array,
): Generator<Finding> {
  for (let at = 1; at < rows.length; at++) {
    const [last, value] = [values[at - 1]!, changes[rows[at]!]!];
    const right = (values[at]! - last) / Math.abs(last);
    // A missing period is not compared, and needs no comparison of dates if the change is right.
    const isWrong = last !== 0 && Math.abs(value - right) > 1e-6 * Math.max(1, Math.abs(right));
    if (!isWrong || periodsBetween(days[at - 1]!, days[at]!, every) !== 0) continue;
    yield [rows[at]!, field, "change from the value before", value, right.toPrecision(6), "look"];
  }
}

/** Returns the days of a column of dates, or of texts such as `2025-01-31`. Null if there is no such column. */
function daysIn(frame: DataFrame, name: string): Float64Array | null {
  if (!frame.columns.includes(name)) return null;
  const dtype = dtypeNames(frame)[frame.columns.indexOf(name)]!;
  if (/^Date/.test(dtype)) {
    const moments = arraysIn(frame, [name])[name]!;
    return dtype === "Date" ? moments : moments.map((moment) => Math.floor(moment / 86_400_000));
  }
  if (!isText(dtype)) return new Float64Array(frame.height).fill(NaN);
  const texts = frame.getColumn(name).toArray() as (string | null)[];
  return Float64Array.from(texts, (text) => text === null ? NaN : dayOf(text));
}

/** Returns the number of periods between the starts of two periods, without these two. */
function periodsBetween(from: number, to: number, every: Every): number {
  if (isShort(every)) return (to - from) / (every === "day" ? 1 : 7) - 1;
  const [first, last] = [from, to].map((day) => new Date(day * 86_400_000));
  const months = (last!.getUTCFullYear() - first!.getUTCFullYear()) * 12 +
    last!.getUTCMonth() - first!.getUTCMonth();
  return months / (every === "month" ? 1 : every === "quarter" ? 3 : 12) - 1;
}

/**
 * Dates are in order, no period is missing, and the last one is not before the end of the data. Sorts the rows of the
 * series by time.
 */
function* datesIn(
  rows: Uint32Array,
  { days, every, through }: {
    readonly days: Float64Array;
    readonly every: Every;
    readonly through: Date | null;
  },
): Generator<Finding> {
  const field = "date";
  const isFalling = days[rows[0]!]! > days[rows.at(-1)!]!;
  let isOrdered = !isFalling;
  for (let at = 1; at < rows.length; at++) {
    const [day, last] = [days[rows[at]!]!, days[rows[at - 1]!]!];
    if (!(isFalling ? day > last : day < last)) continue;
    isOrdered = false;
    const expected = `${isFalling ? "before" : "after"} ${dayText(last)}`;
    yield [rows[at]!, field, "dates in order", null, expected, "broken"];
  }
  if (!isOrdered) rows.sort((a, b) => days[a]! - days[b]! || a - b);
  let [missing, row, from] = [0, -1, NaN];
  for (let at = 1; at < rows.length; at++) {
    const [last, day] = [days[rows[at - 1]!]!, days[rows[at]!]!];
    const between = day === last ? 0 : periodsBetween(last, day, every);
    if (between > 0 && missing === 0) [row, from] = [rows[at]!, last];
    missing += Math.max(0, between);
  }
  if (missing > 0) {
    const expected = `every ${every} after ${dayText(from)}`;
    yield [row, field, "no missing period", missing, expected, "look"];
  }
  const end = rows.at(-1)!;
  const value = through === null ? 0 : dayOf(through) - periodAt(days[end]!, every).end;
  if (value <= 0) return;
  const expected = `through ${dayText(dayOf(through!))}`;
  yield [end, field, "up to the end of the data", value, expected, "look"];
}

/** Returns the rows of each series, in order of the frame. Rows without a day are left out. */
function seriesOf(frame: DataFrame, ids: readonly string[], days: Float64Array): Uint32Array[] {
  const { numbers, first } = rowGroups(frame, ids);
  const groups = first.map((): number[] => []);
  for (let row = 0; row < days.length; row++) {
    if (!Number.isNaN(days[row]!)) groups[numbers[row]!]!.push(row);
  }
  return groups.filter((rows) => rows.length > 0).map((rows) => Uint32Array.from(rows));
}

/**
 * Yields the findings in the series of a frame with a column `date`. A series has the rows with the same ids.
 * `through` is the last day of the data, if the dates should reach it. In own data, a column of days with another name is
 * reported, because nothing over time is checked.
 */
export function* checkSeries(
  frame: DataFrame,
  { ids, numbers, through, isOwn }: {
    readonly ids: readonly string[];
    readonly numbers: Numbers;
    readonly through: Date | null;
    readonly isOwn: boolean;
  },
): Generator<Finding> {
  const given = daysIn(frame, "date");
  if (given === null) {
    const other = isOwn && frame.height > 0
      ? frame.columns.find((name) => !daysIn(frame, name)!.some(Number.isNaN))
      : undefined;
    const expected = "days in a column named date";
    if (other !== undefined) {
      yield [-1, other, "values over time", null, expected, "not judged"];
    }
    return;
  }
  const isFar = (day: number) => day < EARLIEST || day > LATEST;
  const [far, unread] = [indicesOf(given, isFar), indicesOf(given, Number.isNaN)];
  if (far.length > 0) {
    const expected = `dates from 1990 to 2100; first ${dayText(given[far[0]!]!)}`;
    yield [far[0]!, "date", "a plausible date", far.length, expected, "look"];
  }
  if (unread.length > 0) {
    const expected = "days, such as 2025-01-31";
    yield [unread[0]!, "date", "values over time", null, expected, "not judged"];
  }
  const days = given.map((day) => isFar(day) ? NaN : day);
  const ends = daysIn(frame, "until");
  const { numbers: places, first } = numbered(days);
  const every = ends === null
    ? longestEvery(first.map((row) => days[row]!))
    : first.map((row) => everyOf({ start: days[row]!, end: ends[row]! }))
      .find((each) => each !== null) ?? null;
  if (every === null) return;
  const starts = first.map((row) => periodAt(days[row]!, every).start);
  for (let row = 0; row < days.length; row++) days[row] = starts[places[row]!]!;
  const series = seriesOf(frame, ids, days);
  for (const rows of series) yield* datesIn(rows, { days, every, through });

  // A metric can have a sum, an average and a latest value. A value of a metric is reported once.
  const reported = new Set<string>();
  for (const [field, all] of numbers) {
    if (NO_SERIES.test(field)) continue;
    const changed = field.replace(/_latest$/, "_change");
    const changes = changed === field ? undefined : numbers.get(changed);
    const base = field.replace(/_(sum|avg|latest)$/, "");
    const needs = new Map<string, number>();
    for (const rows of series) {
      const points = pointsOf(rows, { all, days, every });
      if (changes !== undefined) yield* changesIn(points, changed, changes);
      for (const [rule, judge] of Object.entries(RULES)) {
        for (const [at, expected, value = points.values[at]!] of judge(points)) {
          const row = points.rows[at]!;
          const key = `${base} ${row} ${rule}`;
          if (!reported.has(key)) yield [row, field, rule, value, expected, "look"];
          reported.add(key);
        }
      }
      const need = missingFor(points);
      if (need !== null) needs.set(need, (needs.get(need) ?? 0) + 1);
    }
    for (const [need, count] of needs) {
      const expected = `${need}; fewer in ${count} of ${series.length} series`;
      yield [-1, field, "no spike", null, expected, "not judged"];
    }
  }
}
