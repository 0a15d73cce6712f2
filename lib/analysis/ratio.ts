import { checkOptions, string } from "../platform/check_options.ts";
import { requireColumns } from "../table/require_columns.ts";
import { withProvenance } from "../table/show.ts";
import type { DataFrame } from "../table/polars.ts";
import { numberOfColumn, quotient, where } from "./columns.ts";

/**
 * Divides one column by another, row by row, for example to get fees per user or revenue per fee.
 *
 * Keeps the columns of the frame, and adds one:
 *
 * | column | dtype | |
 * |---|---|---|
 * | `as`, else `<numerator>_per_<denominator>` | Float64 | the quotient; null if a value is missing, the denominator is 0, or the quotient is not finite |
 *
 * polars itself would return Infinity or NaN for a denominator of 0. Both sort above every other number.
 *
 * @example Fees of 30 days per daily user, for each chain
 * ```ts
 * import { blockchainComparison, ratio } from "@chainframe/chainframe";
 *
 * const chains = await blockchainComparison();
 * const perUser = ratio(chains, "ecosystem_fees_30d_sum", "active_users_daily_latest", {
 *   as: "fees_per_user",
 * });
 * console.log(perUser.select("chain_id", "fees_per_user").toString());
 * ```
 *
 * @param frame any frame
 * @param numerator the name of the dividend column
 * @param denominator the name of the divisor column
 * @throws {RangeError} when the frame lacks one of the columns or already has a column named `as`, or `as` is empty.
 * @throws {TypeError} when one of the two columns is not numeric.
 * @category Analysis
 */
export function ratio(
  frame: DataFrame,
  numerator: string,
  denominator: string,
  options: {
    /**
     * The name of the new column.
     *
     * @default {both names, as in `fees_per_active_users`}
     */
    readonly as?: string;
  } = {},
): DataFrame {
  const { as = `${numerator}_per_${denominator}` } = checkOptions(options, { as: string }, "ratio");
  requireColumns(frame, {
    fn: "ratio",
    source: "a frame with the columns to divide",
    numbers: [numerator, denominator],
  });
  if (as === "") throw new RangeError('ratio: as: must name a column; got ""');
  if (frame.columns.includes(as)) {
    throw new RangeError(`ratio: as: the frame already has ${as}; pass another name`);
  }
  const divided = quotient(numberOfColumn(numerator), numberOfColumn(denominator));
  const finite = divided.abs().ltEq(Number.MAX_VALUE);
  return withProvenance(
    frame,
    frame.withColumn(where(finite, divided).alias(as)),
    "ratio",
  );
}
