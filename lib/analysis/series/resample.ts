import {
  checkOptions,
  integer,
  isObject,
  oneOf,
  required,
  type Rule,
  string,
} from "../../platform/check_options.ts";
import { inWords } from "../../platform/stated_in.ts";
import { listed, notify } from "../../platform/terminal.ts";
import type { Column } from "../../schema/dictionary.ts";
import { dayOf, dayText, EVERY } from "../../schema/period.ts";
import { dtypeNames, isNumeric, isText } from "../../table/columns/dtypes.ts";
import { type DataFrame, type Frame, pl } from "../../table/columns/polars.ts";
import { adds } from "../../table/read/adds.ts";
import { aDay } from "../../table/read/day_rule.ts";
import { finiteNumbers } from "../../table/read/panel.ts";
import { entityTexts, lastFullDay, readingOf, refuseTwice } from "../../table/read/reading.ts";
import { columnNames, requireColumns } from "../../table/read/requirements.ts";
import { withProvenance } from "../../table/show/show.ts";
import { columnIn, computedColumn, titleIn } from "../../table/track/descriptions.ts";
import {
  type Expr,
  inGroups,
  numberOfColumn,
  refuseTaken,
  refuseWhere,
  sumOrNull,
} from "../columnar.ts";

/** For each way to combine the values of a period: the expression, and the end of the title. */
const WAYS = {
  sum: [sumOrNull, ""],
  mean: [(value: Expr) => value.mean(), ", mean of days"],
  last: [(value: Expr) => value.filter(value.isNotNull()).last(), ""],
  max: [(value: Expr) => value.max(), ", largest of days"],
} as const;
type Way = keyof typeof WAYS;

/** For each length of periods: its name in polars, and the largest number of its days. */
const LENGTHS = {
  day: ["1d", 1],
  week: ["1w", 7],
  month: ["1mo", 31],
  quarter: ["1q", 92],
  year: ["1y", 366],
} as const;

const aZone: Rule<string> = (value, refuse) => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: value as string }) && string(value, refuse);
  } catch {
    return refuse('must be a time zone, such as "America/New_York" or "UTC"');
  }
};

/** Accepts one way for all columns, or the way of each column. */
const aWay: Rule<Way | Record<string, Way>> = (value, refuse) => {
  const ways = Object.keys(WAYS);
  const given = isObject(value) ? Object.values(value) : [value];
  return given.every((way) => ways.includes(way as string))
    ? value as Way
    : refuse(`must be one of ${ways.join(", ")}, or the way of each column`);
};

/** Returns the day of each row. Throws if times are not at midnight and no zone is given. */
function dayOfRows(frame: DataFrame, date: string, zone: string | undefined): Expr {
  const moment = pl.col(date).cast(pl.Datetime("ms"));
  const about = { shown: [date], message: "resample: date: must not be null; got" };
  refuseWhere(frame, moment.isNull(), about);
  const between = moment.neq(moment.cast(pl.Date).cast(pl.Datetime("ms")));
  if (zone === undefined) {
    refuseWhere(frame, between, {
      ...about,
      message: 'resample: zone: is required, such as "UTC", because there are times of day:',
    });
  } else if (frame.filter(between).height > 0) {
    // The clock of the zone, as if it were that of UTC.
    return moment.dt.replaceTimeZone("UTC").dt.convertTimeZone(zone).dt.replaceTimeZone("UTC")
      .cast(pl.Date);
  }
  return moment.cast(pl.Date);
}

/** Returns the way in which the values of a column are combined. */
function wayOf(frame: DataFrame, name: string, how: Way | Record<string, Way> | undefined): Way {
  const isCountOfPeople = ["users", "addresses"].includes(columnIn(frame, name)?.unit ?? "");
  const own = adds(frame, name);
  const usual = own === "both" ? "sum" : own === "groups" ? "last" : undefined;
  const way = (typeof how === "string" ? how : how?.[name]) ??
    (isCountOfPeople ? "mean" : usual);
  if (way === "sum" && (isCountOfPeople || own === "groups")) {
    const why = isCountOfPeople
      ? "a user who is active on two days would count twice; use mean, max or last"
      : "it is a level; use last, mean or max";
    throw new RangeError(`resample: how: ${name} cannot be summed: ${why}`);
  }
  if (way !== undefined) return way;
  const column = JSON.stringify(name);
  throw new RangeError(
    `resample: how: it is not known how to combine the days of ${name}; ` + inWords({
      flags: "pass --how sum, mean, last or max",
      code: `pass how: { ${column}: "sum" }, or state: ` +
        `withSource(frame, { columns: { ${column}: { adds: "both" } } })`,
    }),
  );
}

