import { checkOptions, string } from "../platform/check_options.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { withProvenance } from "../table/show.ts";
import { type Expr, where } from "./columns.ts";
import { refuseNotAdditive, unitPanel } from "./unit_panel.ts";

/** Checks the options of a function that divides a total among units. */
export function panelOptions(options: object, fn: string) {
  const { field, unit, date } = checkOptions(
    options,
    { field: string, unit: string, date: string },
    fn,
  );
  if (field === undefined) throw new RangeError(`${fn}: field: is required, got undefined`);
  refuseNotAdditive(field, fn);
  return { fn, fields: [field], unit, date };
}

/**
 * Divides the growth of a total among its units.
 *
 * Returns one row per date and unit, sorted by date:
 *
 * | column | dtype | |
 * |---|---|---|
 * | `date` | Date | the first day of the period |
 * | the column of units | String | the unit |
 * | `contribution` | Float64 | `(v_t - v_(t-1)) / total_(t-1)`: the change of the unit's value v, as a fraction of the previous total; 0.02 is 2 percentage points of growth |
 * | `total` | Float64 | the relative change of the total, which is the sum of all contributions on the date |
 * | `left_out` | Int64 | number of units that are left out of the current and of the previous total, because their value is null in one of the two periods; null if there is no previous period |
 *
 * `contribution` is null if the unit's value is null in the period or in the previous period. `contribution` and
 * `total` are null in the first period. They are also null if the previous period is missing, if one of the two periods
 * is incomplete, or if the previous total is not above 0.
 *
 * @example Which chains drove the growth of fees?
 * ```ts
 * import { contributions, timeline } from "@chainframe/chainframe";
 *
 * const fees = await timeline({
 *   metric_ids: ["fees"],
 *   group_by: "chains",
 *   every: "month",
 *   from: "2025-01",
 *   to: "2025-06",
 * });
 * console.log(contributions(fees, { field: "fees_sum" }).toString());
 * ```
 *
 * @param frame a frame of units over time, such as one of `timeline`
 * @throws {RangeError} when columns are missing, `field` does not add up over units (one user can count in several
 * units), or a unit has two rows with the same date.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function contributions(frame: DataFrame, options: {
  /** The column of values: sums, or levels such as TVL. */
  readonly field: string;
  /**
   * The column that names the units.
   *
   * @default {`data_id`, else the only column whose name ends in `_id`}
   */
  readonly unit?: string;
  /**
   * The column of dates.
   *
   * @default {"date"}
   */
  readonly date?: string;
}): DataFrame {
  const { unit, rows, previous } = unitPanel(frame, panelOptions(options, "contributions"));
  const [is, was, known] = [pl.col(options.field), pl.col("(was)"), pl.col("(known)")];
  const growth = is.minus(was);
  const both = growth.isFinite().fillNull(pl.lit(false));
  const sum = (value: Expr) => where(both, value).sum().over("date");
  const part = (value: Expr) => where(sum(was).gt(0), value.div(sum(was)));
  const seen = is.isNotNull().or(was.isNotNull());
  const leftOut = seen.and(both.not()).sum().over("date");
  const result = rows.withColumn(where(known, previous(is)).alias("(was)")).select(
    pl.col("date"),
    pl.col(unit),
    part(growth).alias("contribution"),
    part(sum(growth)).alias("total"),
    where(known, leftOut).cast(pl.Int64).alias("left_out"),
  );
  return withProvenance(frame, result, "contributions");
}
