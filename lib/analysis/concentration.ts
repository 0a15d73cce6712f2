import { withProvenance } from "../table/show.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { columnsOf, numberOfColumn, shareOfTotal, tableOf } from "./columns.ts";
import { sumOf } from "./sums.ts";

function refuseNoParts(frame: DataFrame, field: string): void {
  const value = numberOfColumn(field);
  const [row] = frame.select(value.alias(field))
    .filter(pl.col(field).lt(0).or(pl.col(field).abs().gt(Number.MAX_VALUE))).rows();
  if (row === undefined) return;
  throw new RangeError(
    `concentration: ${field}: expected finite values of 0 or more; got ${row[0]}`,
  );
}

/** Returns the Herfindahl-Hirschman index of shares. Rounding errors are clamped to its bounds. */
function herfindahl(shares: readonly number[]): number {
  const index = sumOf(shares.map((share) => share * share));
  return Math.min(1, Math.max(1 / shares.length, index));
}

/**
 * Returns the Gini coefficient of shares that are sorted largest first (Gini 1912). It is half the mean difference
 * between two shares, relative to the mean share. The shares are a whole population, so the factor n / (n - 1) is not
 * applied.
 */
function gini(shares: readonly number[]): number {
  const count = shares.length;
  const weighted = shares.map((share, index) => (count - 1 - 2 * index) * share);
  return Math.min(1 - 1 / count, Math.max(0, sumOf(weighted) / count / sumOf(shares)));
}

/** The limit for more than half. The tolerance allows for the rounding error of an exact half. */
const MORE_THAN_HALF = 0.5 + 1e-12;

/** Returns the smallest number of shares that add up to more than half. */
function nakamoto(shares: readonly number[]): number {
  let held = 0;
  return 1 + shares.findIndex((share) => (held += share) > MORE_THAN_HALF);
}

/**
 * Measures the concentration of a column: HHI, shares of the largest values, Gini coefficient, Nakamoto coefficient.
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
 * | `effective_number` | Float64 | 1 / `hhi`: number of equal parts with the same index (Laakso and Taagepera 1979) |
 *
 * If there is no value, or if the total is 0, all columns except the first two are null.
 *
 * @example Do few chains earn most of the fees?
 * ```ts
 * import { blockchainComparison, concentration } from "@chainframe/chainframe";
 *
 * const fees = concentration(await blockchainComparison(), "ecosystem_fees_30d_sum");
 * console.log(fees.toString()); // count, total, hhi, top_1_share, gini, …
 * ```
 *
 * @param frame any frame
 * @param field the name of a column of numbers, 0 or more
 * @throws {RangeError} when the frame has no such column, or a value is negative or infinite.
 * @throws {TypeError} when the column is not numeric.
 * @category Analysis
 */
export function concentration(frame: DataFrame, field: string): DataFrame {
  requireColumns(frame, {
    fn: "concentration",
    source: "a frame with the column to compute on",
    numbers: [field],
  });
  refuseNoParts(frame, field);
  const value = numberOfColumn(field);
  const values = frame.select(value.alias("value"), shareOfTotal(value).alias("share"))
    .filter(pl.col("value").isNotNull()).sort({ by: "share", descending: true });
  const count = values.height;
  const total = count === 0 ? null : sumOf(values.getColumn("value").toArray() as number[]);
  const shares = values.getColumn("share").dropNulls().toArray() as number[];
  const hhi = herfindahl(shares);
  const figures = {
    hhi,
    top_1_share: sumOf(shares.slice(0, 1)),
    top_3_share: Math.min(1, sumOf(shares.slice(0, 3))),
    gini: gini(shares),
    nakamoto: nakamoto(shares),
    effective_number: 1 / hhi,
  };
  const table = tableOf([{ count, total, ...shares.length === 0 ? {} : figures }], {
    count: "whole",
    ...columnsOf("number", ["total", "hhi", "top_1_share", "top_3_share", "gini"]),
    nakamoto: "whole",
    effective_number: "number",
  });
  return withProvenance(frame, table, "concentration");
}
