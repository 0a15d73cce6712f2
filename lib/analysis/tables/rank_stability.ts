import { checkOptions, oneOf, required } from "../../platform/check_options.ts";
import { COMPARISON_FIELDS, type ComparisonField } from "../../schema/comparison_fields.ts";
import { requireColumns } from "../../table/read/require_columns.ts";
import { withProvenance } from "../../table/show/show.ts";
import { type DataFrame, type Frame, pl } from "../../table/build/polars.ts";
import { arraysIn, numberOfColumn, tableOf } from "../columns.ts";

function windowed(measure: string): ComparisonField[] {
  const fields = COMPARISON_FIELDS.filter((field) =>
    field.measure === measure && field.window !== null
  );
  const sums = fields.filter(({ statistic }) => statistic === "sum");
  return sums.length > 0 ? sums : fields;
}

const MEASURES = [
  ...new Set(
    COMPARISON_FIELDS.filter(({ window }) => window !== null).map((field) => field.measure),
  ),
];
const RULES = { field: required(oneOf(MEASURES)) };

/** Returns the sign of `a - b`, or 0 if both are the same infinity, where `a - b` would be NaN. */
function compared(a: number, b: number): number {
  return Number(a > b) - Number(a < b);
}

/** Returns Kendall's tau-b, which corrects for ties. Returns NaN if all `xs` or all `ys` are equal. */
function kendall(xs: ArrayLike<number>, ys: ArrayLike<number>): number {
  let [agreeing, one, other] = [0, 0, 0];
  for (let i = 0; i < xs.length; i++) {
    for (let j = 0; j < i; j++) {
      const [dx, dy] = [compared(xs[i]!, xs[j]!), compared(ys[i]!, ys[j]!)];
      agreeing += dx * dy;
      one += dx * dx;
      other += dy * dy;
    }
  }
  return clamped(agreeing / Math.sqrt(one * other));
}

/** Limits a correlation to the range from -1 to 1, which rounding errors can exceed. */
function clamped(correlation: number): number {
  return Math.min(1, Math.max(-1, correlation));
}

/**
 * Compares the rankings of chains over short and long windows. Returns one row per pair of windows.
 *
 * | column | dtype | |
 * |---|---|---|
 * | `window`, `other` | String | the two windows, with the shorter window first: `1d`, `7d`, `30d`, `90d`, `180d`, `365d`, and `max` for sums |
 * | `count` | Int64 | number of chains with a value in both windows; other chains are left out |
 * | `spearman` | Float64 | Spearman's rho, -1 to 1: the correlation of the ranks; equal values share the mean of their ranks (Spearman 1904) |
 * | `kendall` | Float64 | Kendall's tau-b, -1 to 1: the fraction of pairs of chains that have the same order in both windows, minus the fraction of pairs that have the opposite order, corrected for ties (Kendall 1945, Biometrika 33, 239) |
 *
 * For `transaction_count`, fees, revenue and trading volume, chains are ranked by the sum over the window. Levels
 * (`ecosystem_tvl`, `active_users_daily`, …) have no sums, so chains are ranked by the change over the window. Both
 * coefficients are null if fewer than two chains have values in both windows, or if all values of a window are equal.
 *
 * @example Is the ranking by fees the same for a day and for a year?
 * ```ts
 * import { blockchainComparison, rankStability } from "@chainframe/chainframe";
 *
 * console.log(rankStability(await blockchainComparison(), { field: "ecosystem_fees" }).toString());
 * ```
 *
 * @param comparison a frame of `blockchainComparison`
 * @throws {RangeError} when `field` has no windows, or the frame has columns of fewer than two windows.
 * @throws {TypeError} when a column that must be numeric is not.
 * @category Analysis
 */
export function rankStability(
  comparison: DataFrame,
  options: {
    /** The measured quantity: the name of a field without its window and statistic, such as `ecosystem_fees`. */
    readonly field: string;
  },
): Frame {
  const { field: measure } = checkOptions(options, RULES, "rankStability");
  const every = windowed(measure);
  requireColumns(comparison, { fn: "rankStability", source: "a frame of blockchainComparison" });
  const there = every.filter(({ name }) => comparison.columns.includes(name));
  requireColumns(comparison, {
    fn: "rankStability",
    source: "two or more windows of a frame of blockchainComparison",
    numbers: (there.length < 2 ? every : there).map(({ name }) => name),
  });
  const pairs = there.flatMap((one, first) =>
    there.slice(first + 1).map((two) => {
      const both = comparison.select(
        numberOfColumn(one.name).alias("x"),
        numberOfColumn(two.name).alias("y"),
      ).dropNulls();
      const { x, y } = arraysIn(both, ["x", "y"]);
      const [rho] = both.select(pl.spearmanRankCorr("x", "y")).row(0) as (number | null)[];
      return {
        window: one.window,
        other: two.window,
        count: both.height,
        spearman: clamped(rho ?? NaN),
        kendall: kendall(x, y),
      };
    })
  );
  const table = tableOf(pairs, [
    ["text id", "window", "other"],
    ["whole", "count"],
    ["number statistic", "spearman", "kendall"],
  ]);
  return withProvenance(comparison, table, {
    fn: "rankStability",
    options,
    first: ["spearman", "kendall"],
  });
}
