import { checkOptions, integer, required, string } from "../../platform/check_options.ts";
import { listed, notify } from "../../platform/terminal.ts";
import { type Column, describedColumn } from "../../schema/dictionary.ts";
import { adds, whyNotAdded } from "../../table/read/adds.ts";
import { nameColumn } from "../../table/read/names.ts";
import { OTHER } from "../../table/read/largest.ts";
import { finiteNumbers, rowGroups } from "../../table/read/panel.ts";
import { readingOf, refuseTwice, requireEntity } from "../../table/read/reading.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { type DataFrame, type Frame, pl } from "../../table/build/polars.ts";
import { columnIn } from "../../table/track/descriptions.ts";
import { withProvenance } from "../../table/show/show.ts";
import { arraysIn, type Expr, inGroups, numberColumns, sumOrNull } from "../columnar.ts";
import { columnNames } from "../timeline_series.ts";

const RULES = { limit: required(integer(1)), by: columnNames, entity: columnNames, date: string };

/** Returns numbers that are in the order of the dates. */
function timeOf(frame: DataFrame, date: string | undefined): Expr {
  if (date === undefined) return pl.lit(0);
  // Ranks are slower, but texts have no other numbers.
  return frame.getColumn(date).isString()
    ? pl.col(date).rank("dense")
    : pl.col(date).cast(pl.Float64);
}

/**
 * Returns the group of each row, and its rank in the group: Infinity if it is not one of the largest. An entity is as
 * large as its value in the last complete period that has a value, or else as its last value.
 */
function ranksOf(
  frame: DataFrame,
  { fn, field, limit, entity, by, date }: {
    readonly fn: string;
    readonly field: string;
    readonly limit: number;
    readonly entity: readonly string[];
    readonly by: readonly string[];
    readonly date: string | undefined;
  },
) {
  const values = finiteNumbers(frame, { fn, field });
  const complete = frame.columns.includes("complete")
    ? pl.col("complete").fillNull(pl.lit(false))
    : pl.lit(true);
  const { time, whole } = arraysIn(
    frame.select(
      timeOf(frame, date).alias("time"),
      complete.alias("whole"),
    ),
    ["time", "whole"],
  );
  const { numbers, first } = rowGroups(frame, [...by, ...entity]);
  const { numbers: groups } = rowGroups(frame, by);
  const last = new Int32Array(first.length).fill(-1);
  for (let row = 0; row < values.length; row++) {
    const number = numbers[row]!;
    const before = last[number]!;
    const isLater = before < 0 || whole[row]! > whole[before]! ||
      whole[row] === whole[before] && time[row]! >= time[before]!;
    if (isLater && !Number.isNaN(values[row]!)) last[number] = row;
  }
  const sizes = Array.from(last, (row) => values[row] ?? -Infinity);
  const counts = new Map<number, number>();
  const ranks = new Float64Array(first.length);
  for (const at of [...first.keys()].sort((a, b) => sizes[b]! - sizes[a]! || 0)) {
    const group = groups[first[at]!]!;
    const rank = (counts.get(group) ?? 0) + 1;
    counts.set(group, rank);
    ranks[at] = rank > limit ? Infinity : rank;
  }
  const rank = new Float64Array(numbers);
  for (let row = 0; row < rank.length; row++) rank[row] = ranks[numbers[row]!]!;
  return {
    "(group)": new Float64Array(groups),
    "(rank)": rank,
    members: ranks.filter((rank) => rank === Infinity).length,
  };
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
  const rules = { field: required(string), ...RULES };
  const { field, limit, by = [], ...given } = checkOptions(options, rules, fn);
  requireColumns(frame, { fn, source: "a frame of entities", numbers: [field] });
  requireColumns(frame, { fn: `${fn}: by`, source: "columns of the frame", columns: by });
  const reading = readingOf(frame, { fn, ...given });
  requireEntity(reading, fn);
  const entity = reading.entity.filter((name) => !by.includes(name));
  if (entity.length === 0) {
    throw new RangeError(
      `${fn}: by: must leave a column of the entity; got ${listed(by)}, which name the entities`,
    );
  }
  const date = given.date ?? (frame.columns.includes("date") ? "date" : undefined);
  const keys = [...new Set([...date === undefined ? [] : [date], ...by])];
  requireColumns(frame, { fn, source: "a frame of entities", columns: [...entity, ...keys] });
  refuseTwice(frame, { ...reading, entity, times: [...new Set([...reading.times, ...keys])] }, fn);
  const { members, ...ranks } = ranksOf(frame, { fn, field, limit, entity, by, date });
  const made = frame.withColumns(...numberColumns(ranks).getColumns());
  const rest = made.filter(pl.col("(rank)").eq(Infinity));
  const overGroups = ["both", "groups"].includes(adds(frame, field) ?? "");
  if (members > 0 && !overGroups) {
    const why = whyNotAdded(frame, field) ?? "it is not known whether it adds up over entities";
    notify(`topN: ${field}: no row for the sum of the others: ${why}`);
  }
  const shared = by.map(nameColumn);
  const valueOf = (name: string): Expr => {
    if (entity.includes(name)) return pl.lit(OTHER.id);
    if (shared.includes(name)) return pl.col(name).first();
    if (name === reading.label) return pl.lit(OTHER.name);
    if (name === field) return sumOrNull(pl.col(name));
    if (name === "until" || name === "(rank)") return pl.col(name).max();
    return name === "complete" ? pl.col(name).min() : pl.lit(null);
  };
  const grouped = [...keys, "(group)"];
  const dtypes = made.dtypes;
  const others = inGroups(
    overGroups ? rest : rest.head(0),
    grouped,
    made.columns.flatMap((name, at) =>
      grouped.includes(name) ? [] : [valueOf(name).cast(dtypes[at]!).alias(name)]
    ),
  );
  const sorted = pl.concat([
    made.filter(pl.col("(rank)").lt(Infinity)),
    others.select(...made.columns),
  ]).sort({
    by: [...date === undefined ? [] : [date], "(group)", "(rank)"],
    maintainOrder: true,
  });
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
