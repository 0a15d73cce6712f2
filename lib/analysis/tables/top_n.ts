import { checkOptions, integer, required, string } from "../../platform/check_options.ts";
import { notify } from "../../platform/terminal.ts";
import { type Column, describedColumn } from "../../schema/dictionary.ts";
import { adds, whyNotAdded } from "../../table/read/adds.ts";
import { OTHER } from "../../table/read/largest.ts";
import { finiteNumbers, rowGroups } from "../../table/read/panel.ts";
import {
  datesOf,
  idText,
  readingOf,
  refuseTwice,
  requireEntity,
} from "../../table/read/reading.ts";
import { withPeriods } from "../../table/read/periods.ts";
import { daysColumn, wholeSums } from "../../table/read/whole_sums.ts";
import { columnNames, requireColumns } from "../../table/read/requirements.ts";
import { noteTotal } from "../../table/read/totals.ts";
import { requireTimes } from "../../table/read/times.ts";
import { type DataFrame, type Frame, pl } from "../../table/columns/polars.ts";
import { columnIn } from "../../table/track/descriptions.ts";
import { withProvenance } from "../../table/show/show.ts";
import { arraysIn, type Expr, inGroups, numberColumn, sumOrNull } from "../columnar.ts";

/**
 * Returns the size of each entity: its value in the last complete period of the frame that has values. Without a complete
 * period, the last period counts. An entity without a value there has the size -Infinity.
 */
function sizesOf(
  frame: DataFrame,
  { fn, field, numbers, values: given, time }: {
    readonly fn: string;
    readonly field: string;
    readonly numbers: Uint32Array;
    readonly values: Float64Array;
    readonly time: Float64Array;
  },
): Float64Array {
  const [date] = datesOf(frame, fn);
  const values = wholeSums(frame, given, { fn, field, date });
  const whole = date === undefined
    ? new Float64Array(values.length).fill(1)
    : arraysIn(withPeriods(frame, { fn, date }), ["complete"]).complete;
  let last = -1;
  for (let row = 0; row < values.length; row++) {
    if (Number.isNaN(values[row])) continue;
    const later = last < 0 ? 1 : whole[row]! - whole[last]! || time[row]! - time[last]!;
    if (later > 0) last = row;
  }
  const sizes = new Float64Array(numbers.reduce((most, number) => Math.max(most, number + 1), 0))
    .fill(-Infinity);
  for (let row = 0; row < values.length; row++) {
    const isLast = time[row] === time[last];
    if (isLast && !Number.isNaN(values[row])) sizes[numbers[row]!] = values[row]!;
  }
  return sizes;
}

/**
 * Returns the days of the sum of several sums: so many that the sum per day is that of the sums per day. Of sums that
 * have no such days, such as those of both signs, their mean.
 */
function daysOfAll(field: string, days: string): Expr {
  const [value, count] = [pl.col(field), pl.col(days)];
  const known = value.isNotNull().and(count.gt(0));
  const all = value.filter(known).sum().div(value.div(count).filter(known).sum());
  const isBetween = all.gtEq(count.min().minus(1e-9)).and(all.ltEq(count.max().plus(1e-9)));
  return pl.when(isBetween.fillNull(pl.lit(false))).then(all).otherwise(count.mean());
}

/**
 * Keeps the entities with the largest values, and combines all others into one row.
 *
 * Keeps the columns of the frame; ids that are numbers become texts, and the days of a sum Float64. Entities are compared by their value in the last
 * complete period of the frame that has values; those without one there come last. A frame without dates is sorted by value; a frame with dates is sorted by date, then
 * by value. The entities that are left out have one row for each date, after the kept entities: the id is `(other)`, the
 * name is `Other`, the value is the sum of their values, the days of a sum are such that its value per day is that of their sums, and all
 * other columns are null. This row is not an entity: it is
 * drawn last and has no rank. The sum is null if all values are null. If the values of `field` do not add up over
 * entities, such as users, changes and ratios, there is no such row, and a notice says so.
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
 * @throws {RangeError} when columns are missing, an entity has two rows with the same date, or an option is out of range.
 * @throws {TypeError} when `field` is not a column of numbers, or the dates are texts.
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
}): Frame {
  const fn = "topN";
  const { field, limit, ...given } = checkOptions(options, {
    field: required(string),
    limit: required(integer(1)),
    entity: columnNames,
  }, fn);
  const source = "a frame of entities";
  requireColumns(frame, { fn, source, numbers: [field] });
  const reading = readingOf(frame, { fn, ...given, isChecked: true });
  requireEntity(reading, fn);
  const { entity, times: dates } = reading;
  refuseTwice(frame, reading, fn);
  const values = finiteNumbers(frame, { fn, field });
  noteTotal(frame, { fn, field, reading });
  const { numbers, first } = rowGroups(frame, entity);
  const [time = new Float64Array(frame.height)] = dates.map((name) =>
    requireTimes(frame, name, fn).days
  );
  const sizes = sizesOf(frame, { fn, field, numbers, values, time });
  const sorted = [...first.keys()].sort((a, b) => sizes[b]! - sizes[a]! || 0);
  const ranks = new Float64Array(first.length).fill(Infinity);
  for (const [rank, at] of sorted.slice(0, limit).entries()) ranks[at] = rank;
  const rankOfRow = new Float64Array(frame.height);
  for (let row = 0; row < rankOfRow.length; row++) rankOfRow[row] = ranks[numbers[row]!]!;
  const members = Math.max(0, first.length - limit);
  // The id of the others is a text.
  const ids = entity.map((name) => idText(frame, name));
  const overGroups = ["both", "groups"].includes(adds(frame, field) ?? "");
  const counted = members > 0 && overGroups ? daysColumn(frame, field, fn) : undefined;
  const made = frame.withColumns(
    ...ids,
    ...counted === undefined ? [] : [pl.col(counted).cast(pl.Float64)],
    numberColumn("(rank)", rankOfRow),
    numberColumn("(time)", time),
  ).withColumn(pl.col("(time)").fillNan(pl.lit(null)));
  const isKept = pl.col("(rank)").lt(Infinity);
  if (members > 0 && !overGroups) {
    const why = whyNotAdded(frame, field) ?? "it is not known whether it adds up over entities";
    notify(`topN: ${field}: no row for the sum of the others: ${why}`);
  }
  const valueOf = (name: string): Expr => {
    if (entity.includes(name)) return pl.lit(OTHER.id);
    if (name === reading.label) return pl.lit(OTHER.name);
    if (name === field) return sumOrNull(pl.col(name));
    if (name === counted) return daysOfAll(field, name);
    if (["until", "(rank)", "(time)"].includes(name)) return pl.col(name).max();
    return name === "complete" ? pl.col(name).min() : pl.lit(null);
  };
  const dtypes = made.dtypes;
  const others = inGroups(
    made.filter(isKept.not().and(overGroups && members > 0)),
    dates,
    made.columns.flatMap((name, at) =>
      dates.includes(name) ? [] : [valueOf(name).cast(dtypes[at]!).alias(name)]
    ),
  ).filter(pl.col("(rank)").isNotNull());
  const table = pl.concat([made.filter(isKept), others.select(...made.columns)])
    .sort({ by: ["(time)", ...dates, "(rank)"], maintainOrder: true });
  const described = entity.map((name): [string, Column] => [
    name,
    { ...columnIn(frame, name) ?? describedColumn(name, { role: "id" }), rest: members },
  ]);
  return withProvenance(frame, table.select(...frame.columns), {
    fn,
    options,
    entity,
    first: [field],
    ...members > 0 && { columns: new Map(described) },
  });
}
