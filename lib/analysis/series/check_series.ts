import { NO_SERIES } from "../../schema/check_rules.ts";
import {
  dayOf,
  dayText,
  type Every,
  everyOf,
  periodAt,
  periodsBefore,
} from "../../schema/period.ts";
import { rowGroups } from "../../table/read/panel.ts";
import { longestEvery } from "../../table/read/periods.ts";
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

/** Returns the median of values that are sorted in place. */
function median(values: Float64Array): number {
  values.sort();
  const half = values.length >> 1;
  return values.length % 2 ? values[half]! : (values[half - 1]! + values[half]!) / 2;
}

/** Returns the median absolute deviation of values from their median. */
function deviationOf(values: Float64Array): number {
  const middle = median(values.slice());
  return median(values.map((value) => Math.abs(value - middle)));
}

/** The values of a series in order of time, without nulls: the row, the first day of the period, and the value. */
interface Points {
  readonly rows: Uint32Array;
  readonly days: Float64Array;
  readonly values: Float64Array;
}

/**
 * For each point, the logarithm of the median of the four nearest positive values, and the difference from it. NaN where
 * a value is not positive or has fewer neighbors. Days are compared with the same weekday.
 */
function neighborsOf({ days, values }: Points, every: Every) {
  const count = values.length;
  const step = every === "day" && count >= 5 * 7 ? 7 : 1;
  const [near, by] = [new Float64Array(count).fill(NaN), new Float64Array(count).fill(NaN)];
  const logs = values.map((value) => value > 0 ? Math.log(value) : NaN);
  for (let day = 0; day < step; day++) {
    const alike: number[] = [];
    for (let at = 0; at < count; at++) {
      if (values[at]! > 0 && (step === 1 || ((days[at]! % 7) + 7) % 7 === day)) alike.push(at);
    }
    for (let at = 0; at < alike.length; at++) {
      // Two before and two after. At the end the four before, and at the start the four after.
      const first = Math.max(0, at < 2 ? at + 1 : at > alike.length - 3 ? at - 4 : at - 2);
      let [known, sum, least, most] = [0, 0, Infinity, -Infinity];
      for (let other = first; other < alike.length && known < 4 && other < first + 5; other++) {
        if (other === at) continue;
        const log = logs[alike[other]!]!;
        known += 1;
        sum += log;
        least = Math.min(least, log);
        most = Math.max(most, log);
      }
      if (known < 4) continue;
      near[alike[at]!] = (sum - least - most) / 2;
      by[alike[at]!] = logs[alike[at]!]! - near[alike[at]!]!;
    }
  }
  return { near, by, logs };
}

type Neighbors = ReturnType<typeof neighborsOf>;

/**
 * Returns the indices of the few points that differ much more than all others in their direction. So values that are
 * often low, such as the last days of months, are no spikes. Returns null if there are too few differences, or if they do
 * not vary.
 */
function spikes({ by }: Neighbors, fewest: number): number[] | null {
  const known = by.filter((each) => !Number.isNaN(each)).sort();
  if (known.length < fewest) return null;
  const middle = median(known);
  const deviation = median(known.map((each) => Math.abs(each - middle)));
  if (!(deviation > 1e-9)) return null;
  const rare = Math.max(1, Math.floor(RARE * known.length));
  const limitOf = (usual: number) => Math.max(LIMIT * deviation, Math.log(FACTOR), APART * usual);
  const [low, high] = [limitOf(-known[rare]!), limitOf(known[known.length - 1 - rare]!)];
  return [...by.keys()].filter((at) => by[at]! > high || -by[at]! > low);
}

/**
 * Returns the spikes of months or longer periods. A value within the series differs from the two before and from the two
 * after in the same direction, so that a launch is no spike.
 */
function longSpikes({ logs, ...rest }: Neighbors): number[] | null {
  const count = logs.length;
  return spikes({ logs, ...rest }, FEWEST_LONG)?.filter((at) => {
    if (at < 2 || at >= count - 2) return count >= FEWEST_ENDS;
    const before = logs[at]! - (logs[at - 2]! + logs[at - 1]!) / 2;
    const after = logs[at]! - (logs[at + 1]! + logs[at + 2]!) / 2;
    return before * after > 0 && Math.min(Math.abs(before), Math.abs(after)) > Math.log(FACTOR);
  }) ?? null;
}

