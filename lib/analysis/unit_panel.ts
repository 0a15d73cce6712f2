import { columnOf } from "../schema/columns.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { type Expr, inGroups, numberOfColumn, refuseRepeats } from "./columns.ts";

/** The names of the columns of values, units and dates, and of the calling function. */
interface PanelColumns {
  readonly fn: string;
  readonly fields: readonly string[];
  readonly unit?: string | undefined;
  readonly date?: string | undefined;
}

/** Returns the column of units: the given column, else `data_id`, else the only column of ids. */
function unitColumn(frame: DataFrame, { fn, unit }: PanelColumns): string {
  if (unit !== undefined) return unit;
  if (frame.columns.includes("data_id")) return "data_id";
  const ids = frame.columns.filter((name) => /_id$/.test(name));
  if (ids.length === 1) return ids[0]!;
  const found = ids.length === 0 ? "no column name ends in _id" : `several do: ${ids.join(", ")}`;
  throw new RangeError(`${fn}: unit: must name the column of entities; ${found}`);
}

/**
 * Reads a frame as values of units over time. `unit` is the name of the column of units, and `count` is the number of
 * units. `previous` returns, for each row, the value of the row's unit at the previous date of the frame.
 *
 * `rows` has one row per date and unit, sorted by date, then by first appearance of the unit. The columns are `date`,
 * the unit, the fields, and three columns of the period. `(end)` is the last day of the period, or `date` if the frame
 * has no `until`. `(complete)` is the column `complete`, or true if the frame has no such column. `(known)` is true if
 * this period and the period directly before it are complete.
 */
export function unitPanel(frame: DataFrame, columns: PanelColumns) {
  const { fn, fields, date = "date" } = columns;
  const source = "a frame of units over time";
  requireColumns(frame, { fn, source, columns: [date] });
  const unit = unitColumn(frame, columns);
  const dtypes = { [date]: "Date" };
  requireColumns(frame, { fn, source, columns: [unit], dtypes, numbers: fields });
  for (const name of [date, unit]) {
    const column = frame.getColumn(name);
    if (column.nullCount() === 0) continue;
    const row = column.toArray().findIndex((value) => value === null);
    throw new RangeError(`${fn}: ${name}: must not be null; got null in row ${row}`);
  }
  refuseRepeats(frame, [unit, date], { fn, then: "; keep one, or name another unit" });
  const has = (name: string) => frame.columns.includes(name);
  const values = frame.select(
    pl.col(date).cast(pl.Date).alias("date"),
    pl.col(unit).cast(pl.Utf8),
    ...fields.map(numberOfColumn),
    (has("until") ? pl.col("until") : pl.lit(null)).cast(pl.Date).alias("(end)"),
    (has("complete") ? pl.col("complete").fillNull(pl.lit(false)) : pl.lit(true))
      .alias("(complete)"),
  );
  const day = (name: string) => pl.col(name).cast(pl.Int64);
  const adjacent = day("(end)").shift(1).plus(1).eq(day("date"));
  const both = pl.col("(complete)").and(pl.col("(complete)").shift(1));
  const dates = inGroups(values, ["date"], [
    pl.col("(end)").dropNulls().last(),
    pl.col("(complete)").min(),
  ]).sort("date").withColumn(pl.col("(end)").fillNull(pl.col("date")))
    .withColumn(
      (has("until") ? both.and(adjacent) : both).fillNull(pl.lit(false)).alias("(known)"),
    );
  const units = values.select(unit).unique({ maintainOrder: true });
  const rows = dates.join(units, { how: "cross" }).withRowIndex("(row)")
    .join(values.drop("(end)", "(complete)"), { on: ["date", unit], how: "left" })
    .sort("(row)");
  return { unit, count: units.height, rows, previous: (value: Expr) => value.shift(1).over(unit) };
}

/** Values of units over time. */
export type UnitPanel = ReturnType<typeof unitPanel>;

/** Throws a RangeError if a column cannot be added over units. Unknown columns are assumed to be additive. */
export function refuseNotAdditive(field: string, fn: string): void {
  const column = columnOf(field);
  if (column === undefined || column.addsOverGroups || column.unit === null) return;
  const reason = column.unit === "users" || column.unit === "addresses"
    ? "a user can be counted in several of them"
    : `it is a ${column.unit}`;
  throw new RangeError(
    `${fn}: field: must be a column that adds up over entities; got ${field}: ${reason}`,
  );
}
