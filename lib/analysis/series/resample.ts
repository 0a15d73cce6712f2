import { dateFormat } from "../../platform/locale.ts";
import {
  checkOptions,
  integer,
  oneOf,
  required,
  type Rule,
  string,
} from "../../platform/check_options.ts";
import { notify } from "../../platform/terminal.ts";
import { dayOf, dayText, EVERY, type Every, periodAt } from "../../schema/period.ts";
import { type DataFrame, type Frame, pl } from "../../table/columns/polars.ts";
import { aLastDay } from "../../table/read/day_rule.ts";
import type { Numbered } from "../../table/read/numbered.ts";
import { rowGroups } from "../../table/read/panel.ts";
import { entityTexts, lastFullDay, readingOf, refuseTwice } from "../../table/read/reading.ts";
import { columnNames, requireColumns } from "../../table/read/requirements.ts";
import { withProvenance } from "../../table/show/show.ts";
import { computedColumn } from "../../table/track/descriptions.ts";
import { type Expr, inGroups, numberColumn, numberOfColumn, rowsAt } from "../columnar.ts";
import {
  aWay,
  columnsOfRows,
  type CombinedColumns,
  combinedValue,
  daysOfSum,
  descriptionsOf,
} from "./combined_columns.ts";
import { MOST_DAYS, type RowParts, rowParts } from "./row_parts.ts";

/** The lengths of periods in polars. */
const LENGTHS = { day: "1d", week: "1w", month: "1mo", quarter: "1q", year: "1y" } as const;

/** Parts of days add up to whole days but for rounding errors. */
const ROUNDING = 1e-6;

const aZone: Rule<string> = (value, refuse) => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: value as string }) && string(value, refuse);
  } catch {
    return refuse('must be a time zone, such as "America/New_York" or "UTC"');
  }
};

/** Returns the rows of the frame that have each date: those of date `at` are `rows` from `from[at]` to `from[at + 1]`. */
function rowsByDate(numbers: Uint32Array, count: number) {
  const from = new Uint32Array(count + 1);
  for (const number of numbers) from[number + 1]! += 1;
  for (let at = 0; at < count; at++) from[at + 1]! += from[at]!;
  const next = from.slice();
  const rows = new Uint32Array(numbers.length);
  for (let row = 0; row < numbers.length; row++) rows[next[numbers[row]!]!++] = row;
  return { rows, from };
}

/** Returns whether the rows of each entity are in order of time, and whether each of them has another date. */
function orderOf(
  frame: DataFrame,
  { entity, numbers, first, parts }: Numbered & {
    readonly entity: readonly string[];
    readonly parts: RowParts;
  },
): { readonly isSorted: boolean; readonly isUnique: boolean } {
  const ranks = new Int32Array(first.length);
  parts.row.forEach((date, at) => ranks[date] = at);
  const groups = rowGroups(frame, entity);
  const last = new Int32Array(groups.first.length).fill(-1);
  let isUnique = true;
  for (let row = 0; row < numbers.length; row++) {
    const [group, rank] = [groups.numbers[row]!, ranks[numbers[row]!]!];
    if (rank < last[group]!) return { isSorted: false, isUnique: false };
    if (rank === last[group]) isUnique = false;
    last[group] = rank;
  }
  return { isSorted: true, isUnique };
}

/**
 * Returns a row for each part of each row: its values, its `(day)`, the `(start)` of its period, its `(order)` in time, and
 * if rows differ in it, `(share)`, `(days)` and `(ends)`. The rows of an entity are in order of time. The dates of the rows
 * are numbered.
 */
