import { type DataFrame, pl } from "../table/polars.ts";
import { withProvenance } from "../table/show.ts";
import { type Expr, numbersOf, refuseWhere, sumOrNull, where } from "./columns.ts";
import { type contributions, panelOptions } from "./contributions.ts";
import { unitPanel } from "./unit_panel.ts";

/**
 * Returns each unit's share of the total at each date, and the changes of concentration.
 *
 * Returns one row per date and unit, sorted by date:
 *
 * | column | dtype | |
 * |---|---|---|
 * | `date` | Date | the first day of the period |
 * | the column of units | String | the unit |
 * | `share` | Float64 | the value as a fraction of the total; null if the value is null, or the total is 0 |
 * | `total` | Float64 | the sum of all values of the date, without nulls |
 * | `hhi` | Float64 | the Herfindahl-Hirschman index: the sum of the squared shares |
 * | `hhi_entry` | Float64 | change of `hhi` due to units that enter: Σ s₁² over units whose share in the previous period is null or 0, where s₁ is the share in this period |
 * | `hhi_exit` | Float64 | change of `hhi` due to units that leave: −Σ s₀² over units whose share in this period is null or 0, where s₀ is the share in the previous period |
 * | `hhi_shift` | Float64 | change of `hhi` due to units with a share above 0 in both periods: Σ (s₁² − s₀²) |
 * | `complete` | Boolean | whether the period is complete; always true if the frame has no column `complete` |
 *
 * The columns `hhi_entry`, `hhi_exit` and `hhi_shift` add up to the change of `hhi`. These columns are null in the
 * first period. They are also null if the previous period is missing, or if one of the two periods is incomplete.
 *
 * @example Did fees become more concentrated?
 * ```ts
 * import { shares, timeline } from "@chainframe/chainframe";
 *
 * const fees = await timeline({
 *   metric_ids: ["fees"],
 *   group_by: "chains",
 *   every: "month",
 *   from: "2025-01",
 *   to: "2025-06",
 * });
 * const result = shares(fees, { field: "fees_sum" });
 * console.log(result.select("date", "data_id", "share", "hhi", "hhi_shift").toString());
 * ```
 *
 * @param frame a frame of units over time, such as one of `timeline`
 * @throws {RangeError} when columns are missing, a value is negative or infinite, `field` does not add up over units
 * (one user can count in several units), or a unit has two rows with the same date.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function shares(frame: DataFrame, options: Parameters<typeof contributions>[1]): DataFrame {
  const { unit, rows, previous } = unitPanel(frame, panelOptions(options, "shares"));
  const { field } = options;
  const value = pl.col(field);
  refuseWhere(rows, value.lt(0).or(value.eq(Infinity)), {
    message: "shares: field: shares need finite values of 0 or more; got",
    shown: [field, unit, "date"],
  });
  const { "(total)": total, share, "(was)": was } = numbersOf("(total)", "share", "(was)");
  const squares = (shares: Expr, condition: Expr) =>
    where(condition, shares.mul(shares)).sum().over("date");
  const known = pl.col("(known)").and(total.gt(0)).and(previous(total).gt(0));
  const [is, before] = [share, was].map((each) => each.gt(0).fillNull(pl.lit(false))) as [
    Expr,
    Expr,
  ];
  const stays = is.and(before);
  const result = rows.withColumn(sumOrNull(value).over("date").alias("(total)"))
    .withColumn(where(total.gt(0), value.div(total)).alias("share"))
    .withColumn(previous(share).alias("(was)"))
    .select(
      pl.col("date"),
      pl.col(unit),
      share,
      total.alias("total"),
      where(total.gt(0), squares(share, is)).alias("hhi"),
      where(known, squares(share, is.and(before.not()))).alias("hhi_entry"),
      where(known, pl.lit(0).minus(squares(was, before.and(is.not())))).alias("hhi_exit"),
      where(known, squares(share, stays).minus(squares(was, stays))).alias("hhi_shift"),
      pl.col("(complete)").alias("complete"),
    );
  return withProvenance(frame, result, "shares");
}
