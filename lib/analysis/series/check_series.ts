import { NO_SERIES } from "../../schema/check_rules.ts";
import {
  dayOf,
  dayText,
  type Every,
  everyOf,
  periodAt,
  periodsBefore,
} from "../../schema/period.ts";
import { longestEvery } from "../../table/read/periods.ts";
import type { DataFrame } from "../../table/build/polars.ts";
import type { Finding, Numbers } from "./check_rows.ts";

/** The share of values up to which zeros and repeated values are unusual. */
const RARE = 0.02;
/** The number of differences that the rule of spikes needs. */
const FEWEST = 26;
/**
 * A spike differs by more than this number of median absolute deviations, by more than this factor, and by more than
 * this multiple of the largest differences that are not rare.
 */
const [LIMIT, FACTOR, APART] = [12, 3, 3];

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

/** A value of a series: the row, the first day of the period, and the value. */
interface Point {
  readonly row: number;
  readonly day: number;
  readonly value: number;
}

/** A point, the median of the four nearest points, and the difference of their logarithms. */
interface Apart extends Point {
  readonly near: number;
  readonly by: number;
}

/** Compares each positive value with the four nearest ones. Days are compared with the same weekday. */
function apartIn(points: readonly Point[], every: Every): Apart[] {
  const byWeekday = every === "day" && points.length >= 5 * 7;
  const classes = Map.groupBy(
    points.filter(({ value }) => value > 0),
    ({ day }) => byWeekday ? ((day % 7) + 7) % 7 : 0,
  );
  return [...classes.values()].flatMap((alike) =>
    alike.flatMap((point, at) => {
      // Two before and two after. At the end the four before, and at the start the four after.
      const first = at < 2 ? at + 1 : at > alike.length - 3 ? at - 4 : at - 2;
      const near = alike.slice(Math.max(first, 0), first + 5).filter((each) => each !== point)
        .slice(0, 4).map(({ value }) => Math.log(value));
      if (near.length < 4) return [];
      return [{ ...point, near: Math.exp(median(near)), by: Math.log(point.value) - median(near) }];
    })
  );
}

/**
 * Returns the few points that differ much more than all others in their direction. So values that are often low, such as
 * the last days of months, are no spikes. Returns null if there are too few differences, or if they do not vary.
 */
function spikes(apart: readonly Apart[]): Apart[] | null {
  const middle = median(apart.map(({ by }) => by));
  const deviation = median(apart.map(({ by }) => Math.abs(by - middle)));
  if (apart.length < FEWEST || !(deviation > 1e-9)) return null;
  const rare = Math.max(1, Math.floor(RARE * apart.length));
  return [1, -1].flatMap((sign) => {
    const sorted = apart.toSorted((a, b) => sign * (b.by - a.by));
    const limit = Math.max(LIMIT * deviation, Math.log(FACTOR), APART * sign * sorted[rare]!.by);
    return sorted.slice(0, rare).filter(({ by }) => sign * by > limit);
  });
}

/**
 * Returns the points at which a value begins to repeat: for 7 days, or 5 longer periods. In series in which other values
 * repeat too, such as small counts, this is usual.
 */
function repeats(points: readonly Point[], every: Every): (Point & { count: number })[] {
  const runs: (Point & { count: number })[] = [];
  let [count, ties] = [1, 0];
  for (const [at, point] of points.entries()) {
    const digits = String(Math.abs(point.value)).replace(/e.*|\D/g, "").replace(/^0+|0+$/g, "");
    const isSame = point.value === points[at + 1]?.value;
    if (!isSame && count >= (every === "day" ? 7 : 5) && digits.length > 2) {
      runs.push({ ...points[at - count + 1]!, count });
    }
    if (isSame) ties++;
    count = isSame ? count + 1 : 1;
  }
  return runs.filter((run) => ties - run.count < RARE * points.length);
}

/** Returns the zeros between positive values, in series whose values are not often below half of their neighbors. */
function zeros(points: readonly Point[], apart: readonly Apart[]): Point[] {
  const found = points.slice(1, -1).filter(({ value }) => value === 0);
  const low = apart.filter(({ by }) => by < -Math.log(2));
  const isFar = apart.length > 0 && low.length <= RARE * points.length;
  return isFar && found.length <= 1 + RARE * points.length ? found : [];
}

/** Returns the column whose values are days, if the frame has no column `date`. */
function otherDates(frame: DataFrame): string | undefined {
  return frame.columns.find((name) => {
    const days = daysIn(frame, name)!;
    return days.length > 0 && !days.some(Number.isNaN);
  });
}

/** Returns the days of a column of dates, or of texts such as `2025-01-31`. Returns null if there is no such column. */
function daysIn(frame: DataFrame, name: string): number[] | null {
  if (!frame.columns.includes(name)) return null;
  const dates = frame.getColumn(name).toArray() as unknown[];
  return dates.map((date) => date instanceof Date || typeof date === "string" ? dayOf(date) : NaN);
}

/** The rows of one series, with the first day of each row's period. */
interface Series {
  readonly rows: readonly number[];
  readonly days: readonly number[];
  readonly every: Every;
}

const previous = (start: number, every: Every) =>
  periodsBefore({ start, end: start }, every, 1).start;

