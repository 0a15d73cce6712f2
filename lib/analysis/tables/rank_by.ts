import { boolean, checkOptions, required, string } from "../../platform/check_options.ts";
import { createWarn, notify } from "../../platform/terminal.ts";
import { columnIn, computedColumns } from "../../table/track/descriptions.ts";
import { partWindows, partWindowText } from "../../table/read/part_windows.ts";
import { withProvenance } from "../../table/show/show.ts";
import { type DataFrame, type Frame, pl } from "../../table/columns/polars.ts";
import { OTHER } from "../../table/read/largest.ts";
import { finiteNumbers } from "../../table/read/panel.ts";
import { whyNotAdded } from "../../table/read/adds.ts";
import { datesOf, refuseUnread } from "../../table/read/reading.ts";
import { noteTotal } from "../../table/read/totals.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import {
  type Expr,
  numberOfColumn,
  quotient,
  refuseTaken,
  shareOfTotal,
  valueWhere,
} from "../columnar.ts";

const warn = createWarn();
const ADDED = ["rank", "share", "cumulative_share"];

/** Returns the values to rank: those of all rows but the row `(other)` of `topN`, which is no entity. */
function ranking(frame: DataFrame, value: Expr): Expr {
  const names = frame.columns.filter((name) => columnIn(frame, name)?.rest !== undefined);
  return names.reduce((all, name) => valueWhere(pl.col(name).neq(pl.lit(OTHER.id)), all), value);
}

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
 * Rows without a value come last, in the frame's order, and have null in all three columns. The row `(other)` of `topN`
 * has a share but no rank, and comes last, too. If a value is negative, the total is 0, or the column is a change or an
 * index, `share` and `cumulative_share` are null. A notice names rows whose trend may compare with a window that is only
 * partly filled.
 *
 * @example Chains sorted by fees, with the share of each chain
 * ```ts
 * import { blockchainComparison, rankBy } from "@chainframe/chainframe";
 *
 * const ranked = rankBy(await blockchainComparison(), { field: "ecosystem_fees_30d_sum" });
 * console.log(ranked.select("chain_id", "rank", "share", "cumulative_share").toString());
 * ```
 *
 * @param frame any frame of one date
 * @throws {RangeError} when the frame has no such column, already has one of the three new columns, or has rows of several
 * dates or two rows of an entity, and when a value is infinite or larger than 1e300.
 * @throws {TypeError} when the column is not numeric.
 * @category Analysis
 */
export function rankBy(
  frame: DataFrame,
  options: {
    /** The column of numbers to rank by. */
    readonly field: string;
    /**
     * Whether the largest value comes first.
     *
     * @default {true}
     */
    readonly descending?: boolean;
  },
): Frame {
  const fn = "rankBy";
  const rules = { field: required(string), descending: boolean };
  const { field, descending = true } = checkOptions(options, rules, fn);
  requireColumns(frame, { fn, source: "a frame with the column to rank by", numbers: [field] });
  refuseTaken(frame, ADDED, fn);
  finiteNumbers(frame, { fn, field });
  refuseUnread(frame, fn);
  noteTotal(frame, { fn, field });
  const [date] = datesOf(frame, fn);
  const dates = date === undefined ? 1 : frame.getColumn(date).nUnique();
  if (dates > 1) {
    throw new RangeError(`${fn}: the frame has rows of ${dates} dates; keep those of one date`);
  }
  const notice = partWindowText(frame, partWindows(frame, [field]));
  if (notice !== null) warn(`${fn}: ${notice}`);
  const value = numberOfColumn(field);
  const reason = whyNotAdded(frame, field);
  if (reason !== null) notify(`${fn}: ${field}: has ranks and no shares: ${reason}`);
  const ranked = frame.withColumns(
    ranking(frame, value).rank("min", descending).cast(pl.Int64).alias("rank"),
    (reason === null ? shareOfTotal(value) : pl.lit(null).cast(pl.Float64)).alias("share"),
  ).sort({ by: ["rank"], nullsLast: true, maintainOrder: true });
  const held = pl.col("share").cumSum();
  // Divides by the sum of the shares, because rounding errors can make this sum differ from 1.
  const table = ranked.withColumn(quotient(held, held.max()).alias("cumulative_share"));
  return withProvenance(frame, table, {
    fn,
    options,
    first: [field, "rank", "share"],
    columns: computedColumns([["count", "rank"], ["fraction", "share", "cumulative_share"]]),
  });
}
