import { checkOptions, required, string } from "../../platform/check_options.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { computedColumn, titleIn } from "../../table/track/descriptions.ts";
import { withProvenance } from "../../table/show/show.ts";
import type { DataFrame, Frame } from "../../table/columns/polars.ts";
import { numberOfColumn, quotient } from "../columnar.ts";

const RULES = { numerator: required(string), denominator: required(string), name: string };

/**
 * Divides one column by another, row by row, for example to get fees per user or a take rate (revenue per fee).
 *
 * Keeps the columns of the frame, and adds one:
 *
 * | column | dtype | |
 * |---|---|---|
 * | `name`, else `<numerator>_per_<denominator>` | Float64 | the quotient; null if a value is missing, the denominator is 0, or the quotient is not finite |
 *
 * polars itself would return Infinity or NaN for a denominator of 0. Both sort above every other number.
 *
 * @example Fees of 30 days per daily user, for each chain
 * ```ts
 * import { blockchainComparison, ratio } from "@chainframe/chainframe";
 *
 * const chains = await blockchainComparison();
 * const perUser = ratio(chains, {
 *   numerator: "ecosystem_fees_30d_sum",
 *   denominator: "active_users_daily_latest",
 *   name: "fees_per_user",
 * });
 * console.log(perUser.select("chain_id", "fees_per_user").toString());
 * ```
 *
 * @param frame any frame
 * @throws {RangeError} when the frame lacks one of the columns or already has a column `name`, or `name` is empty.
 * @throws {TypeError} when one of the two columns is not numeric.
 * @category Analysis
 */
export function ratio(
  frame: DataFrame,
  options: {
    /** The column to divide. */
    readonly numerator: string;
    /** The column to divide by. */
    readonly denominator: string;
    /**
     * The name of the new column.
     *
     * @default {both names, as in `fees_per_active_users`}
     */
    readonly name?: string;
  },
): Frame {
  const { numerator, denominator, ...given } = checkOptions(options, RULES, "ratio");
  const { name = `${numerator}_per_${denominator}` } = given;
  requireColumns(frame, {
    fn: "ratio",
    source: "a frame with the columns to divide",
    numbers: [numerator, denominator],
  });
  if (name === "") throw new RangeError('ratio: name: must name a column; got ""');
  if (frame.columns.includes(name)) {
    throw new RangeError(`ratio: name: the frame already has ${name}; pass another name`);
  }
  const divided = quotient(numberOfColumn(numerator), numberOfColumn(denominator));
  const column = computedColumn(name, "number");
  const title = given.name === undefined
    ? `${titleIn(frame, numerator)} per ${titleIn(frame, denominator).toLowerCase()}`
    : column.title;
  return withProvenance(
    frame,
    frame.withColumn(divided.alias(name)),
    {
      fn: "ratio",
      options,
      first: [name],
      columns: new Map([[name, { ...column, title }]]),
      of: [numerator, denominator],
    },
  );
}
