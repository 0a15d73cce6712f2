import {
  checkOptions,
  isObject,
  oneOf,
  required,
  type Rule,
  string,
} from "../../platform/check_options.ts";
import { listed, notify } from "../../platform/terminal.ts";
import type { Column } from "../../schema/dictionary.ts";
import { dateOfDay, dayText, EVERY, type Every, periodAt } from "../../schema/period.ts";
import { dtypeNames, isNumeric } from "../../table/build/dtypes.ts";
import { type DataFrame, type Frame, pl } from "../../table/build/polars.ts";
import { adds } from "../../table/read/adds.ts";
import { aDay } from "../../table/read/day_rule.ts";
import { finiteNumbers } from "../../table/read/panel.ts";
import { numbered } from "../../table/read/periods.ts";
import { entityTexts, lastFullDay, readingOf, refuseTwice } from "../../table/read/reading.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { withProvenance } from "../../table/show/show.ts";
import { columnIn, computedColumn, titleIn } from "../../table/track/descriptions.ts";
import {
  arraysIn,
  type Expr,
  inGroups,
  numberColumn,
  numberOfColumn,
  refuseTaken,
  sumOrNull,
} from "../columnar.ts";
import { columnNames } from "../timeline_series.ts";

const DAY_MS = 86_400_000;
const WAYS = ["sum", "mean", "last", "max"] as const;
type Way = typeof WAYS[number];

const zero: Rule<0> = (value, refuse) => value === 0 ? 0 : refuse("must be 0");

const aZone: Rule<string> = (value, refuse) => {
  try {
    if (typeof value === "string") {
      return new Intl.DateTimeFormat("en", { timeZone: value }) && value;
    }
  } catch { /* refused below */ }
  return refuse('must be a time zone, such as "America/New_York" or "UTC"');
};

/** Accepts one way for all columns, or the way of each column. */
const aWay: Rule<Way | Record<string, Way>> = (value, refuse) => {
  const isWay = (way: unknown): way is Way => WAYS.includes(way as Way);
  if (isWay(value)) return value;
  return isObject(value) && Object.values(value).every(isWay)
    ? value as Record<string, Way>
    : refuse(`must be one of ${WAYS.join(", ")}, or the way of each column`);
};

