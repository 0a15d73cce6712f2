import { boolean, checkOptions, required, string } from "../../platform/check_options.ts";
import { createWarn } from "../../platform/terminal.ts";
import { columnIn, computedColumns } from "../../table/track/descriptions.ts";
import { partWindows, partWindowText } from "../../table/read/part_windows.ts";
import { withProvenance } from "../../table/show/show.ts";
import { type DataFrame, type Frame, pl } from "../../table/build/polars.ts";
import { OTHER } from "../../table/read/largest.ts";
import { finiteNumbers } from "../../table/read/panel.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import {
  type Expr,
  firstRow,
  numberOfColumn,
  quotient,
  refuseTaken,
  shareOfTotal,
  valueWhere,
} from "../columnar.ts";
import { columnNames } from "../timeline_series.ts";

const RULES = { by: columnNames, descending: boolean };
const warn = createWarn();
const ADDED = ["rank", "share", "cumulative_share"];

/** Returns the values to rank: those of all rows but the row `(other)` of `topN`, which is no entity. */
function ranking(frame: DataFrame, value: Expr): Expr {
  const names = frame.columns.filter((name) => columnIn(frame, name)?.rest !== undefined);
  return names.reduce((all, name) => valueWhere(pl.col(name).neq(pl.lit(OTHER.id)), all), value);
}

/**
 * Sorts a frame by one of its columns, and adds each row's rank and share, in the whole frame or within groups.
 *
 * Keeps the columns of the frame, and adds three:
 *
 * | column | dtype | |
 * |---|---|---|
 * | `rank` | Int64 | 1 for the first row; equal values share the smaller rank (1, 2, 2, 4) and keep the frame's order |
 * | `share` | Float64 | the value as a fraction of the total of all values that are not null |
 * | `cumulative_share` | Float64 | the sum of `share` from the first row to this row; exactly 1 in the last row with a value |
 *
 * With `by`, each group has its own ranks, shares and total, and groups keep the order of their first rows. Rows without
 * a value come last in their group, in the frame's order, and have null in all three columns. The row `(other)` of `topN`
 * has a share but no rank, and comes last, too. If a value is negative,
 * the total is 0, or the column is a change or an index, `share` and `cumulative_share` are null in every row of the
 * group. A notice names rows whose trend may compare with a window that is only partly filled.
 *
 * @example Chains sorted by fees, with the share of each chain
 * ```ts
 * import { blockchainComparison, rankBy } from "@chainframe/chainframe";
 *
 * const ranked = rankBy(await blockchainComparison(), { field: "ecosystem_fees_30d_sum" });
 * console.log(ranked.select("chain_id", "rank", "share", "cumulative_share").toString());
 * ```
 *
 * @example The rank of each chain in each month
 * ```ts
 * import { rankBy, timeline } from "@chainframe/chainframe";
 *
 * const fees = await timeline({ metric_ids: ["fees"], group_by: "chains", every: "month", from: "2026-01" });
 * const ranked = rankBy(fees, { field: "fees_sum", by: "date" });
 * console.log(ranked.select("date", "data_id", "rank", "share").toString());
 * ```
 *
 * @param frame any frame
 * @throws {RangeError} when the frame has no such column, or already has one of the three new columns, or when a value is
 * infinite or larger than 1e300.
 * @throws {TypeError} when the column is not numeric.
 * @category Analysis
 */
export function rankBy(
  frame: DataFrame,
  options: {
    /** The column of numbers to rank by. */
    readonly field: string;
    /**
     * The columns of groups: `"date"` ranks within each period.
     *
     * @default {none: one group}
     */
    readonly by?: string | readonly string[];
    /**
     * Whether the largest value comes first.
     *
     * @default {true}
     */
    readonly descending?: boolean;
  },
): Frame {
  const rules = { field: required(string), ...RULES };
  const { field, by = [], descending = true } = checkOptions(options, rules, "rankBy");
  const source = "a frame with the column to rank by";
  requireColumns(frame, { fn: "rankBy", source, numbers: [field] });
  requireColumns(frame, { fn: "rankBy: by", source: "columns of the frame", columns: by });
  refuseTaken(frame, ADDED, "rankBy");
  if (frame.columns.includes("date") && !by.includes("date")) {
    const dates = frame.getColumn("date").nUnique();
    if (dates > 1) {
      warn(
        `rankBy: rows of ${dates} dates are ranked together; by: "date" ranks within each date`,
        "dates",
      );
    }
  }
  const notice = partWindowText(frame, partWindows(frame, [field]));
  if (notice !== null) warn(`rankBy: ${notice}`);
  finiteNumbers(frame, { fn: "rankBy", field });
  const value = numberOfColumn(field);
  // The sum of changes has no meaning.
  const adds = !["change", "index"].includes(columnIn(frame, field)?.unit ?? "");
  const numbered = frame.withRowIndex("(row)").withColumn(firstRow(by).alias("(group)"));
  const within = (each: Expr) => each.over("(group)");
  const ranked = numbered.withColumns(
    within(ranking(frame, value).rank("min", descending)).cast(pl.Int64).alias("rank"),
    (adds ? within(shareOfTotal(value)) : pl.lit(null).cast(pl.Float64)).alias("share"),
  ).sort({ by: ["(group)", "rank"], nullsLast: true, maintainOrder: true });
  const held = pl.col("share").cumSum();
  // Divides by the sum of the shares, because rounding errors can make this sum differ from 1.
  return withProvenance(
    frame,
    ranked.withColumn(within(quotient(held, held.max())).alias("cumulative_share"))
      .drop("(row)", "(group)"),
    {
      fn: "rankBy",
      options,
      first: [field, "rank", "share"],
      columns: computedColumns([["count", "rank"], ["fraction", "share", "cumulative_share"]]),
    },
  );
}
