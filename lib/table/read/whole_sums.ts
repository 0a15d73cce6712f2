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

/** Days of 24 hours add up to whole days but for rounding errors. */
const ROUNDING = 1e-6;

/**
 * Returns the days with a value of each sum, by row. Null if the frame does not have them. `lengthOf` returns the number of
 * days of the period of a row.
 *
 * @throws {RangeError} when a sum has more days than its period, as the sum of the days of several entities has.
 */
export function daysOfSums(
  frame: DataFrame,
  field: string,
  { fn, lengthOf }: { readonly fn: string; readonly lengthOf: (row: number) => number },
): Float64Array | null {
  const name = daysColumn(frame, field, fn);
  if (name === undefined) return null;
  const days = typed(frame, pl.col(name));
  for (let row = 0; row < days.length; row++) {
    const length = lengthOf(row);
    if (!(days[row]! > length + ROUNDING)) continue;
    throw new RangeError(
      `${fn}: ${name}: must be at most the days of the period, ${length}; got ${
        days[row]
      } in row ` +
        `${row}; days of several entities do not add up: sum their values before resample; if the ` +
        "period is longer, add until",
    );
  }
  return days;
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
  if (date === undefined || daysColumn(frame, field, fn) === undefined) return values;
  const { numbers, periods } = periodsOf(frame, { fn, date });
  const periodOf = (row: number) => periods[numbers[row]!]!;
  const lengthOf = (row: number) => periodOf(row).end - periodOf(row).start + 1;
  const counts = daysOfSums(frame, field, { fn, lengthOf })!;
  const through = lastFullDay(frame) ?? Infinity;
  return values.map((value, row) => {
    const { start, end } = periodOf(row);
    const last = end > through && start <= through ? through : end;
    return wholeSum(value, { days: counts[row]!, all: last - start + 1 });
  });
}
