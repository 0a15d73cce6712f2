import { checkOptions, required, string } from "../../platform/check_options.ts";
import { counted } from "../../platform/terminal.ts";
import { columnIn, computedColumns } from "../../table/track/descriptions.ts";
import { withProvenance } from "../../table/show/show.ts";
import { restOf } from "../../table/read/largest.ts";
import { type DataFrame, type Frame, pl } from "../../table/columns/polars.ts";
import { refuseUnadded } from "../../table/read/adds.ts";
import { datesOf, refuseUnread } from "../../table/read/reading.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { finiteNumbers } from "../../table/read/panel.ts";
import { noteTotal } from "../../table/read/totals.ts";
import { wholeSums } from "../../table/read/whole_sums.ts";
import { requireTimes } from "../../table/read/times.ts";
import { arraysIn, numberOfColumn, refuseWhere, rowsAt, tableOf } from "../columnar.ts";
import { groupedValues, inequalityOf } from "./inequality.ts";

/**
 * Measures how concentrated the values of a column are, by the HHI, the shares of the largest values, and the Gini and
 * Nakamoto coefficients.
 *
 * Returns one row; of a frame with dates, one row per date, in order of dates:
 *
 * | column | dtype | |
 * |---|---|---|
 * | the date | as in the frame | the column of dates, if the frame has one |
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
 * @throws {RangeError} when the frame has no such column, its values do not add up over entities, a value is negative,
 * infinite or larger than 1e300, an entity has two rows with the same date, or the frame has the row `(other)` of `topN`.
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
  refuseUnadded(frame, field, fn);
  finiteNumbers(frame, { fn, field });
  refuseUnread(frame, fn);
  noteTotal(frame, { fn, field });
  refuseWhere(frame, numberOfColumn(field).lt(0), {
    message: `${fn}: values must be 0 or more; got`,
    shown: [field],
  });
  const [date] = datesOf(frame, fn);
  const times = date === undefined
    ? new Float64Array(frame.height)
    : requireTimes(frame, date, fn).days;
  const { first, groups } = groupedValues(
    wholeSums(frame, arraysIn(frame, [field])[field]!, { fn, field, date }),
    times,
  );
  // A frame without rows and without dates has one row, of no values.
  const rows = (date === undefined && groups.length === 0 ? [new Float64Array()] : groups)
    .map(inequalityOf);
  const figures = tableOf(rows, [
    ["whole count", "count"],
    ["number", "total", "hhi", "top_1_share", "top_3_share", "gini"],
    ["whole count", "nakamoto"],
    ["number", "effective_number"],
  ]);
  const table = date === undefined
    ? figures
    : pl.concat([rowsAt(frame.select(date), first), figures], { how: "horizontal" });
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
