import { columnOf } from "../schema/columns.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import {
  type Expr,
  firstRow,
  GROUP,
  numberedGroups,
  numberOfColumn,
  numbersOf,
  refuseRepeats,
  refuseWhere,
} from "./columns.ts";

/** Maximum length of a curve in months: a century. */
export const LONGEST = 1200;

/** Throws a RangeError if a month, a retention, a size or a number of retained users is impossible. */
export function refuseImpossibleRows(rows: DataFrame, fn: string): void {
  const { month, retention, size, retained } = numbersOf("month", "retention", "size", "retained");
  const refuse = (rule: string, wrong: Expr) =>
    refuseWhere(rows, wrong, { message: `${fn}: ${rule}:` });
  refuse(
    `month is a whole number from 0 to ${LONGEST}`,
    month.isNull().or(month.lt(0)).or(month.gt(LONGEST)).or(month.neq(month.floor())),
  );
  refuse("retention lies between 0 and 1", retention.lt(0).or(retention.gt(1)));
  refuse("size is 0 or more", size.lt(0).or(size.gt(Number.MAX_VALUE)));
  if (!rows.columns.includes("retained")) return;
  refuse(
    "retained lies between 0 and size",
    retained.lt(0).or(retained.gt(size.mul(1 + 1e-9))),
  );
}

/** Throws a RangeError for a frame of `pooledRetention`, because its rows are not cohorts. */
export function refusePooled(frame: DataFrame, fn: string): void {
  if (!pl.DataFrame.isDataFrame(frame) || !frame.columns.includes("at_risk")) return;
  throw new RangeError(
    `${fn}: expected a frame of retentionCurves, got one of pooledRetention; pass the curves, ` +
      `as in ${fn}(curves, { by: "market_sector_id" })`,
  );
}

/** One observed month of a curve. */
export interface CurveMonth {
  readonly month: number;
  readonly retention: number;
  readonly size: number;
  /** The number of users who were active in the previous observed month. Unknown in month 0. */
  readonly atRisk: number;
  /** The number of the users in `atRisk` who are no longer active. */
  readonly lost: number;
}

/** Returns whether a column helps to identify a curve. Columns of values, notes and months do not. */
export function isKey(name: string): boolean {
  const role = columnOf(name)?.role;
  return role !== "value" && role !== "note" && name !== "month";
}

/**
 * Reads the curves of a frame: pooled curves, or one curve per cohort. Returns the rows sorted by curve and month.
 * Curves keep the order in which they first appear. The column `(group)` is the number of the curve, and `keys` has one
 * row per curve. If `at_risk` and `lost` are missing, they are computed from `size` and `retention`, as for a single
 * cohort. Before the first observed month, the retention of a curve is assumed to be 1.
 */
export function curveTable(frame: DataFrame, fn: string): { rows: DataFrame; keys: DataFrame } {
  requireColumns(frame, {
    fn,
    source: "a frame of pooledRetention",
    numbers: ["month", "size", "retention"],
  });
  const columns = frame.columns.filter(isKey);
  refuseImpossibleRows(frame, fn);
  refuseRepeats(frame, [...columns, "month"], { fn, then: "; pool the curves first" });
  const { size, retention } = numbersOf("size", "retention");
  const before = pl.col("(before)");
  const whole = before.fillNull(pl.lit(1));
  const counted = ["at_risk", "lost"].every((name) => frame.columns.includes(name));
  const users = (name: string, derived: Expr) =>
    pl.when(pl.col("month").eq(0)).then(pl.lit(null))
      .when(before.isNull().or(pl.lit(!counted))).then(derived)
      .otherwise(counted ? numberOfColumn(name) : pl.lit(null)).alias(name);
  const rows = frame.withRowIndex("(row)")
    .withColumn(firstRow(columns).cast(pl.Float64).alias(GROUP))
    .withColumn(pl.col(GROUP).rank("dense").minus(1).cast(pl.Float64))
    .sort([GROUP, "month"])
    .withColumn(retention.forwardFill().shift(1).over(GROUP).alias("(before)"))
    .withColumns(
      users("at_risk", size.mul(whole)),
      users("lost", size.mul(whole.minus(retention))),
    );
  return { rows, keys: numberedGroups(frame, columns) };
}
