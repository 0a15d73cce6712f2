import { counted } from "../../platform/terminal.ts";
import { checkOptions, required, string } from "../../platform/check_options.ts";
import { columnIn } from "../../table/track/descriptions.ts";
import { withProvenance } from "../../table/show/show.ts";
import { restOf } from "../../table/read/largest.ts";
import type { DataFrame, Frame } from "../../table/build/polars.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { finiteNumbers, rowGroups } from "../../table/read/panel.ts";
import { arraysIn, rowsAt, tableOf, withKeys } from "../columnar.ts";

/** A sum of shares above this limit is more than half. The tolerance allows for rounding errors. */
const MORE_THAN_HALF = 0.5 + 1e-12;

/** Returns the figures of values, sorted from the largest on. */
function figuresOf(values: Float64Array) {
  const count = values.length;
  const total = values.reduce((sum, value) => sum + value, 0);
  if (!(total > 0)) return { count, total: count > 0 ? total : NaN };
  let [squares, weighted, held, nakamoto] = [0, 0, 0, 1];
  for (let at = 0; at < count; at++) {
    const share = values[at]! / total;
    squares += share * share;
    // The Gini coefficient is half the mean difference between two shares, relative to the mean share (Gini 1912). The
    // shares are a whole population, not a sample, so the factor n / (n - 1) is not applied.
    weighted += (count - 1 - 2 * at) * share;
    held += share;
    if (held <= MORE_THAN_HALF) nakamoto = at + 2;
  }
  // Rounding errors can exceed the possible range of a figure.
  const within = (value: number, least: number, most: number) =>
    Math.min(most, Math.max(least, value));
  const hhi = within(squares, 1 / count, 1);
  const three = values.subarray(0, 3).reduce((sum, value) => sum + value / total, 0);
  return {
    ...{ count, total, hhi, nakamoto, effective_number: 1 / hhi },
    top_1_share: values[0]! / total,
    top_3_share: within(three, 0, 1),
    gini: within(weighted / count / held, 0, 1 - 1 / count),
  };
}

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
  const values = finiteNumbers(frame, { fn: "concentration", field });
  const negative = values.find((value) => value < 0);
  if (negative !== undefined) {
    throw new RangeError(
      `concentration: ${field}: must be a number of 0 or more; got ${negative}`,
    );
  }
  const dates = frame.columns.includes("date") ? ["date"] : [];
  const sorted = dates.length === 0 ? frame : frame.sort("date");
  const { numbers, first } = rowGroups(sorted, dates);
  const groups = Array.from(
    { length: Math.max(first.length, 1 - dates.length) },
    () => [] as number[],
  );
  arraysIn(sorted, [field])[field]!.forEach((value, row) => {
    if (value >= 0) groups[numbers[row]!]!.push(value);
  });
  const figures = groups.map((group) => figuresOf(Float64Array.from(group).sort().reverse()));
  const table = tableOf(figures, [
    ["whole", "count"],
    ["number field", "total"],
    ["number statistic", "hhi"],
    ["number fraction", "top_1_share", "top_3_share"],
    ["number statistic", "gini"],
    ["whole", "nakamoto"],
    ["number statistic", "effective_number"],
  ], columnIn(frame, field));
  return withProvenance(
    frame,
    withKeys(table, rowsAt(sorted.select(...dates), first), [...groups.keys()]),
    {
      fn: "concentration",
      options,
      first: ["hhi", "gini", "nakamoto", "top_1_share"],
    },
  );
}