function dividedRows(
  frame: DataFrame,
  { entity, kept, numbers: values, counted }: CombinedColumns,
  { numbers, first, parts, every, isSorted: areSorted }: Numbered & {
    readonly parts: RowParts;
    readonly every: Every;
    readonly isSorted: boolean;
  },
): DataFrame {
  const whole = frame.columns.includes("complete")
    ? pl.col("complete").fillNull(pl.lit(false))
    : pl.lit(true);
  const selected = frame.select(
    ...[...entity, ...kept].map((name) => pl.col(name)),
    ...new Set([...values, ...counted.values()]).values().map(numberOfColumn),
    whole.alias("(whole)"),
  );
  const { rows, from } = rowsByDate(numbers, first.length);
  const sizeOf = (at: number) => from[parts.row[at]! + 1]! - from[parts.row[at]!]!;
  const size = parts.row.reduce((sum, _, at) => sum + sizeOf(at), 0);
  // The row of the frame, and the part, of each row of the result, in order of time.
  const [indices, partOf] = [new Uint32Array(size), new Uint32Array(size)];
  let place = 0;
  for (const [at, date] of parts.row.entries()) {
    const end = place + sizeOf(at);
    indices.set(rows.subarray(from[date]!, from[date + 1]!), place);
    partOf.fill(at, place, end);
    place = end;
  }
  const isSorted = parts.split === 0 && areSorted;
  // Moving rows takes longer than all else.
  const places = isSorted ? indices : new Uint32Array(size).map((_, at) => at);
  const column = (name: string, valueOf: (at: number) => number) => {
    const filled = new Float64Array(size);
    for (let at = 0; at < size; at++) filled[places[at]!] = valueOf(at);
    return numberColumn(name, filled) as unknown as Expr;
  };
  const names = parts.areWhole ? [] : ["share", "days", "ends"] as const;
  const starts = parts.day.map((day) => periodAt(day, every).start);
  const day = (name: string) => pl.col(name).cast(pl.Int32).cast(pl.Date);
  return (isSorted ? selected : rowsAt(selected, indices)).withColumns(
    column("(day)", (at) => parts.day[partOf[at]!]!),
    column("(start)", (at) => starts[partOf[at]!]!),
    column("(order)", (at) => at),
    ...names.map((name) => column(`(${name})`, (at) => Number(parts[name][partOf[at]!]!))),
  ).withColumns(day("(day)"), day("(start)"));
}

/** Throws a RangeError if an entity has two rows whose dates differ, but name the same period, such as `2025-1`. */
function refuseSamePeriod(
  frame: DataFrame,
  { fn, date, entity, numbers, first, parts }: Numbered & {
    readonly fn: string;
    readonly date: string;
    readonly entity: readonly string[];
    readonly parts: RowParts;
  },
): void {
  if (parts.areHours || parts.areMoments) return;
  const starts = new Float64Array(first.length).fill(Infinity);
  parts.row.forEach((at, part) => starts[at] = Math.min(starts[at]!, parts.day[part]!));
  if (new Set(starts).size === first.length) return;
  const days = numberColumn(date, Float64Array.from(numbers, (at) => starts[at]!));
  const dated = frame.select(...entity).withColumn(days as unknown as Expr)
    .withColumn(pl.col(date).cast(pl.Int32).cast(pl.Date));
  refuseTwice(dated, { entity, label: null, times: [date] }, fn);
}

/** Returns the first day of the period of a day. */
const startOf = (day: Expr, every: Every) => day.cast(pl.Date).dt.truncate(LENGTHS[every]);

/** Adds rows with sums of 0 for days without a row, from the period on in which an entity has its first row. */
function withZeros(
  rows: DataFrame,
  { entity, kept, sums }: CombinedColumns,
  { every, through }: { readonly every: Every; readonly through: number },
): DataFrame {
  const first = startOf(pl.col("(day)").min(), every).cast(pl.Float64).alias("(first)");
  const began = inGroups(rows, [...entity, ...kept], [first, pl.col("(order)").min()])
    .sort({ by: ["(order)"], maintainOrder: true }).drop("(order)");
  const from = began.getColumn("(first)").min();
  const days = Array.from({ length: Math.max(0, through - from + 1) }, (_, at) => from + at);
  const on: string[] = [...entity, "(day)"];
  const one = pl.lit(1).cast(pl.Float64);
  const zeros = began.join(pl.DataFrame([pl.Series("(day)", days, pl.Float64)]), { how: "cross" })
    .filter(pl.col("(day)").gtEq(pl.col("(first)"))).drop("(first)")
    .withColumn(pl.col("(day)").cast(pl.Date)).join(rows, { on, how: "anti" })
    .withColumn(startOf(pl.col("(day)"), every).alias("(start)"))
    .withColumns(
      ...sums.map((name) => pl.lit(0).cast(pl.Float64).alias(name)),
      ...["(share)", "(days)", "(ends)"].filter((name) => rows.columns.includes(name))
        .map((name) => one.alias(name)),
      pl.lit(Infinity).alias("(order)"),
      pl.lit(true).alias("(whole)"),
    );
  return pl.concat([rows, zeros], { how: "diagonal" });
}