/** Dates are in order, no period is missing, and the last one is not before the end of the data. */
function* datesIn({ rows, days, every }: Series, through: Date | null): Generator<Finding> {
  const [field, look] = ["date", "look"] as const;
  const isFalling = days[rows[0]!]! > days[rows.at(-1)!]!;
  for (const [at, row] of rows.entries()) {
    const [day, before] = [days[row]!, days[rows[at - 1]!] ?? NaN];
    if (!(isFalling ? day > before : day < before)) continue;
    const expected = `${isFalling ? "before" : "after"} ${dayText(before)}`;
    yield { row, field, rule: "dates in order", value: null, expected, severity: "broken" };
  }
  const ordered = rows.toSorted((a, b) => days[a]! - days[b]!);
  for (const [at, row] of ordered.entries()) {
    const before = days[ordered[at - 1]!] ?? Infinity;
    let value = 0;
    for (let day = previous(days[row]!, every); day > before; day = previous(day, every)) value++;
    const expected = `every ${every} after ${value && dayText(before)}`;
    if (value > 0) yield { row, field, rule: "no missing period", value, expected, severity: look };
  }
  const row = ordered.at(-1)!;
  const value = through === null ? 0 : dayOf(through) - periodAt(days[row]!, every).end;
  if (value <= 0) return;
  const expected = `through ${dayText(dayOf(through!))}`;
  yield { row, field, rule: "up to the end of the data", value, expected, severity: look };
}

/** Returns the findings in the values of one series, and whether the rule of spikes has enough values. */
function valuesIn(
  points: readonly Point[],
  { field, every }: { readonly field: string; readonly every: Every },
) {
  const found = (point: Point, rule: string, expected: string): Finding => (
    { row: point.row, field, rule, value: point.value, expected, severity: "look" }
  );
  const apart = apartIn(points, every);
  const hasSpikes = points.length > 0 && (every === "day" || every === "week");
  const high = hasSpikes ? spikes(apart) : [];
  const findings = [
    ...zeros(points, apart).map((each) => found(each, "no zero between values", "above 0")),
    ...repeats(points, every).map((each) =>
      found(each, "no repeated value", `not the same in ${each.count} periods`)
    ),
    ...(high ?? []).map((each) => found(each, "no spike", `about ${each.near.toPrecision(3)}`)),
  ];
  return { findings, isJudged: high !== null };
}

/** The change of a metric is that from the previous period to this one. */
function* changesIn(
  points: readonly Point[],
  { field, changes, every }: {
    readonly field: string;
    readonly changes: readonly (number | null)[];
    readonly every: Every;
  },
): Generator<Finding> {
  for (const [at, { row, day, value: now }] of points.entries()) {
    const [before, value = null] = [points[at - 1], changes[row]];
    if (before?.day !== previous(day, every) || before.value === 0 || value === null) continue;
    const right = (now - before.value) / Math.abs(before.value);
    if (Math.abs(value - right) <= 1e-6 * Math.max(1, Math.abs(right))) continue;
    const rule = "change from the value before";
    yield { row, field, rule, value, expected: right.toPrecision(6), severity: "look" };
  }
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
  const dates = daysIn(frame, "date") ?? [];
  const ends = daysIn(frame, "until");
  const everyAt = (row: number) => everyOf({ start: dates[row]!, end: ends![row]! });
  // The first row can lack a date.
  const every = ends === null
    ? longestEvery(dates)
    : dates.keys().map(everyAt).find((each) => each !== null) ?? null;
  const days = every === null ? [] : dates.map((day) => periodAt(day, every).start);
  const dated = [...days.keys()].filter((row) => !Number.isNaN(days[row]));
  const field = frame.columns.includes("date") ? "date" : isOwn ? otherDates(frame) : undefined;
  if (field !== undefined && dated.length < frame.height) {
    const row = field === "date" ? days.findIndex(Number.isNaN) : -1;
    const expected = field === "date" ? "days, such as 2025-01-31" : "days in a column named date";
    yield { row, field, rule: "values over time", value: null, expected, severity: "not judged" };
  }
  if (dated.length === 0 || every === null) return;

  const cells = ids.map((name) => frame.getColumn(name).toArray());
  const groups = Map.groupBy(dated, (row) => JSON.stringify(cells.map((values) => values[row])));
  for (const rows of groups.values()) yield* datesIn({ rows, days, every }, through);

  // A metric can have a sum, an average and a latest value. A value of a metric is reported once.
  const reported = new Set<string>();
  for (const [field, values] of numbers) {
    if (NO_SERIES.test(field)) continue;
    const series = [...groups.values()].map((rows) =>
      rows.filter((row) => values[row] !== null)
        .map((row): Point => ({ row, day: days[row]!, value: values[row]! }))
        .sort((a, b) => a.day - b.day)
    );
    const change = field.replace(/_latest$/, "_change");
    const changes = change === field ? undefined : numbers.get(change);
    if (changes !== undefined) {
      for (const points of series) yield* changesIn(points, { field: change, changes, every });
    }
    const found: Finding[] = [];
    let few = 0;
    for (const points of series) {
      const { findings, isJudged } = valuesIn(points, { field, every });
      found.push(...findings);
      if (!isJudged) few++;
    }
    if (few > 0) {
      const expected = `${FEWEST} values that vary; ${few} of ${series.length} series have fewer`;
      found.push({
        row: -1,
        field,
        rule: "no spike",
        value: null,
        expected,
        severity: "not judged",
      });
    }
    const base = field.replace(/_(sum|avg|latest)$/, "");
    for (const finding of found) {
      const key = `${base} ${finding.row} ${finding.rule}`;
      if (!reported.has(key)) yield finding;
      reported.add(key);
    }
  }
}
