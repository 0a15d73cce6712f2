import { NO_SERIES } from "../../schema/check_rules.ts";
import { dayOf, dayText, type Every, type Period } from "../../schema/period.ts";
import { rowGroups } from "../../table/read/panel.ts";
import { numbered } from "../../table/read/numbered.ts";
import { periodsOf } from "../../table/read/periods.ts";
import { type Spacing, spacingOf } from "../../table/read/spacing.ts";
import { timesIn } from "../../table/read/times.ts";
import type { DataFrame } from "../../table/columns/polars.ts";
import type { Finding, Numbers } from "./check_rows.ts";

/** The share of values up to which zeros and large differences are unusual. */
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

/** The periods of the rows of a frame. */
interface Times {
  readonly every: Every;
  /** The first day of the period of each row. NaN for a date that cannot be read. */
  readonly days: Float64Array;
  /** The number of the period of each row: periods that follow each other differ by 1. */
  readonly periods: Float64Array;
}

/**
 * Returns the values of a series in order of time, without nulls; `logs`, their logarithms, NaN where a value is not
 * positive; `near`, for each point, the logarithm of the median of the four nearest positive values, where days are
 * compared with the same weekday, NaN where a value has fewer neighbors; `differences`, those of the logarithms from their
 * neighbors, sorted; and `deviation`, the median absolute deviation of the differences.
 */
function pointsOf(own: readonly number[], all: Float64Array, times: Times) {
  const rows = own.filter((row) => !Number.isNaN(all[row]!));
  const count = rows.length;
  const numbers = () => new Float64Array(count).fill(NaN);
  const [values, logs, near, differences] = [numbers(), numbers(), numbers(), numbers()];
  const step = times.every === "day" && count >= 5 * WEEK ? WEEK : 1;
  const weekdays = Array.from({ length: step }, (): number[] => []);
  for (let at = 0; at < count; at++) {
    const value = values[at] = all[rows[at]!]!;
    if (!(value > 0)) continue;
    logs[at] = Math.log(value);
    weekdays[times.periods[rows[at]!]! % step]!.push(at);
  }
  let known = 0;
  for (const alike of weekdays) {
    const last = alike.length - 5;
    for (let at = 0; last >= 0 && at < alike.length; at++) {
      const from = Math.min(Math.max(at - 2, 0), last);
      let sum = 0;
      let least = Infinity;
      let most = -Infinity;
      for (let other = from; other < from + 5; other++) {
        if (other === at) continue;
        const log = logs[alike[other]!]!;
        if (log < least) least = log;
        if (log > most) most = log;
        sum += log;
      }
      const place = alike[at]!;
      near[place] = (sum - least - most) / 2;
      differences[known++] = logs[place]! - near[place]!;
    }
  }
  const sorted = differences.subarray(0, known).sort();
  const deviation = deviationOf(sorted);
  return { ...times, rows, values, logs, near, differences: sorted, deviation };
}

type Points = ReturnType<typeof pointsOf>;

/** A point that a rule does not allow. The value is that of the point, or else given. */
type Found = readonly [at: number, expected: string, value?: number];

/** Zeros that are rare among values that are seldom low, or that lie among large values. */
function* zeros({ values, rows, days, differences }: Points): Generator<Found> {
  const found = indicesOf(values, (value) => value === 0);
  // A series can begin and end with 0.
  const inside = found.filter((at) => at > 0 && at < values.length - 1).length;
  if (inside === 0 || found.length > values.length / 2) return;
  const rare = RARE * values.length;
  const low = differences.filter((each) => each < -Math.log(2)).length;
  const others = values.filter((value) => value !== 0).sort();
  const areRare = inside <= 1 + rare && differences.length > 0 && low <= rare;
  const areLarge = middleOf(others) >= LARGE && others[0]! >= SMALLEST * middleOf(others);
  const first = found[0]!;
  const expected = `above 0; first 0 on ${dayText(days[rows[first]!]!)}`;
  if (areRare || areLarge) yield [first, expected, found.length];
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
    const digits = isSame || count < (every === "day" ? 7 : 5)
      ? ""
      : String(values[at]).replace(/e.*|\D/g, "").replace(/^0+|0+$/g, "");
    if (digits.length > 2) runs.push([at - count + 1, count]);
    if (isSame) ties++;
    count = isSame ? count + 1 : 1;
  }
  for (const [at, count] of runs) {
    if (ties - count < RARE * values.length) yield [at, `not the same in ${count} periods`];
  }
}

const isShort = (every: Every) => every === "day" || every === "week";
const fewestFor = (every: Every) => isShort(every) ? FEWEST : FEWEST_LONG;

/** Returns the values that the rule of spikes needs, if a series has fewer. */
function missingFor({ every, values, differences, deviation }: Points): string | null {
  const isVaried = differences.length >= fewestFor(every) && deviation > 1e-9;
  if (values.length > 0 && !isVaried) return `${fewestFor(every)} values that vary`;
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
  if (known < fewestFor(every) || !(deviation > 1e-9)) return;
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
    const sign = Math.sign(step);
    let [before, after] = [-Infinity, Infinity];
    for (let by = 0; by < WEEK; by++) {
      before = Math.max(before, sign * logs[at - 1 - by]!);
      after = Math.min(after, sign * logs[at + by]!);
    }
    if (!(after > before)) continue;
    const [last, next] = [logs.slice(at - WEEK, at).sort(), logs.slice(at, at + WEEK).sort()];
    const deviation = Math.max(deviationOf(last), deviationOf(next));
    const least = Math.max(Math.log(JUMP), DEVIATIONS * deviation);
    if (sign * (middleOf(next) - middleOf(last)) <= least) continue;
    yield [at, `about ${values[at - 1]!.toPrecision(3)}, as before`];
  }
}