const MONTH = { month: "short", year: "numeric", timeZone: "UTC" } as const;

/**
 * Makes weeks, months, quarters or years of daily or finer values.
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
 * | `<column>_days` | Int64 | for each sum, the number of days with a value. Values per day are divided by it |
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
 * @param frame daily or finer values of entities over time
 * @throws {RangeError} when it is not known how to combine a column, a column cannot be summed, an entity has two rows
 * at one time, or times of day have no `zone`.
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
   * The last day of the data: a Date, or a text such as `2025-01-31`. Later periods are not complete.
   *
   * @default {the last day of the frame, or the last full day that its source states, if that is earlier}
   */
  readonly through?: string | Date;
  /**
   * The time zone whose days count, such as `"America/New_York"`. Required if times are not at midnight UTC.
   *
   * @default {days of UTC}
   */
  readonly zone?: string;
  /**
   * `0` states that a day without a row is 0, from the period of the entity's first row on.
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
    through: aDay,
    zone: aZone,
    missing: integer(0, 0),
    entity: columnNames,
    date: string,
  };
  const { every, how, zone, missing: asked, ...given } = checkOptions(options, rules, fn);
  const source = "a frame of entities over time";
  requireColumns(frame, { fn, source });
  const reading = readingOf(frame, { fn, ...given, repeats: "sums" });
  const { entity, events, times: [date = "date"] } = reading;
  // A day without an event is 0.
  const missing = asked ?? (events === undefined ? undefined : 0);
  requireColumns(frame, { fn, source, dtypes: { [date]: "Date or Datetime" } });
  if (events === undefined) refuseTwice(frame, { ...reading, times: [date] }, fn);
  const dtypes = dtypeNames(frame);
  const known = [date, "until", "complete", ...entity];
  const own = frame.columns.filter((name) => !known.includes(name));
  const numbers = own.filter((name) => isNumeric(dtypes[frame.columns.indexOf(name)]!));
  const wrong = isObject(how) && Object.keys(how).find((name) => !numbers.includes(name));
  if (wrong) {
    throw new RangeError(`${fn}: how: ${wrong} is not a column of numbers; got ${listed(numbers)}`);
  }
  for (const field of numbers) finiteNumbers(frame, { fn, field });
  const ways = new Map(numbers.map((name) => [name, wayOf(frame, name, how)]));
  const sums = numbers.filter((name) => ways.get(name) === "sum");
  refuseTaken(frame, sums.map((name) => `${name}_days`), fn);
  const distinct = (names: readonly string[]) =>
    names.length === 0 ? 1 : frame.unique({ subset: [...names] }).height;
  const texts = own.filter((name) => !numbers.includes(name));
  const kept = texts.filter((name) => distinct([...entity, name]) === distinct(entity));
  const dropped = texts.filter((name) => !kept.includes(name));
  if (dropped.some((name) => name !== events)) {
    const isTexts = (name: string) => isText(dtypes[frame.columns.indexOf(name)]!);
    const names = dropped.map((name) => isTexts(name) ? `${name} (is text)` : name);
    notify(`${fn}: left out ${listed(names)}: an entity has several values of it`);
  }
  const [length, longest] = LENGTHS[every];
  const startOf = (day: Expr) => day.cast(pl.Date).dt.truncate(length);
  const number = (name: string) => pl.col(name).cast(pl.Float64);
  let rows = frame.sort({ by: [date], maintainOrder: true }).select(
    ...[...entity, ...kept].map((name) => pl.col(name)),
    ...numbers.map(numberOfColumn),
    dayOfRows(frame, date, zone).alias("(day)"),
    (frame.columns.includes("complete") ? pl.col("complete").fillNull(pl.lit(false)) : pl.lit(true))
      .alias("(whole)"),
  );
  const last = Math.max(...rows.select(number("(day)").max()).row(0), -Infinity);
  const through = given.through ?? Math.min(last, lastFullDay(frame) ?? Infinity);
  if (missing === 0) {
    // A day without a row has sums of 0, from the period on in which an entity has its first row.
    const first = startOf(pl.col("(day)").min()).cast(pl.Float64).alias("(first)");
    const began = inGroups(rows, [...entity, ...kept], [first]);
    const from = began.getColumn("(first)").min();
    const days = Array.from({ length: Math.max(0, through - from + 1) }, (_, at) => from + at);
    const on: string[] = [...entity, "(day)"];
    const zeros = began.join(pl.DataFrame([pl.Series("(day)", days, pl.Float64)]), { how: "cross" })
      .filter(pl.col("(day)").gtEq(pl.col("(first)"))).drop("(first)")
      .withColumn(pl.col("(day)").cast(pl.Date)).join(rows, { on, how: "anti" })
      .withColumns(
        ...sums.map((name) => pl.lit(0).cast(pl.Float64).alias(name)),
        pl.lit(true).alias("(whole)"),
      );
    rows = pl.concat([rows, zeros], { how: "diagonal" });
  }
  const made = inGroups(rows.withColumn(startOf(pl.col("(day)")).alias("(start)")), [
    "(start)",
    ...entity,
  ], [
    ...kept.map((name) => pl.col(name).first()),
    ...numbers.map((name) => WAYS[ways.get(name)!][0](pl.col(name)).alias(name)),
    ...sums.map((name) =>
      pl.col("(day)").filter(pl.col(name).isNotNull()).nUnique().cast(pl.Int64)
        .alias(`${name}_days`)
    ),
    pl.col("(whole)").min(),
    // The day after the longest period lies in the next one.
    startOf(number("(start)").first().plus(longest)).cast(pl.Float64).minus(1).alias("(end)"),
  ]).sort({ by: ["(start)"], maintainOrder: true });
  const end = pl.when(pl.col("(end)").gt(through)).then(pl.lit(through)).otherwise(pl.col("(end)"));
  const lacking = sums.map((name) =>
    made.select(
      ...entity,
      "(start)",
      pl.col(`${name}_days`).cast(pl.Float64).alias("(days)"),
      end.minus(number("(start)")).plus(1).alias("(all)"),
    ).filter(pl.col("(days)").lt(pl.col("(all)")))
  );
  const count = lacking.reduce((sum, { height }) => sum + height, 0);
  if (missing !== 0 && count > 0) {
    const worst = pl.concat(lacking).sort(pl.col("(days)").div(pl.col("(all)"))).head(1);
    const [start, days, all] = worst.select("(start)", "(days)", "(all)").row(0);
    const key = entityTexts(worst, { entity })[0];
    const period = every === "month"
      ? start.toLocaleDateString("en", MONTH)
      : `the ${every} of ${dayText(dayOf(start))}`;
    const rows = count === 1 ? "1 sum lacks days" : `${count} sums lack days`;
    notify(
      `${fn}: ${rows}, most of all ${key ? `${key}: ` : ""}${days} of ${all} days of ${period}; ` +
        "a missing day is not 0; pass missing: 0 if it is",
    );
  }
  const table = made.select(
    pl.col("(start)").alias(date),
    pl.col("(end)").cast(pl.Date).alias("until"),
    pl.col("(whole)").and(pl.col("(end)").ltEq(through)).alias("complete"),
    ...[...entity, ...kept, ...numbers, ...sums.map((name) => `${name}_days`)]
      .map((name) => pl.col(name)),
  );
  const described = numbers.flatMap((name): [string, Column][] => {
    const way = ways.get(name)!;
    const title = titleIn(frame, name);
    const column = {
      ...columnIn(frame, name) ?? computedColumn(name, "number"),
      title: title + WAYS[way][1],
    };
    if (way !== "sum") return [[name, column]];
    const days = computedColumn(`${name}_days`, "days");
    return [
      [name, { ...column, adds: "both" }],
      [`${name}_days`, { ...days, title: `${title}, days with a value` }],
    ];
  });
  return withProvenance(frame, table, {
    fn: `${fn} to ${every}s`,
    options,
    entity,
    first: numbers.slice(0, 6),
    columns: new Map([
      ...["until", date].map((name) => [name, computedColumn(name, "time")] as const),
      ["complete", computedColumn("complete", "note")],
      ...described,
    ]),
  });
}