/** Combines the rows of each period and entity: the values, the days of sums, `(start)`, `(end)` and `(whole)`. */
function combinedRows(
  rows: DataFrame,
  { entity, kept, numbers, ways, sums, counted }: CombinedColumns,
  { every, parts, missing }: {
    readonly every: Every;
    readonly parts: RowParts;
    readonly missing: number | undefined;
  },
): DataFrame {
  return inGroups(rows, ["(start)", ...entity], [
    ...kept.map((name) => pl.col(name).first()),
    ...numbers.map((name) => combinedValue(name, ways.get(name)!, parts)),
    ...sums.map((name) => daysOfSum(name, counted.get(name), parts).alias(`${name}_days`)),
    pl.col("(whole)").min(),
    pl.col("(order)").first(),
    // The day after the longest period lies in the next one.
    startOf(pl.col("(start)").first().cast(pl.Float64).plus(MOST_DAYS[every]), every)
      .cast(pl.Float64).minus(1).alias("(end)"),
  ]).sort({ by: missing === 0 ? ["(start)", "(order)"] : ["(order)"], maintainOrder: true });
}

/** Prints how many sums lack days, and the one that lacks most. */
function noteLacking(
  made: DataFrame,
  { entity, sums }: CombinedColumns,
  { fn, every, through }: { readonly fn: string; readonly every: Every; readonly through: number },
): void {
  const end = pl.when(pl.col("(end)").gt(through)).then(pl.lit(through)).otherwise(pl.col("(end)"));
  const lacking = sums.map((name) =>
    made.select(
      ...entity,
      "(start)",
      pl.col(`${name}_days`).cast(pl.Float64).alias("(days)"),
      end.minus(pl.col("(start)").cast(pl.Float64)).plus(1).alias("(all)"),
    ).filter(pl.col("(days)").lt(pl.col("(all)").minus(ROUNDING)))
  );
  const count = lacking.reduce((sum, { height }) => sum + height, 0);
  if (count === 0) return;
  const worst = pl.concat(lacking).sort(pl.col("(days)").div(pl.col("(all)"))).head(1);
  const [start, days, all] = worst.select("(start)", "(days)", "(all)").row(0);
  const key = entityTexts(worst, { entity })[0];
  const period = every === "month"
    ? dateFormat("en", { month: "short", year: "numeric" }).format(start)
    : `the ${every} of ${dayText(dayOf(start))}`;
  const rows = count === 1 ? "1 sum lacks days" : `${count} sums lack days`;
  notify(
    `${fn}: ${rows}, most of all ${key ? `${key}: ` : ""}${
      Number(days.toFixed(2))
    } of ${all} days of ` +
      `${period}; a missing day is not 0; pass missing: 0 if it is`,
  );
}

