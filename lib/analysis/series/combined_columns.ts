import { isObject, type Rule } from "../../platform/check_options.ts";
import { inWords } from "../../platform/statement.ts";
import { listed, notify } from "../../platform/terminal.ts";
import type { Column } from "../../schema/dictionary.ts";
import { dtypeNames, isNumeric, isText } from "../../table/columns/dtypes.ts";
import { type DataFrame, pl } from "../../table/columns/polars.ts";
import { adds, countsPersons } from "../../table/read/adds.ts";
import { numbersRows } from "../../table/read/entity_found.ts";
import { finiteNumbers } from "../../table/read/panel.ts";
import { daysColumn } from "../../table/read/whole_sums.ts";
import { columnIn, computedColumn, titleIn } from "../../table/track/descriptions.ts";
import { type Expr, refuseTaken, sumOrNull, valueWhere } from "../columnar.ts";
import type { RowParts } from "./row_parts.ts";

/** For each way to combine the values of a period: the expression, and the end of the title. */
const WAYS = {
  sum: [sumOrNull, ""],
  mean: [(value: Expr) => value.mean(), ", mean of days"],
  last: [(value: Expr) => value.filter(value.isNotNull()).last(), ""],
  max: [(value: Expr) => value.max(), ", largest of days"],
} as const;
type Way = keyof typeof WAYS;

/** The ways for rows that lie in several periods, or cover different numbers of days. */
const DIVIDED: Readonly<Partial<Record<Way, (value: Expr) => Expr>>> = {
  sum: (value) => sumOrNull(value.mul(pl.col("(share)"))),
  mean: (value) => {
    const days = pl.col("(days)").filter(value.isNotNull());
    return valueWhere(value.count().gt(0), value.mul(pl.col("(days)")).sum().div(days.sum()));
  },
  last: (value) => value.filter(value.isNotNull().and(pl.col("(ends)").eq(1))).last(),
};

/** Returns the value of a period. */
export function combinedValue(name: string, way: Way, { areWhole }: RowParts): Expr {
  const combine = areWhole ? undefined : DIVIDED[way];
  return (combine ?? WAYS[way][0])(pl.col(name)).alias(name);
}

/** Returns the number of days with a value of a period. Rows that are sums can have their days in a column. */
export function daysOfSum(
  name: string,
  counted: string | undefined,
  { areMoments, areWhole, areHours, days }: RowParts,
): Expr {
  const known = (column: string) => pl.col(column).filter(pl.col(name).isNotNull());
  if (areMoments) return known("(day)").nUnique().cast(pl.Int64);
  if (counted !== undefined) {
    return (areWhole ? known(counted) : known(counted).mul(known("(share)"))).sum();
  }
  const dtype = areHours ? pl.Float64 : pl.Int64;
  const sum = areWhole
    ? pl.col(name).count().cast(pl.Float64).mul(pl.lit(days[0] ?? 1))
    : known("(days)").sum();
  return sum.cast(dtype);
}

/** Accepts one way for all columns, or the way of each column. */
export const aWay: Rule<Way | Record<string, Way>> = (value, refuse) => {
  const ways = Object.keys(WAYS);
  const given = isObject(value) ? Object.values(value) : [value];
  return given.every((way) => ways.includes(way as string))
    ? value as Way
    : refuse(`must be one of ${ways.join(", ")}, or the way of each column`);
};

