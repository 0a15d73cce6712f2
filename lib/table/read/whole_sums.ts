import { notify } from "../../platform/terminal.ts";
import { adds } from "./adds.ts";
import { type DataFrame, pl } from "../columns/polars.ts";
import { columnIn } from "../track/descriptions.ts";
import { typed } from "./numbered.ts";
import { periodsOf } from "./periods.ts";
import { lastFullDay } from "./reading.ts";

/** The frames of which a notice was shown. */
const noticed = new WeakSet<DataFrame>();

/**
 * Returns the column with the number of days of which a sum was made, if the frame has it. Both columns have it in their
 * descriptions; a column without a description has it by its name.
 */
export function daysColumn(frame: DataFrame, field: string, fn: string): string | undefined {
  if (adds(frame, field) !== "both") return undefined;
  const summed = columnIn(frame, field)?.summed;
  if (summed === undefined) return frame.columns.find((name) => name === `${field}_days`);
  const found = frame.columns.find((name) => columnIn(frame, name)?.counts === summed);
  if (found === undefined && !noticed.has(frame)) {
    noticed.add(frame);
    notify(
      `${fn}: ${field}: the frame has no column of the days with a value, so sums that lack days count as whole`,
    );
  }
  return found;
}

/** Returns the days with a value of each sum, by row. Null if the frame does not have them. */
export function daysOfSums(frame: DataFrame, field: string, fn: string): Float64Array | null {
  const name = daysColumn(frame, field, fn);
  return name === undefined ? null : typed(frame, pl.col(name));
}

/** Scales a sum to all days of its period. A whole sum stays as it is, to the digit. */
export function wholeSum(sum: number, { days, all }: { days: number; all: number }): number {
  return days === all ? sum : days > 0 ? sum * (all / days) : NaN;
}

/** Returns the values of a column by row, with sums that lack days scaled to all days of their periods. */
export function wholeSums(
  frame: DataFrame,
  values: Float64Array,
  { fn, field, date }: {
    readonly fn: string;
    readonly field: string;
    readonly date: string | undefined;
  },
): Float64Array {
  const counts = date === undefined ? null : daysOfSums(frame, field, fn);
  if (counts === null) return values;
  const { numbers, periods } = periodsOf(frame, { fn, date });
  const through = lastFullDay(frame) ?? Infinity;
  return values.map((value, row) => {
    const { start, end } = periods[numbers[row]!]!;
    const last = end > through && start <= through ? through : end;
    return wholeSum(value, { days: counts[row]!, all: last - start + 1 });
  });
}
