import { boolean, checkOptions } from "../platform/check_options.ts";
import { withProvenance } from "../table/show.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { numberOfColumn, quotient, shareOfTotal } from "./columns.ts";

const ADDED = ["rank", "share", "cumulative_share"];

/**
 * Sorts a frame by one of its columns, and adds each row's rank and share.
 *
 * Keeps the columns of the frame, and adds three:
 *
 * | column | dtype | |
 * |---|---|---|
 * | `rank` | Int64 | 1 for the first row; equal values share the smaller rank (1, 2, 2, 4) and keep the frame's order |
 * | `share` | Float64 | the value as a fraction of the total of all values that are not null |
 * | `cumulative_share` | Float64 | the sum of `share` from the first row to this row; exactly 1 in the last row with a value |
 *
 * Rows without a value come last, in the frame's order, and have null in all three columns. If a value is negative or
 * the total is 0, `share` and `cumulative_share` are null in every row.
 *
 * @example Chains sorted by fees, with the share of each chain
 * ```ts
 * import { blockchainComparison, rankBy } from "@chainframe/chainframe";
 *
 * const ranked = rankBy(await blockchainComparison(), "ecosystem_fees_30d_sum");
 * console.log(ranked.select("chain_id", "rank", "share", "cumulative_share").toString());
 * ```
 *
 * @param frame any frame
 * @param field the name of a column of numbers
 * @throws {RangeError} when the frame has no such column, or already has one of the three new columns.
 * @throws {TypeError} when the column is not numeric.
 * @category Analysis
 */
export function rankBy(
  frame: DataFrame,
  field: string,
  options: {
    /**
     * Whether the largest value comes first.
     *
     * @default {true}
     */
    readonly descending?: boolean;
  } = {},
): DataFrame {
  const { descending = true } = checkOptions(options, { descending: boolean }, "rankBy");
  requireColumns(frame, {
    fn: "rankBy",
    source: "a frame with the column to rank by",
    numbers: [field],
  });
  const taken = ADDED.filter((name) => frame.columns.includes(name));
  if (taken.length > 0) {
    throw new RangeError(
      `rankBy: the frame already has ${taken.join(", ")}; rename or drop the column`,
    );
  }
  const value = numberOfColumn(field);
  const ranked = frame.withColumns(
    value.rank("min", descending).cast(pl.Int64).alias("rank"),
    shareOfTotal(value).alias("share"),
  ).sort({ by: "rank", nullsLast: true, maintainOrder: true });
  const held = pl.col("share").cumSum();
  // Divides by the sum of the shares, because rounding errors can make this sum differ from 1.
  return withProvenance(
    frame,
    ranked.withColumn(quotient(held, held.max()).alias("cumulative_share")),
    "rankBy",
  );
}