/** Returns the indices of days on which the level of a series changes. */
function jumps({ logs }: Neighbors): number[] {
  const found: number[] = [];
  for (let at = WEEK; at + WEEK <= logs.length; at++) {
    const step = logs[at]! - logs[at - 1]!;
    if (!(Math.abs(step) >= Math.log(JUMP))) continue;
    const [before, after] = [logs.slice(at - WEEK, at), logs.slice(at, at + WEEK)];
    const isApart = step > 0
      ? Math.min(...after) > Math.max(...before)
      : Math.min(...before) > Math.max(...after);
    const deviation = Math.max(deviationOf(before), deviationOf(after));
    const change = Math.abs(median(after) - median(before));
    if (isApart && change > Math.max(Math.log(JUMP), DEVIATIONS * deviation)) found.push(at);
  }
  return found;
}

/**
 * Returns the indices at which a value begins to repeat: for 7 days, or 5 longer periods. In series in which other values
 * repeat too, such as small counts, this is usual.
 */
function repeats({ values }: Points, every: Every): { at: number; count: number }[] {
  const runs: { at: number; count: number }[] = [];
  let [count, ties] = [1, 0];
  for (let at = 0; at < values.length; at++) {
    const isSame = values[at] === values[at + 1];
    if (!isSame && count >= (every === "day" ? 7 : 5)) {
      const digits = String(Math.abs(values[at]!)).replace(/e.*|\D/g, "").replace(/^0+|0+$/g, "");
      if (digits.length > 2) runs.push({ at: at - count + 1, count });
    }
    if (isSame) ties++;
    count = isSame ? count + 1 : 1;
  }
  return runs.filter((run) => ties - run.count < RARE * values.length);
}

/** Returns the indices of zeros between positive values that are not often below half of their neighbors. */
function zeros({ values }: Points, { by }: Neighbors): number[] {
  const found: number[] = [];
  for (let at = 1; at < values.length - 1; at++) if (values[at] === 0) found.push(at);
  if (found.length === 0 || found.length > 1 + RARE * values.length) return [];
  const known = by.filter((each) => !Number.isNaN(each));
  const low = known.filter((each) => each < -Math.log(2)).length;
  return known.length > 0 && low <= RARE * values.length ? found : [];
}

/** Returns the indices of many zeros among values that are all large. */
function manyZeros({ values }: Points): { at: number; count: number; least: number } | null {
  const count = values.reduce((sum, value) => sum + (value === 0 ? 1 : 0), 0);
  if (count <= 1 + RARE * values.length || count > values.length / 2) return null;
  const others = values.filter((value) => value !== 0);
  const middle = median(others);
  const least = others[0]!;
  return middle >= LARGE && least >= SMALLEST * middle
    ? { at: values.indexOf(0), count, least }
    : null;
}

/** Returns the column whose values are days, if the frame has no column `date`. */
function otherDates(frame: DataFrame): string | undefined {
  return frame.columns.find((name) => {
    const days = daysIn(frame, name)!;
    return days.length > 0 && !days.some(Number.isNaN);
  });
}

/** Returns the days of a column of dates, or of texts such as `2025-01-31`. Returns null if there is no such column. */
function daysIn(frame: DataFrame, name: string): Float64Array | null {
  if (!frame.columns.includes(name)) return null;
  const dtype = dtypeNames(frame)[frame.columns.indexOf(name)]!;
  if (/^Date/.test(dtype)) {
    const { [name]: moments } = arraysIn(frame, [name]) as Record<string, Float64Array>;
    return moments!.map((moment) => dtype === "Date" ? moment : Math.floor(moment / 86_400_000));
  }
  if (!isText(dtype)) return new Float64Array(frame.height).fill(NaN);
  const texts = frame.getColumn(name).toArray() as (string | null)[];
  return Float64Array.from(texts, (text) => text === null ? NaN : dayOf(text));
}

const before = (start: number, every: Every) =>
  periodsBefore({ start, end: start }, every, 1).start;

/** Returns the number of periods between the starts of two periods, without these two. */
function periodsBetween(from: number, to: number, every: Every): number {
  if (every === "day" || every === "week") return (to - from) / (every === "day" ? 1 : 7) - 1;
  const [first, last] = [from, to].map((day) => new Date(day * 86_400_000));
  const months = (last!.getUTCFullYear() - first!.getUTCFullYear()) * 12 +
    last!.getUTCMonth() - first!.getUTCMonth();
  return months / (every === "month" ? 1 : every === "quarter" ? 3 : 12) - 1;
}