/**
 * Makes days, weeks, months, quarters or years of finer values.
 *
 * Returns one row per period and entity, sorted by period:
 *
 * | column | dtype | |
 * |---|---|---|
 * | the column of dates | Date | the first day of the period; weeks begin on Monday (ISO 8601) |
 * | `until` | Date | the last day of the period |
 * | `complete` | Boolean | whether the period is over: its last day is not after `through` |
 * | the columns of the entity, and of texts that each entity has one of | | as in the frame |
 * | each column of numbers | Float64 | the sum, the mean, the last or the largest value that is not null; null if all values are null |
 * | `<column>_days` | Int64; Float64 for rows that are parts of days, or have such a column | for each sum, the number of days with a value. Values per day are divided by it |
 *
 * Rows can be days, longer periods, or times of day. A row counts in each period by the days that they share: the sum of a
 * week that lies in two months is split by days, and a notice counts such weeks. Means are weighted by days, the last value
 * is that of the last row that ends in the period, and the largest value is that of all rows of the period. Times at equal
 * distances are parts of days, so that a day with 3 of 24 hours has 0.125 days, and is not complete if it is the last one.
 * Other times are moments: the days with a value are counted, and the last day is not complete.
 *
 * Columns that add up over days are summed. Levels, such as TVL, take the last value. Numbers of distinct users take the
 * mean: a user who is active on two days would count twice in a sum. A missing day is not 0: `<column>_days` states how
 * many days a sum has, and a notice names the period with the fewest. Days are days of UTC, or of `zone`.
 *
 * @example Daily fees of own data as months
 * ```ts
 * import { pl, resample, withSource } from "@chainframe/chainframe";
 *
 * const days = Array.from({ length: 59 }, (_, day) => new Date(Date.UTC(2025, 0, 1 + day)));
 * const daily = withSource(
 *   pl.DataFrame({ protocol: days.map(() => "uniswap"), date: days, fees_usd: days.map(() => 10) }),
 *   { citation: "own data", columns: { fees_usd: { unit: "usd", adds: "both" } } },
 * );
 * console.log(resample(daily, { every: "month" }).toString()); // 310 and 280 dollars
 * ```
 *
 * @param frame values of entities over time, finer than `every` or as fine
 * @throws {RangeError} when it is not known how to combine a column, a column cannot be summed, an entity has two rows
 * at one time, rows are longer than `every`, or times of day have no `zone`.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function resample(frame: DataFrame, options: {
  /** The length of the periods. */
  readonly every: "day" | "week" | "month" | "quarter" | "year";
  /**
   * How to combine the values of a period: `"sum"`, `"mean"`, `"last"` or `"max"`, for all columns or by column.
   *
   * @default {by what the frame knows: sums of what adds up over days, last levels, means of users}
   */
  readonly how?:
    | "sum"
    | "mean"
    | "last"
    | "max"
    | Readonly<Record<string, "sum" | "mean" | "last" | "max">>;
  /**
   * The last day of the data: a Date, or a text such as `2025-01-31`; a month or a year means its last day. Later periods
   * are not complete.
   *
   * @default {the last day that rows cover, or the last full day that its source states, if that is earlier}
   */
  readonly through?: string | Date;
  /**
   * The time zone whose days count, such as `"America/New_York"`. Required for times of day without a zone.
   *
   * @default {the zone of the column of dates}
   */
  readonly zone?: string;
  /**
   * `0` states that a day without a row is 0, from the period of the entity's first row on. Each row is then a day.
   *
   * @default {a missing day is not known}
   */
  readonly missing?: 0;
  /**
   * The column that names the entities, or several columns.
   *
   * @default {the ids of the response, else the fewest columns of texts that make rows unique}
   */
  readonly entity?: string | readonly string[];
  /**
   * The column of dates.
   *
   * @default {"date"}
   */
  readonly date?: string;
}): Frame {
  const fn = "resample";
  const rules = {
    every: required(oneOf(EVERY)),
    how: aWay,
    through: aLastDay,
    zone: aZone,
    missing: integer(0, 0),
    entity: columnNames,
    date: string,
  };
  const { every, how, zone, missing: asked, ...given } = checkOptions(options, rules, fn);
  const source = "a frame of entities over time";
  requireColumns(frame, { fn, source });
  const reading = readingOf(frame, { fn, ...given, repeats: "sums", isChecked: true });
  const { entity, events, times: [date = "date"] } = reading;
  // A day without an event is 0.
  const missing = asked ?? (events === undefined ? undefined : 0);
  requireColumns(frame, { fn, source, columns: [date] });
  // The periods of different dates are divided once.
  const keys = [date, "until"].filter((name) => frame.columns.includes(name));
  const numbered = rowGroups(frame, keys);
  const dates = rowsAt(frame.select(...keys), numbered.first);
  const parts = rowParts(dates, { fn, date, zone, every, areDays: missing === 0 });
  const { isSorted, isUnique } = orderOf(frame, { entity, ...numbered, parts });
  if (events === undefined) {
    if (!isUnique) refuseTwice(frame, { ...reading, times: [date] }, fn);
    refuseSamePeriod(frame, { fn, date, entity, ...numbered, parts });
  }
  const columns = columnsOfRows(frame, { fn, date, entity, events, how });
  if (parts.split > 0 && columns.sums.length > 0) {
    const rows = parts.split === 1 ? "1 date lies" : `${parts.split} dates lie`;
    notify(`${fn}: ${rows} in several ${every}s: sums are split by days`);
  }
  const divided = dividedRows(frame, columns, { ...numbered, parts, every, isSorted });
  const through = given.through ?? Math.min(parts.last, lastFullDay(frame) ?? Infinity);
  const periods = { fn, every, through, parts, missing };
  const made = combinedRows(
    missing === 0 ? withZeros(divided, columns, periods) : divided,
    columns,
    periods,
  );
  if (missing !== 0) noteLacking(made, columns, periods);
  const { kept, numbers, sums } = columns;
  const table = made.select(
    pl.col("(start)").alias(date),
    pl.col("(end)").cast(pl.Date).alias("until"),
    pl.col("(whole)").and(pl.col("(end)").ltEq(through)).alias("complete"),
    ...[...entity, ...kept, ...numbers, ...sums.map((name) => `${name}_days`)]
      .map((name) => pl.col(name)),
  );
  return withProvenance(frame, table, {
    fn: `${fn} to ${every}s`,
    options,
    first: numbers.slice(0, 6),
    columns: new Map([
      ...["until", date].map((name) => [name, computedColumn(name, "time")] as const),
      ["complete", computedColumn("complete", "note")],
      ...descriptionsOf(frame, columns),
    ]),
  });
}