/** Returns the day of each moment in a time zone, as days since 1 January 1970. */
function daysInZone(moments: Float64Array, timeZone: string): Float64Array {
  // Sweden writes 2025-01-31 19:00:00.
  const format = new Intl.DateTimeFormat("sv", {
    timeZone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  // Offsets change at quarters of an hour only, so that one offset serves all moments of a quarter.
  const QUARTER_MS = DAY_MS / 96;
  const quarters = moments.map((moment) => Math.floor(moment / QUARTER_MS));
  const { numbers, first } = numbered(quarters);
  const offsets = first.map((row) => {
    const at = quarters[row]! * QUARTER_MS;
    return Date.parse(`${format.format(at).replace(" ", "T")}Z`) - at;
  });
  return moments.map((moment, row) => Math.floor((moment + offsets[numbers[row]!]!) / DAY_MS));
}

/** Returns the day of each row. Throws if times are not at midnight and no zone is given. */
function daysOfRows(frame: DataFrame, date: string, zone: string | undefined): Float64Array {
  const { [date]: moments } = arraysIn(
    frame.select(pl.col(date).cast(pl.Datetime("ms")).cast(pl.Int64).alias(date)),
    [date],
  ) as Record<string, Float64Array>;
  const none = moments!.findIndex((moment) => Number.isNaN(moment));
  if (none >= 0) {
    throw new RangeError(`resample: ${date}: must not be null; got null in row ${none}`);
  }
  const between = moments!.find((moment) => moment % DAY_MS !== 0);
  if (between === undefined) return moments!.map((moment) => moment / DAY_MS);
  if (zone !== undefined) return daysInZone(moments!, zone);
  throw new RangeError(
    `resample: ${date}: has times of day, such as ${new Date(between).toISOString()}; ` +
      'pass zone, such as "UTC", so that times have days',
  );
}

/** Returns the way in which the values of a column are combined. */
function wayOf(frame: DataFrame, name: string, how: Way | Record<string, Way> | undefined): Way {
  const column = columnIn(frame, name);
  const isCountOfPeople = column?.unit === "users" || column?.unit === "addresses";
  const own = adds(frame, name);
  const asked = typeof how === "string" ? how : how?.[name];
  if (asked === "sum" && (isCountOfPeople || own === "groups")) {
    const why = isCountOfPeople
      ? "a user who is active on two days would count twice; use mean, max or last"
      : "it is a level; use last, mean or max";
    throw new RangeError(`resample: how: ${name} cannot be summed: ${why}`);
  }
  const way = asked ??
    (own === "both" ? "sum" : own === "groups" ? "last" : isCountOfPeople ? "mean" : undefined);
  if (way !== undefined) return way;
  throw new RangeError(
    `resample: how: it is not known how to combine the days of ${name}; pass how, such as ` +
      `{ ${name}: "sum" }, or state adds: "both" in withSource`,
  );
}

const TITLES: Readonly<Record<Way, string>> = {
  sum: "",
  last: "",
  mean: ", mean of days",
  max: ", largest of days",
};

function periodText(start: number, every: Every): string {
  if (every !== "month") return `the ${every} of ${dayText(start)}`;
  const form = { month: "short", year: "numeric", timeZone: "UTC" } as const;
  return dateOfDay(start).toLocaleDateString("en", form);
}

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
   * `0` states that a day without a row is 0.
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
    missing: zero,
    entity: columnNames,
    date: string,
  };
  const { every, how, zone, missing, ...given } = checkOptions(options, rules, fn);
  requireColumns(frame, { fn, source: "a frame of entities over time" });
  const reading = readingOf(frame, { fn, ...given });
  const { entity, times: [date = "date"] } = reading;
  requireColumns(frame, {
    fn,
    source: "a frame of entities over time",
    dtypes: { [date]: "Date or Datetime" },
  });
  refuseTwice(frame, { ...reading, times: [date] }, fn);
  const days = daysOfRows(frame, date, zone);
  const dtypes = dtypeNames(frame);
  const own = frame.columns.filter((name) =>
    ![date, "until", "complete", ...entity].includes(name)
  );
  const numbers = own.filter((name) => isNumeric(dtypes[frame.columns.indexOf(name)]!));
  const wrong = Object.keys(typeof how === "object" ? how : {}).find((name) =>
    !numbers.includes(name)
  );
  if (wrong !== undefined) {
    throw new RangeError(`${fn}: how: ${wrong} is not a column of numbers; got ${listed(numbers)}`);
  }
  for (const field of numbers) finiteNumbers(frame, { fn, field });
  const ways = new Map(numbers.map((name) => [name, wayOf(frame, name, how)]));
  const sums = numbers.filter((name) => ways.get(name) === "sum");
  refuseTaken(frame, sums.map((name) => `${name}_days`), fn);
  const texts = own.filter((name) => !numbers.includes(name));
  const count = (columns: readonly string[]) => frame.unique({ subset: [...columns] }).height;
  const entities = entity.length === 0 ? 1 : count(entity);
  const kept = texts.filter((name) =>
    entity.length === 0 ? count([name]) === 1 : count([...entity, name]) === entities
  );
  const dropped = texts.filter((name) => !kept.includes(name));
  if (dropped.length > 0) {
    notify(`${fn}: left out ${listed(dropped)}: an entity has several values of it`);
  }
  const { numbers: places, first } = numbered(days);
  const periods = first.map((row) => periodAt(days[row]!, every));
  const last = first.reduce((most, row) => Math.max(most, days[row]!), -Infinity);
  const through = given.through ?? Math.min(last, lastFullDay(frame) ?? Infinity);
  const dated = frame.withColumns(
    numberColumn("(day)", days),
    numberColumn("(start)", days.map((_, row) => periods[places[row]!]!.start)),
    numberColumn("(end)", days.map((_, row) => periods[places[row]!]!.end)),
  ).sort({ by: [date], maintainOrder: true });
  const isKnown = (name: string) => numberOfColumn(name).isNotNull();
  const combine: Record<Way, (name: string) => Expr> = {
    sum: (name) => sumOrNull(numberOfColumn(name)),
    mean: (name) => numberOfColumn(name).mean(),
    max: (name) => numberOfColumn(name).max(),
    last: (name) => numberOfColumn(name).filter(isKnown(name)).last(),
  };
  const daysWhere = (condition: Expr) =>
    pl.col("(day)").filter(condition).nUnique().cast(pl.Float64);
  const hasComplete = frame.columns.includes("complete");
  const made = inGroups(dated, ["(start)", "(end)", ...entity], [
    ...kept.map((name) => pl.col(name).first()),
    ...numbers.map((name) => combine[ways.get(name)!](name).alias(name)),
    ...sums.map((name) => daysWhere(isKnown(name)).alias(`${name}_days`)),
    ...sums.map((name) => daysWhere(isKnown(name).not()).alias(`(${name})`)),
    (hasComplete ? pl.col("complete").fillNull(pl.lit(false)).min() : pl.lit(true)).alias(
      "(whole)",
    ),
  ]);
  if (missing !== 0) noteMissing(made, { fn, entity, sums, through, every });
  const filled = missing === 0 ? withZeros(made, { entity, kept, sums, through }) : made;
  const day = (name: string) => pl.col(name).cast(pl.Int32).cast(pl.Date);
  const isOver = pl.col("(end)").ltEq(through);
  const table = filled.sort({ by: ["(start)"], maintainOrder: true }).select(
    day("(start)").alias(date),
    day("(end)").alias("until"),
    pl.col("(whole)").and(isOver).alias("complete"),
    ...[...entity, ...kept, ...numbers].map((name) => pl.col(name)),
    ...sums.map((name) => pl.col(`${name}_days`).cast(pl.Int64)),
  );
  const described = numbers.flatMap((name): [string, Column][] => {
    const way = ways.get(name)!;
    const title = titleIn(frame, name);
    const column = {
      ...columnIn(frame, name) ?? computedColumn(name, "number"),
      title: title + TITLES[way],
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
    first: numbers.slice(0, 6),
    columns: new Map([
      ...["until", date].map((name) => [name, computedColumn(name, "time")] as const),
      ["complete", computedColumn("complete", "note")],
      ...described,
    ]),
  });
}

/** Returns the number of days of each period up to the last day of the data. */
function expectedDays(through: number): Expr {
  const end = pl.when(pl.col("(end)").gt(through)).then(pl.lit(through)).otherwise(pl.col("(end)"));
  return end.minus(pl.col("(start)")).plus(1);
}

/** Adds the periods in which an entity has no row, as 0, and counts days without a row as known. */
function withZeros(
  made: DataFrame,
  { entity, kept, sums, through }: {
    readonly entity: readonly string[];
    readonly kept: readonly string[];
    readonly sums: readonly string[];
    readonly through: number;
  },
): DataFrame {
  const periods = made.select("(start)", "(end)").unique().sort("(start)");
  const all: DataFrame = entity.length === 0
    ? made.select(...kept.map((name) => pl.col(name)), "(start)", "(end)")
    : inGroups(made, [...entity, ...kept], [pl.col("(start)").min().alias("(first)")])
      .join(periods, { how: "cross" })
      .filter(pl.col("(start)").gtEq(pl.col("(first)"))).drop("(first)");
  const values = made.select(
    ...made.columns.filter((name) => !kept.includes(name) && name !== "(end)")
      .map((name) => pl.col(name)),
  );
  const joined = all.join(values, { on: ["(start)", ...entity], how: "left" });
  const absent = pl.col("(whole)").isNull();
  const orZero = (name: string) =>
    pl.when(absent).then(pl.lit(0)).otherwise(pl.col(name)).alias(name);
  return joined.withColumns(
    ...sums.map(orZero),
    ...sums.map((name) =>
      expectedDays(through).minus(pl.col(`(${name})`).fillNull(pl.lit(0))).alias(`${name}_days`)
    ),
    pl.col("(whole)").fillNull(pl.lit(true)).alias("(whole)"),
  );
}

/** Shows a notice that names the period with the largest part of its days missing. */
function noteMissing(
  made: DataFrame,
  { fn, entity, sums, through, every }: {
    readonly fn: string;
    readonly entity: readonly string[];
    readonly sums: readonly string[];
    readonly through: number;
    readonly every: Every;
  },
): void {
  const counts = sums.map((name) => `${name}_days`);
  const counted = made.withColumn(expectedDays(through).alias("(most)"));
  const known: Readonly<Record<string, Float64Array>> = arraysIn(counted, ["(most)", ...counts]);
  const expected = known["(most)"]!;
  const lacking = counts.flatMap((name) =>
    Array.from(known[name]!, (days, row) => ({ days, row, part: days / expected[row]! }))
      .filter(({ part }) => part < 1)
  );
  const [worst] = lacking.toSorted((a, b) => a.part - b.part);
  if (worst === undefined) return;
  const { days, row } = worst;
  const one = made.slice(row, 1);
  const key = entityTexts(one, { entity })[0];
  const period = periodText(one.getColumn("(start)").get(0) as number, every);
  const sum = lacking.length === 1 ? "1 sum lacks days" : `${lacking.length} sums lack days`;
  notify(
    `${fn}: ${sum}, most of all ${key ? `${key}: ` : ""}${days} of ${expected[row]} days of ` +
      `${period}; a missing day is not 0; pass missing: 0 if it is`,
  );
}