/** The rows of one series in their order in the frame, and the first day of the period of each row of the frame. */
interface Series {
  readonly rows: readonly number[];
  readonly days: Float64Array;
  readonly every: Every;
}

/** Dates are in order, no period is missing, and the last one is not before the end of the data. */
function* datesIn({ rows, days, every }: Series, through: Date | null): Generator<Finding> {
  const [field, severity] = ["date", "look"] as const;
  const isFalling = days[rows[0]!]! > days[rows.at(-1)!]!;
  let isOrdered = true;
  for (let at = 1; at < rows.length; at++) {
    const [day, last] = [days[rows[at]!]!, days[rows[at - 1]!]!];
    if (!(isFalling ? day > last : day < last)) continue;
    isOrdered = false;
    const expected = `${isFalling ? "before" : "after"} ${dayText(last)}`;
    yield {
      row: rows[at]!,
      field,
      rule: "dates in order",
      value: null,
      expected,
      severity: "broken",
    };
  }
  const ordered = isOrdered && !isFalling ? rows : rows.toSorted((a, b) => days[a]! - days[b]!);
  let [missing, row, from] = [0, -1, NaN];
  for (let at = 1; at < ordered.length; at++) {
    const [last, day] = [days[ordered[at - 1]!]!, days[ordered[at]!]!];
    const between = day === last ? 0 : periodsBetween(last, day, every);
    if (between > 0 && missing === 0) [row, from] = [ordered[at]!, last];
    missing += Math.max(0, between);
  }
  if (missing > 0) {
    const expected = `every ${every} after ${dayText(from)}`;
    yield { row, field, rule: "no missing period", value: missing, expected, severity };
  }
  const end = ordered.at(-1)!;
  const value = through === null ? 0 : dayOf(through) - periodAt(days[end]!, every).end;
  if (value <= 0) return;
  const expected = `through ${dayText(dayOf(through!))}`;
  yield { row: end, field, rule: "up to the end of the data", value, expected, severity };
}

/** Returns the findings in the values of one series, and whether its spikes, and those at its ends, can be judged. */
function valuesIn(
  points: Points,
  { field, every }: { readonly field: string; readonly every: Every },
) {
  const { rows, values, days } = points;
  const findings: Finding[] = [];
  const add = (at: number, rule: string, expected: string, value = values[at]!) => {
    findings.push({ row: rows[at]!, field, rule, value, expected, severity: "look" });
  };
  const neighbors = neighborsOf(points, every);
  const isShort = every === "day" || every === "week";
  for (const at of zeros(points, neighbors)) add(at, "no zero between values", "above 0");
  const many = manyZeros(points);
  if (many !== null) {
    const expected = `at least ${many.least.toPrecision(3)}; first 0 on ${dayText(days[many.at]!)}`;
    add(many.at, "no zeros among large values", expected, many.count);
  }
  for (const { at, count } of repeats(points, every)) {
    add(at, "no repeated value", `not the same in ${count} periods`);
  }
  const high = values.length === 0
    ? []
    : isShort
    ? spikes(neighbors, FEWEST)
    : longSpikes(neighbors);
  for (const at of high ?? []) {
    add(at, "no spike", `about ${Math.exp(neighbors.near[at]!).toPrecision(3)}`);
  }
  for (const at of every === "day" ? jumps(neighbors) : []) {
    add(at, "no jump of the level", `about ${values[at - 1]!.toPrecision(3)}, as before`);
  }
  const hasEnds = isShort || values.length === 0 || values.length >= FEWEST_ENDS;
  return { findings, isJudged: high !== null, hasEnds: high === null || hasEnds };
}

/** The change of a metric is that from the previous period to this one. */
function* changesIn(
  { rows, days, values }: Points,
  { field, changes, every }: {
    readonly field: string;
    readonly changes: Float64Array;
    readonly every: Every;
  },
): Generator<Finding> {
  for (let at = 1; at < rows.length; at++) {
    const [last, value] = [values[at - 1]!, changes[rows[at]!]!];
    if (days[at - 1] !== before(days[at]!, every) || last === 0 || Number.isNaN(value)) continue;
    const right = (values[at]! - last) / Math.abs(last);
    if (Math.abs(value - right) <= 1e-6 * Math.max(1, Math.abs(right))) continue;
    const [row, rule] = [rows[at]!, "change from the value before"];
    yield { row, field, rule, value, expected: right.toPrecision(6), severity: "look" };
  }
}

