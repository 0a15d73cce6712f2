import { counted } from "../../platform/terminal.ts";
import { checkOptions, required, string } from "../../platform/check_options.ts";
import { columnIn, computedColumns } from "../../table/track/descriptions.ts";
import { withProvenance } from "../../table/show/show.ts";
import { restOf } from "../../table/read/largest.ts";
import { type DataFrame, type Frame, pl } from "../../table/build/polars.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { numberOfColumn, refuseWhere, shareOfTotal, sumOrNull, valueWhere } from "../columnar.ts";

/** A sum of shares above this limit is more than half. The tolerance allows for rounding errors. */
const MORE_THAN_HALF = 0.5 + 1e-12;

/**
 * Measures how concentrated the values of a column are, by the HHI, the shares of the largest values, and the Gini and
 * Nakamoto coefficients.
 *
 * Returns one row:
 *
 * | column | dtype | |
 * |---|---|---|
 * | `count` | Int64 | number of values; nulls are skipped |
 * | `total` | Float64 | sum of the values; null if there are no values |
 * | `hhi` | Float64 | the Herfindahl-Hirschman index, the sum of the squared shares (Herfindahl 1950; Hirschman 1964, American Economic Review 54, 761): 1 / `count` if all values are equal, 1 if all values but one are 0 |
 * | `top_1_share`, `top_3_share` | Float64 | the share of the largest value, and the share of the three largest values (of all values if there are fewer than three) |
 * | `gini` | Float64 | the Gini coefficient: 0 if all values are equal, 1 - 1 / `count` if all values but one are 0 |
 * | `nakamoto` | Int64 | the Nakamoto coefficient: the smallest number of values whose sum is more than half of the total (Srinivasan and Lee 2017) |
 * | `effective_number` | Float64 | 1 / `hhi`: the number of equal values that would have the same HHI (Laakso and Taagepera 1979) |
 *
 * If there is no value, or if the total is 0, all columns except the first two are null.
 *
 * @example Do few chains earn most of the fees?
 * ```ts
 * import { blockchainComparison, concentration } from "@chainframe/chainframe";
 *
 * const fees = concentration(await blockchainComparison(), { field: "ecosystem_fees_30d_sum" });
 * console.log(fees.toString()); // count, total, hhi, top_1_share, gini, …
 * ```
 *
 * @param frame any frame
 * @throws {RangeError} when the frame has no such column, a value is negative or infinite, or the frame has the row
 * `(other)` of `topN`.
 * @throws {TypeError} when the column is not numeric.
 * @category Analysis
 */
export function concentration(frame: DataFrame, options: {
  /** The column of numbers, 0 or more. */
  readonly field: string;
}): Frame {
  const { field } = checkOptions(options, { field: required(string) }, "concentration");
  requireColumns(frame, {
    fn: "concentration",
    source: "a frame with the column to compute on",
    numbers: [field],
  });
  const rest = restOf(frame);
  if (rest > 0) {
    throw new RangeError(
      `concentration: topN left ${counted(rest, "entity", "entities")} out; call concentration ` +
        "before topN",
    );
  }
  const value = numberOfColumn(field);
  refuseWhere(frame, value.lt(0).or(value.abs().gt(Number.MAX_VALUE)), {
    message: `concentration: ${field}: expected finite values of 0 or more; got`,
    shown: [field],
  });
  const parts = frame.select(value.alias("value"), shareOfTotal(value).alias("share"))
    .filter(pl.col("value").isNotNull()).sort({ by: "share", descending: true })
    .withRowIndex("(row)");
  const count = parts.height;
  const share = pl.col("share");
  const hhi = share.mul(share).sum().clip(1 / count, 1);
  // The Gini coefficient is half the mean difference between two shares, relative to the mean share (Gini 1912). The
  // shares are a whole population, not a sample, so the factor n / (n - 1) is not applied.
  const rank = pl.col("(row)").cast(pl.Float64).mul(-2).plus(count - 1);
  const gini = rank.mul(share).sum().div(count).div(share.sum()).clip(0, 1 - 1 / count);
  const figures = {
    // `clip` limits a figure to its possible range, which rounding errors can exceed.
    hhi,
    top_1_share: share.first(),
    top_3_share: share.head(3).sum().clip(0, 1),
    gini,
    nakamoto: share.cumSum().ltEq(MORE_THAN_HALF).sum().plus(1).cast(pl.Int64),
    effective_number: hhi.pow(-1),
  };
  const table = parts.select(
    pl.len().cast(pl.Int64).alias("count"),
    sumOrNull(pl.col("value")).alias("total"),
    ...Object.entries(figures).map(([name, figure]) =>
      valueWhere(share.count().gt(0), figure).alias(name)
    ),
  );
  return withProvenance(frame, table, {
    fn: "concentration",
    options,
    first: ["hhi", "gini", "nakamoto", "top_1_share"],
    columns: computedColumns([
      ["count", "count", "nakamoto"],
      ["field", "total"],
      ["fraction", "top_1_share", "top_3_share"],
      ["statistic", "hhi", "gini", "effective_number"],
    ], columnIn(frame, field)),
  });
}