/** Returns the way in which the values of a column are combined. */
function wayOf(frame: DataFrame, name: string, how: Way | Record<string, Way> | undefined): Way {
  const isCountOfPeople = countsPersons(frame, name);
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

/** The columns of a frame: of its entity, of numbers with their ways, and of texts of which each entity has one. */
export interface CombinedColumns {
  readonly entity: readonly string[];
  readonly numbers: readonly string[];
  readonly ways: ReadonlyMap<string, Way>;
  readonly sums: readonly string[];
  /** The columns that have the days of sums which the rows are, by the column of the sum. */
  readonly counted: ReadonlyMap<string, string>;
  readonly kept: readonly string[];
}

/** Returns those of some columns that have the days of sums, by the column of the sum. */
function countedDays(frame: DataFrame, names: readonly string[], fn: string): Map<string, string> {
  return new Map(frame.columns.flatMap((name) => {
    const days = daysColumn(frame, name, fn);
    return days !== undefined && names.includes(days) ? [[name, days]] : [];
  }));
}

/** Reads the columns of a frame, and checks that their values can be combined. */
export function columnsOfRows(
  frame: DataFrame,
  { fn, date, entity, events, how }: {
    readonly fn: string;
    readonly date: string;
    readonly entity: readonly string[];
    /** The column that names events, which an entity has many of. */
    readonly events: string | undefined;
    readonly how: Way | Record<string, Way> | undefined;
  },
): CombinedColumns {
  const dtypes = dtypeNames(frame);
  const known = [date, "until", "complete", ...entity];
  const own = frame.columns.filter((name) => !known.includes(name));
  const isNamed = (name: string) => isObject(how) && Object.hasOwn(how, name);
  const counting = own.filter((name) =>
    name !== events && !isNamed(name) && numbersRows(frame, name)
  );
  const numeric = own.filter((name) =>
    isNumeric(dtypes[frame.columns.indexOf(name)]!) && !counting.includes(name)
  );
  // A column that how names is one of values.
  const days = countedDays(frame, numeric.filter((name) => !isNamed(name)), fn);
  const numbers = numeric.filter((name) =>
    isNamed(name) ||
    columnIn(frame, name)?.counts === undefined && ![...days.values()].includes(name)
  );
  const wrong = isObject(how) && Object.keys(how).find((name) => !numbers.includes(name));
  if (wrong) {
    throw new RangeError(`${fn}: how: ${wrong} is not a column of numbers; got ${listed(numbers)}`);
  }
  for (const field of numbers) finiteNumbers(frame, { fn, field });
  const ways = new Map(numbers.map((name) => [name, wayOf(frame, name, how)]));
  const sums = numbers.filter((name) => ways.get(name) === "sum");
  const counted = new Map([...days].filter(([name]) => sums.includes(name)));
  const made = sums.map((name) => `${name}_days`);
  refuseTaken(frame, made.filter((name) => numbers.includes(name) || !numeric.includes(name)), fn);
  const distinct = (names: readonly string[]) =>
    names.length === 0 ? 1 : frame.unique({ subset: [...names] }).height;
  const texts = own.filter((name) => !numeric.includes(name) && !counting.includes(name));
  if (counting.length > 0) notify(`${fn}: left out ${listed(counting)}, which numbers the rows`);
  const kept = texts.filter((name) => distinct([...entity, name]) === distinct(entity));
  const dropped = texts.filter((name) => !kept.includes(name));
  if (dropped.some((name) => name !== events)) {
    const isTexts = (name: string) => isText(dtypes[frame.columns.indexOf(name)]!);
    const names = dropped.map((name) => isTexts(name) ? `${name} (is text)` : name);
    notify(`${fn}: left out ${listed(names)}: an entity has several values of it`);
  }
  return { entity, numbers, ways, sums, counted, kept };
}

/** Over what values can be added that were combined from values which add up over groups. */
const ADDED = { sum: "both", mean: "groups", last: "groups", max: "none" } as const;

/** Describes the columns of the result. */
export function descriptionsOf(
  frame: DataFrame,
  { numbers, ways }: CombinedColumns,
): [string, Column][] {
  return numbers.flatMap((name): [string, Column][] => {
    const way = ways.get(name)!;
    const title = titleIn(frame, name);
    const known = columnIn(frame, name) ?? computedColumn(name, "number");
    const isAdded = known.adds === "both" || known.adds === "groups";
    const column = {
      ...known,
      title: title + WAYS[way][1],
      ...isAdded && { adds: ADDED[way] },
    };
    if (way !== "sum") return [[name, column]];
    const days = computedColumn(`${name}_days`, "days");
    return [
      [name, { ...column, adds: "both", summed: name }],
      [`${name}_days`, { ...days, counts: name, title: `${title}, days with a value` }],
    ];
  });
}