/** Returns the points of a series that have a value, in order of time. */
function pointsOf({ rows, days }: Series, values: Float64Array): Points {
  const known = rows.filter((row) => !Number.isNaN(values[row]!));
  const isOrdered = known.every((row, at) => at === 0 || days[known[at - 1]!]! <= days[row]!);
  if (!isOrdered) known.sort((a, b) => days[a]! - days[b]!);
  return {
    rows: Uint32Array.from(known),
    days: Float64Array.from(known, (row) => days[row]!),
    values: Float64Array.from(known, (row) => values[row]!),
  };
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
  const given = daysIn(frame, "date") ?? new Float64Array(0);
  const isFar = (day: number) => day < EARLIEST || day > LATEST;
  const far = given.findIndex(isFar);
  if (far >= 0) {
    const count = given.filter(isFar).length;
    const expected = `dates from 1990 to 2100; first ${dayText(given[far]!)}`;
    const about = { row: far, field: "date", rule: "a plausible date", value: count, expected };
    yield { ...about, severity: "look" };
  }
  const dates = given.map((day) => isFar(day) ? NaN : day);
  const ends = daysIn(frame, "until");
  const everyAt = (row: number) => everyOf({ start: dates[row]!, end: ends![row]! });
  // The first row can lack a date.
  const every = ends === null
    ? longestEvery(dates)
    : dates.keys().map(everyAt).find((each) => each !== null) ?? null;
  const starts = new Map<number, number>();
  const startOf = (day: number) => {
    const start = starts.get(day) ?? periodAt(day, every!).start;
    starts.set(day, start);
    return start;
  };
  const days = every === null ? new Float64Array(0) : dates.map(startOf);
  const dated: number[] = [];
  for (let row = 0; row < days.length; row++) if (!Number.isNaN(days[row]!)) dated.push(row);
  const unread = [...given.keys()].filter((row) => Number.isNaN(given[row]!));
  const field = frame.columns.includes("date") ? "date" : isOwn ? otherDates(frame) : undefined;
  if (field !== undefined && (field !== "date" || unread.length > 0)) {
    const row = field === "date" ? unread[0]! : -1;
    const expected = field === "date" ? "days, such as 2025-01-31" : "days in a column named date";
    yield { row, field, rule: "values over time", value: null, expected, severity: "not judged" };
  }
  if (dated.length === 0 || every === null) return;

  const { numbers: codes, first } = rowGroups(frame, ids);
  const groups = first.map((): number[] => []);
  for (const row of dated) groups[codes[row]!]!.push(row);
  const series = groups.filter((rows) => rows.length > 0).map((rows) => ({ rows, days, every }));
  for (const each of series) yield* datesIn(each, through);

  // A metric can have a sum, an average and a latest value. A value of a metric is reported once.
  const reported = new Set<string>();
  for (const [field, values] of numbers) {
    if (NO_SERIES.test(field)) continue;
    const points = series.map((each) => pointsOf(each, values));
    const change = field.replace(/_latest$/, "_change");
    const changes = change === field ? undefined : numbers.get(change);
    if (changes !== undefined) {
      for (const each of points) yield* changesIn(each, { field: change, changes, every });
    }
    const found: Finding[] = [];
    let [few, ends] = [0, 0];
    for (const each of points) {
      const { findings, isJudged, hasEnds } = valuesIn(each, { field, every });
      found.push(...findings);
      if (!isJudged) few++;
      if (!hasEnds) ends++;
    }
    const notJudged = (expected: string) => {
      const about = { row: -1, field, rule: "no spike", value: null, expected };
      found.push({ ...about, severity: "not judged" });
    };
    const fewest = every === "day" || every === "week" ? FEWEST : FEWEST_LONG;
    if (few > 0) {
      notJudged(`${fewest} values that vary; fewer in ${few} of ${series.length} series`);
    }
    if (ends > 0) {
      notJudged(
        `${FEWEST_ENDS} values to judge the first and last two; ` +
          `fewer in ${ends} of ${series.length} series`,
      );
    }
    const base = field.replace(/_(sum|avg|latest)$/, "");
    for (const finding of found) {
      const key = `${base} ${finding.row} ${finding.rule}`;
      if (finding.row < 0 || !reported.has(key)) yield finding;
      reported.add(key);
    }
  }
}