/** The rules of the values of a series. */
const RULES = {
  "no zero among values": zeros,
  "no repeated value": repeats,
  "no spike": spikes,
  "no jump of the level": jumps,
};

/** The change of a metric is that from the previous period to this one. */
function* changesIn(
  { rows, values, periods }: Points,
  field: string,
  changes: Float64Array,
): Generator<Finding> {
  for (let at = 1; at < rows.length; at++) {
    const [row, last] = [rows[at]!, values[at - 1]!];
    const right = (values[at]! - last) / Math.abs(last);
    const isWrong = Math.abs(changes[row]! - right) > 1e-6 * Math.max(1, Math.abs(right));
    if (last === 0 || !isWrong || periods[row]! - periods[rows[at - 1]!]! !== 1) continue;
    const expected = right.toPrecision(6);
    yield [row, field, "change from the value before", changes[row]!, expected, "look"];
  }
}

/** The mean numbers of days of periods. */
const DAYS = { day: 1, week: 7, month: 30.436875, quarter: 91.310625, year: 365.2425 };

/** Returns the length of periods, and the period of each day: what the frame states, if it can be read, else the spacing. */
function spacingIn(frame: DataFrame, date: string, days: Float64Array): Spacing {
  const labels = new Set(days);
  try {
    const { numbers, periods, every, isKnown } = periodsOf(frame, { fn: "check", date });
    const byLabel = new Map<number, Period>();
    for (let row = 0; row < days.length; row++) byLabel.set(days[row]!, periods[numbers[row]!]!);
    if (isKnown && every !== null) return { every, periodOf: (day) => byLabel.get(day)! };
  } catch {
    // The dates that cannot be read are findings.
  }
  return spacingOf(labels);
}

/**
 * Yields the findings in the series of a frame with a column of dates. A series has the rows with the same ids.
 * `through` is the last day of the data, if the dates should reach it: no series ends before it and before the others.
 */
export function* checkSeries(
  frame: DataFrame,
  { date, ids, numbers, through }: {
    readonly date: string;
    readonly ids: readonly string[];
    readonly numbers: Numbers;
    readonly through: Date | null;
  },
): Generator<Finding> {
  const days = timesIn(frame, date).days.map(Math.floor);
  const isFar = (day: number) => day < EARLIEST || day > LATEST;
  const [far, unread] = [indicesOf(days, isFar), indicesOf(days, Number.isNaN)];
  if (far.length > 0) {
    const expected = `dates from 1990 to 2100; first ${dayText(days[far[0]!]!)}`;
    yield [far[0]!, date, "a plausible date", far.length, expected, "look"];
  }
  if (unread.length > 0) {
    const expected = "days, such as 2025-01-31";
    yield [unread[0]!, date, "values over time", null, expected, "not judged"];
  }
  for (const row of far) days[row] = NaN;
  const { numbers: places, first } = numbered(days);
  const distinct = first.map((row) => days[row]!);
  if (distinct.every(Number.isNaN)) return;
  const { every, periodOf } = spacingIn(frame, date, days);
  if (every === null) {
    const expected = "first or last days of periods";
    yield [0, date, "values over time", null, expected, "not judged"];
    return;
  }
  const counts = distinct.map((day) => Math.round(periodOf(day).start / DAYS[every]));
  const periods = days.map((_, row) => counts[places[row]!]!);
  const times = { every, days, periods };
  const latest = distinct.reduce((last, day) => day > last ? day : last, -Infinity);
  // A frame that was cut ends early, but no series in it does.
  const until = through === null ? -Infinity : Math.min(dayOf(through), periodOf(latest).end);
  const groups = rowGroups(frame, ids);
  const series = groups.first.map((): number[] => []);
  for (let row = 0; row < days.length; row++) {
    if (!Number.isNaN(days[row]!)) series[groups.numbers[row]!]!.push(row);
  }
  for (const rows of series) {
    rows.sort((a, b) => periods[a]! - periods[b]!);
    let [missing, first] = [0, 0];
    for (let at = 1; at < rows.length; at++) {
      const between = periods[rows[at]!]! - periods[rows[at - 1]!]! - 1;
      if (between > 0 && missing === 0) first = at;
      missing += Math.max(0, between);
    }
    if (missing > 0) {
      const expected = `every ${every} after ${dayText(days[rows[first - 1]!]!)}`;
      yield [rows[first]!, date, "no missing period", missing, expected, "look"];
    }
    const end = rows.at(-1);
    if (end === undefined) continue;
    const late = until - periodOf(days[end]!).end;
    if (late <= 0) continue;
    yield [end, date, "up to the end of the data", late, `through ${dayText(until)}`, "look"];
  }

  // A metric can have a sum, an average and a latest value. A value of a metric is reported once.
  const reported = new Set<string>();
  for (const [field, all] of numbers) {
    if (NO_SERIES.test(field)) continue;
    const base = field.replace(/_(sum|avg|latest)$/, "");
    const changed = field.replace(/_latest$/, "_change");
    const changes = changed === field ? undefined : numbers.get(changed);
    const needs = new Map<string, number>();
    for (const own of series) {
      const points = pointsOf(own, all, times);
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
