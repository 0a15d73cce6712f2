import { oneOf, type Refuse } from "../platform/check_options.ts";
import { dayOf, EVERY, type Every, everyOf, type Period } from "../schema/period.ts";
import { float64 } from "../table/columns.ts";
import { dtypeNames } from "../table/dtypes.ts";
import type { DataFrame } from "../table/polars.ts";
import { withProvenance } from "../table/show.ts";
import { requireColumns } from "../table/require_columns.ts";
import { numberOfColumn } from "./columns.ts";

/** The rows of a timeline, each with its period and its series. */
export interface TimelineSeries {
  /** The length of the periods. Null if the frame has no rows. */
  readonly every: Every | null;
  /** The period of each row. */
  readonly periods: readonly Period[];
  /** Whether the period of each row is complete. */
  readonly complete: readonly boolean[];
  /** Returns the row with the same ids whose period begins on the given day, or undefined if there is no such row. */
  readonly rowAt: (row: number, start: number) => number | undefined;
}

/** Returns the common length of all periods. */
function commonEvery(periods: readonly Period[], fn: string): Every | null {
  const lengths = new Set(periods.map(everyOf));
  if (lengths.has(null)) {
    throw new RangeError(
      `${fn}: date, until: expected the first and last day of a ${EVERY.join(", ")}`,
    );
  }
  if (lengths.size > 1) {
    const found = [...lengths].join(", ");
    throw new RangeError(`${fn}: date, until: expected periods of one length; got ${found}`);
  }
  return [...lengths][0] ?? null;
}

/**
 * Reads the dates and the ids of a timeline. A series has the same values in all text columns whose names end in
 * `_id`.
 *
 * @throws {RangeError} when columns are missing, periods differ in length, or two rows of one period have
 * the same ids.
 */
export function timelineSeries(frame: DataFrame, fn: string): TimelineSeries {
  const source = "a frame of timeline";
  const dtypes = { date: "Date", until: "Date", complete: "Bool" };
  requireColumns(frame, { fn, source, dtypes });
  const days = (name: string) => {
    const dates = frame.getColumn(name).toArray() as unknown as (Date | null)[];
    return dates.map((date) => date === null ? NaN : dayOf(date));
  };
  const [starts, ends] = [days("date"), days("until")];
  const periods = starts.map((start, row) => ({ start, end: ends[row]! }));
  const ids = frame.columns.filter((name, index) =>
    /_id$/.test(name) && dtypeNames(frame)[index] === "String"
  );
  const values = ids.map((name) => frame.getColumn(name).toArray());
  const series = starts.map((_, row) =>
    JSON.stringify(values.map((column) => column[row] ?? null))
  );
  const rows = new Map<string, number>();
  const keyOf = (row: number, start: number) => `${start} ${series[row]}`;
  starts.forEach((start, row) => {
    const key = keyOf(row, start);
    if (rows.has(key)) {
      const named = ids.map((name, index) => `${name} ${values[index]![row]}`).join(", ");
      throw new RangeError(
        `${fn}: two rows have the same period and ids: ${named || "no ids"}`,
      );
    }
    rows.set(key, row);
  });
  return {
    every: commonEvery(periods, fn),
    periods,
    complete: (frame.getColumn("complete").toArray() as (boolean | null)[]).map((each) => !!each),
    rowAt: (row, start) => rows.get(keyOf(row, start)),
  };
}

/** Accepts the names of one or several columns. */
export function columnNames(value: unknown, refuse: Refuse): string[] {
  const names = typeof value === "string" ? [value] : value;
  return Array.isArray(names) && names.length > 0 && names.every((name) => typeof name === "string")
    ? names
    : refuse("must name a column, or list names of columns");
}

/** The input columns and the names of the results. */
interface Derived {
  readonly fn: string;
  /** The input columns. By default all numeric columns. */
  readonly field: readonly string[] | undefined;
  /** The suffix of the result columns. */
  readonly suffix: string;
  /** The number of days of each row's period, by which its sums are divided. Undefined means no division. */
  readonly days?: readonly number[] | undefined;
}

/** The rule of the option `per`. */
export const PER = oneOf(["day"]);

/** Returns the number of days in each period of a timeline, for values per day. */
export function daysOf({ periods }: TimelineSeries, per: "day" | undefined): number[] | undefined {
  return per === undefined ? undefined : periods.map(({ start, end }) => end - start + 1);
}

/** Computes the result for one row from the values of its column. */
type SeriesValue = (row: number, values: readonly (number | null)[]) => number | null;

/**
 * Adds a result for each input column. The result is computed from the values of the column or, with `days`, from its
 * values per day.
 *
 * @throws {RangeError} when a column is missing, or a result already exists.
 */
export function addPerColumn(
  frame: DataFrame,
  { fn, field, suffix, days }: Derived,
  value: SeriesValue,
): DataFrame {
  const summed = (name: string) => name.endsWith("_sum");
  const numbers = field === undefined
    ? frame.columns.filter((name) =>
      frame.getColumn(name).isNumeric() && (days === undefined || summed(name))
    )
    : [...new Set(field)];
  const other = days === undefined ? undefined : numbers.find((name) => !summed(name));
  if (other !== undefined) {
    throw new RangeError(`${fn}: per: only sums add over days; got the column ${other}`);
  }
  requireColumns(frame, { fn, source: "columns of a timeline", numbers });
  if (numbers.length === 0) {
    throw new RangeError(
      `${fn}: field: the frame has no column of ${days === undefined ? "numbers" : "sums"}`,
    );
  }
  const taken = numbers.map((name) => `${name}${suffix}`).filter((name) =>
    frame.columns.includes(name)
  );
  if (taken.length > 0) {
    throw new RangeError(
      `${fn}: the frame already has ${taken.join(", ")}; rename or drop the column`,
    );
  }
  const results = numbers.map((name) => {
    const column = frame.select(numberOfColumn(name).alias(name)).getColumn(name);
    const values = (column.toArray() as (number | null)[]).map((number, row) =>
      number === null || days === undefined ? number : number / days[row]!
    );
    return float64(`${name}${suffix}`, values.map((_, row) => value(row, values)));
  });
  return withProvenance(frame, frame.withColumns(...results), fn);
}
