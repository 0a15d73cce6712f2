import { checkOptions, integer, required, string } from "../../platform/check_options.ts";
import { notify } from "../../platform/terminal.ts";
import { type Column, describedColumn } from "../../schema/dictionary.ts";
import { adds, whyNotAdded } from "../../table/read/adds.ts";
import { nameColumn } from "../../table/read/names.ts";
import { OTHER } from "../../table/read/largest.ts";
import { readingOf, refuseTwice, requireEntity } from "../../table/read/reading.ts";
import { columnOfNumbers, requireColumns } from "../../table/read/requirements.ts";
import { type DataFrame, type Frame, pl } from "../../table/build/polars.ts";
import { columnIn } from "../../table/track/descriptions.ts";
import { withProvenance } from "../../table/show/show.ts";
import {
  type Expr,
  firstRow,
  inGroups,
  numberOfColumn,
  sumOrNull,
  valueWhere,
} from "../columnar.ts";
import { columnNames } from "../timeline_series.ts";

const RULES = { limit: required(integer(1)), by: columnNames, entity: columnNames, date: string };

/** Returns the texts of a column as keys of a join. polars does not join nulls. */
function key(name: string): Expr {
  return pl.col(name).cast(pl.Utf8).fillNull(pl.lit("\u0000")).alias(`(${name})`);
}

/**
 * Returns a frame of the largest entities of each group, with their keys and their `(rank)`. An entity is as large as its
 * value in the last complete period that has a value, or else as its last value.
 */
function largestEntities(
  frame: DataFrame,
  { field, limit, keys, by, date }: {
    readonly field: string;
    readonly limit: number;
    readonly keys: readonly string[];
    readonly by: readonly string[];
    readonly date: string | undefined;
  },
): DataFrame {
  const number = numberOfColumn(field);
  const complete = frame.columns.includes("complete")
    ? pl.col("complete").fillNull(pl.lit(false))
    : pl.lit(true);
  const rows = frame.select(
    ...keys.map(key),
    (date === undefined ? pl.lit(0) : pl.col(date)).alias("(time)"),
    complete.alias("(complete)"),
    valueWhere(number.abs().ltEq(Number.MAX_VALUE), number).alias("(value)"),
  );
  const names = keys.map((name) => `(${name})`);
  const known = pl.col("(value)").isNotNull();
  const ordered = date === undefined ? rows : rows.sort({ by: "(time)", maintainOrder: true });
  const sizes = inGroups(ordered, names, [
    pl.col("(value)").filter(known.and(pl.col("(complete)"))).last().alias("(settled)"),
    pl.col("(value)").filter(known).last().alias("(last)"),
  ]).withColumn(pl.col("(settled)").fillNull(pl.col("(last)")).alias("(size)"));
  const groups = by.map((name) => `(${name})`);
  const sorted = sizes.sort({
    by: "(size)",
    descending: true,
    nullsLast: true,
    maintainOrder: true,
  })
    .withColumn(pl.lit(1).alias("(one)"));
  const counted = pl.col("(one)").cumSum();
  const rank = groups.length === 0 ? counted : counted.over(...groups as [string]);
  return sorted.withColumn(rank.cast(pl.Float64).alias("(rank)"))
    .filter(pl.col("(rank)").ltEq(limit)).select(...names, "(rank)");
}

/**
 * Keeps the entities with the largest values, and combines all others into one row.
 *
 * Keeps the columns of the frame. Entities are compared by their value in the last complete period that has a value. A
 * frame without dates is sorted by value; a frame with dates is sorted by date, then by value. The entities that are
 * left out have one row for each date and group, after the kept entities: the id is `(other)`, the name is `Other`, the
 * value is the sum of their values, and all other columns are null. This row is not an entity: it is drawn last and has no
 * rank. The sum is null if all values are null. If the values of `field` do not add up over entities, such as users,
 * changes and ratios, there is no such row, and a notice says so.
 *
 * @example The five chains with the highest fees, month by month, and the others
 * ```ts
 * import { plotTimeline, timeline, topN } from "@chainframe/chainframe";
 *
 * const fees = await timeline({ metric_ids: ["fees"], group_by: "chains", every: "month", from: "2026-01" });
 * const top = topN(fees, { field: "fees_sum", limit: 5 });
 * console.log(plotTimeline(top, { field: "fees_sum" }));
 * ```
 *
 * @param frame any frame with one row per entity, or per entity and date
 * @throws {RangeError} when columns are missing, an entity has two rows with the same date and group, or an option is out
 * of range.
 * @throws {TypeError} when `field` is not a column of numbers.
 * @category Analysis
 */
