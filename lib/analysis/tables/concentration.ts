import { checkOptions, required, string } from "../../platform/check_options.ts";
import { counted } from "../../platform/terminal.ts";
import { columnIn, computedColumns } from "../../table/track/descriptions.ts";
import { withProvenance } from "../../table/show/show.ts";
import { restOf } from "../../table/read/largest.ts";
import { type DataFrame, type Frame, pl } from "../../table/columns/polars.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { finiteNumbers } from "../../table/read/panel.ts";
import { requireTimes } from "../../table/read/times.ts";
import {
  type Expr,
  inGroups,
  numberColumn,
  numberOfColumn,
  quotient,
  refuseWhere,
  sumOrNull,
  valueWhere,
} from "../columnar.ts";

/** Sorts rows by the times of a column, of whatever dtype. */
function inOrderOfTime(frame: DataFrame, date: string, fn: string): DataFrame {
  const time = numberColumn("(time)", requireTimes(frame, date, fn).days);
  return frame.withColumn(time as unknown as Expr)
    .sort({ by: [pl.col("(time)").fillNan(pl.lit(null))], maintainOrder: true });
}

/** A sum of shares above this limit is more than half. The tolerance allows for rounding errors. */
const MORE_THAN_HALF = 0.5 + 1e-12;

/**
 * Measures how concentrated the values of a column are, by the HHI, the shares of the largest values, and the Gini and
 * Nakamoto coefficients.
 *
 * Returns one row; of a frame with a column `date`, one row per date, in order of dates:
 *
 * | column | dtype | |
 * |---|---|---|
 * | `date` | Date | the date, if the frame has this column |
 * | `count` | Int64 | number of values; nulls are skipped |
 * | `total` | Float64 | sum of the values; null if there are no values |
 * | `hhi` | Float64 | the Herfindahl-Hirschman index, the sum of the squared shares (Herfindahl 1950; Hirschman 1964, American Economic Review 54, 761): 1 / `count` if all values are equal, 1 if all values but one are 0 |
 * | `top_1_share`, `top_3_share` | Float64 | the share of the largest value, and the share of the three largest values (of all values if there are fewer than three) |
 * | `gini` | Float64 | the Gini coefficient: 0 if all values are equal, 1 - 1 / `count` if all values but one are 0 |
 * | `nakamoto` | Int64 | the Nakamoto coefficient: the smallest number of values whose sum is more than half of the total (Srinivasan and Lee 2017) |
 * | `effective_number` | Float64 | 1 / `hhi`: the number of equal values that would have the same HHI (Laakso and Taagepera 1979) |
 *
 * If there is no value, or if the total is 0, all columns but `date`, `count` and `total` are null.
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
 * @throws {RangeError} when the frame has no such column, a value is negative, infinite or larger than 1e300, or the
 * frame has the row `(other)` of `topN`.
 * @throws {TypeError} when the column is not numeric.
 * @category Analysis
 */
export function concentration(frame: DataFrame, options: {
  /** The column of numbers, 0 or more. */
  readonly field: string;
}): Frame {
  const fn = "concentration";
  const { field } = checkOptions(options, { field: required(string) }, fn);
  requireColumns(frame, { fn, source: "a frame with the column to compute on", numbers: [field] });
  const rest = restOf(frame);
  if (rest > 0) {
    throw new RangeError(
      `${fn}: topN left ${counted(rest, "entity")} out; call concentration before topN`,
    );
  }
  finiteNumbers(frame, { fn, field });
  const value = numberOfColumn(field).dropNulls().sort(true);
  refuseWhere(frame, numberOfColumn(field).lt(0), {
    message: `${fn}: values must be 0 or more; got`,
    shown: [field],
  });
  const count = value.count().cast(pl.Float64);
  const share = quotient(value, value.sum());
  // Rounding errors can exceed the possible range of a figure.
  const within = (figure: Expr, least: Expr, most: Expr) =>
    pl.when(figure.lt(least)).then(least).when(figure.gt(most)).then(most).otherwise(figure);
  const [none, one] = [pl.lit(0), pl.lit(1)];
  const least = one.div(count);
  const hhi = within(share.mul(share).sum(), least, one);
  // The Gini coefficient is half the mean difference between two shares, relative to the mean share (Gini 1912). The
  // shares are a whole population, not a sample, so the factor n / (n - 1) is not applied.
  const gini = share.mul(count.plus(1).minus(share.cumCount().cast(pl.Float64).mul(2))).sum();
  const figures = {
    hhi,
    top_1_share: share.first(),
    top_3_share: within(share.head(3).sum(), none, one),
    gini: within(gini.div(count), none, one.minus(least)),
    nakamoto: share.cumSum().ltEq(MORE_THAN_HALF).sum().plus(1).cast(pl.Int64),
    effective_number: one.div(hhi),
  };
  const dates = frame.columns.filter((name) => name === "date");
  const sorted = dates.reduce((rows, name) => inOrderOfTime(rows, name, fn), frame);
  const table = inGroups(sorted, dates, [
    value.count().cast(pl.Int64).alias("count"),
    sumOrNull(value).alias("total"),
    ...Object.entries(figures).map(([name, figure]) =>
      valueWhere(value.sum().gt(0), figure).alias(name)
    ),
  ]);
  return withProvenance(frame, table, {
    fn,
    options,
    first: ["hhi", "gini", "nakamoto", "top_1_share"],
    columns: computedColumns([
      ["count", "count", "nakamoto"],
      ["field", "total"],
      ["statistic", "hhi", "gini", "effective_number"],
      ["fraction", "top_1_share", "top_3_share"],
    ], columnIn(frame, field)),
  });
}