export function topN(frame: DataFrame, options: {
  /** The column of values. */
  readonly field: string;
  /** The number of entities to keep, without the row of the others. */
  readonly limit: number;
  /**
   * The column that names the entities, or several columns.
   *
   * @default {the ids of the response, else the fewest columns of texts that make rows unique}
   */
  readonly entity?: string | readonly string[];
  /**
   * The columns of groups. The largest entities of each group are kept; `"date"` keeps those of each date.
   *
   * @default {none: one group}
   */
  readonly by?: string | readonly string[];
  /**
   * The column of dates.
   *
   * @default {"date", if the frame has this column}
   */
  readonly date?: string;
}): Frame {
  const fn = "topN";
  const rules = { field: columnOfNumbers(frame), ...RULES };
  const { field, limit, by = [], ...given } = checkOptions(options, rules, fn);
  requireColumns(frame, { fn, source: "a frame of entities", numbers: [field] });
  requireColumns(frame, { fn: `${fn}: by`, source: "columns of the frame", columns: by });
  const reading = readingOf(frame, { fn, ...given });
  requireEntity(reading, fn);
  const date = given.date ?? (frame.columns.includes("date") ? "date" : undefined);
  const keys = [...new Set([...date === undefined ? [] : [date], ...by])];
  const entity = reading.entity.filter((name) => !by.includes(name));
  requireColumns(frame, { fn, source: "a frame of entities", columns: [...entity, ...keys] });
  refuseTwice(frame, { ...reading, times: [...new Set([...reading.times, ...keys])] }, fn);
  const top = largestEntities(frame, { field, limit, keys: [...by, ...entity], by, date });
  const joined = [...by, ...entity].map((name) => `(${name})`);
  const group = by.length === 0 ? pl.lit(0) : firstRow(by);
  const made = frame.withRowIndex("(row)").withColumns(
    group.alias("(group)"),
    ...[...by, ...entity].map(key),
  ).join(top, { on: joined, how: "left" })
    .withColumn(pl.col("(rank)").fillNull(pl.lit(Infinity)).alias("(rank)"))
    .select(...frame.columns, "(group)", "(rank)", ...joined);
  const rest = made.filter(pl.col("(rank)").eq(Infinity));
  const overGroups = ["both", "groups"].includes(adds(frame, field) ?? "");
  if (rest.height > 0 && !overGroups) {
    const why = whyNotAdded(frame, field) ?? "it is not known whether it adds up over entities";
    notify(`topN: ${field}: no row for the sum of the others: ${why}`);
  }
  const shared = by.map(nameColumn);
  const valueOf = (name: string): Expr => {
    if (entity.includes(name)) return pl.lit(OTHER.id);
    if (shared.includes(name)) return pl.col(name).first();
    if (name === reading.label) return pl.lit(OTHER.name);
    if (name === field) return sumOrNull(pl.col(name));
    if (name === "until") return pl.col(name).max();
    return name === "complete" ? pl.col(name).min() : pl.lit(null);
  };
  const dtypes = frame.dtypes;
  const others = inGroups(
    overGroups ? rest : rest.head(0),
    [...keys, "(group)"],
    frame.columns.filter((name) => !keys.includes(name)).map((name) =>
      valueOf(name).cast(dtypes[frame.columns.indexOf(name)]!).alias(name)
    ),
  ).withColumn(pl.lit(Infinity).alias("(rank)"));
  const columns = [...frame.columns, "(group)", "(rank)"];
  const both = pl.concat([
    made.filter(pl.col("(rank)").lt(Infinity)).select(...columns),
    others.select(...columns),
  ]);
  const sorted = both.sort({
    by: [...date === undefined ? [] : [date], "(group)", "(rank)"],
    maintainOrder: true,
  });
  const members = rest.unique({ subset: joined }).height;
  const described = entity.map((name): [string, Column] => [
    name,
    { ...columnIn(frame, name) ?? describedColumn(name, { role: "id" }), rest: members },
  ]);
  return withProvenance(frame, sorted.select(...frame.columns), {
    fn,
    options,
    first: [field],
    ...members > 0 && { columns: new Map(described) },
  });
}
