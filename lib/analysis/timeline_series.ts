import type { Refuse } from "../platform/check_options.ts";
import { type Every, everyOf, type Period } from "../schema/period.ts";
import { float64 } from "../table/build/columns.ts";
import type { Column } from "../schema/columns.ts";
import { adds } from "../table/read/adds.ts";
import {
  columnIn,
  type ColumnKind,
  computedColumn,
  titleIn,
} from "../table/track/frame_columns.ts";
import { keyColumns, withPeriods } from "../table/read/periods.ts";
import { columnsPerDay, daysOf, type Per } from "../table/read/per_day.ts";
import type { DataFrame, Frame } from "../table/build/polars.ts";
import { withProvenance } from "../table/show/show.ts";
import { requireColumns } from "../table/read/require_columns.ts";
import { arraysIn, firstRows, numberOfColumn, refuseRepeats, refuseTaken } from "./columns.ts";

/** Returns the length that all periods have in common, or null if there are no periods. */
function commonEvery(periods: readonly Period[], fn: string): Every | null {
  const lengths = new Set(periods.map(everyOf));
  if (lengths.has(null) || lengths.size > 1) {
    const found = [...lengths].map((length) => length ?? "another length").join(", ");
    throw new RangeError(
      `${fn}: date, until: expected days, weeks, months, quarters or years of one length; got ${found}`,
    );
  }
  return [...lengths][0] ?? null;
}

/**
 * Reads the dates and the keys of a frame of `withPeriods`. A series consists of the rows with the same keys. `every` is
 * the length of the periods, or null if the frame has no rows. `rowAt` returns the index of the row that belongs to the
 * same series and whose period begins on a given day, or undefined if there is no such row.
 */
function timelineSeries(frame: DataFrame, fn: string) {
  const { date, until, complete } = arraysIn(frame, ["date", "until", "complete"]);
  const periods = Array.from(date, (start, row) => ({ start, end: until[row]! }));
  const keys = keyColumns(frame);
  refuseRepeats(frame, ["date", ...keys], { fn, then: "; keep one" });
  const series = firstRows(frame, keys);
  const rows = new Map(periods.map(({ start }, row) => [`${series[row]} ${start}`, row]));
  return {
    every: commonEvery(periods, fn),
    periods,
    complete: Array.from(complete, (each) => each === 1),
    rowAt: (row: number, start: number) => rows.get(`${series[row]} ${start}`),
  };
}

/** The rows of a timeline, with the period of each row. */
export type TimelineSeries = ReturnType<typeof timelineSeries>;

/** Accepts the names of one or several columns. */
export function columnNames(value: unknown, refuse: Refuse): string[] {
  const names = typeof value === "string" ? [value] : value;
  return Array.isArray(names) && names.length > 0 && names.every((name) => typeof name === "string")
    ? names
    : refuse("must name a column, or list names of columns");
}

/**
 * Adds a result column for each input column of a timeline. The results are computed from the values of the input
 * column, or from its values per day.
 */
export function addPerColumn(
  frame: DataFrame,
  { fn, options, field, suffix, per, unit, title }: {
    readonly fn: string;
    readonly options: object;
    /** The input columns. By default all numeric columns, or with `per: "day"` all that add up over days. */
    readonly field: readonly string[] | undefined;
    readonly suffix: string;
    readonly per: Per | undefined;
    /** The unit of the results. */
    readonly unit: ColumnKind;
    /** The end of the titles of the results, such as `growth`. */
    readonly title: string;
  },
  valueIn: (
    series: TimelineSeries,
  ) => (row: number, values: readonly (number | null)[]) => number | null,
): Frame {
  const framed = withPeriods(frame, { fn });
  const series = timelineSeries(framed, fn);
  const value = valueIn(series);
  const summed = (name: string) => per !== "day" || adds(frame, name) === "both";
  const numbers = field === undefined
    ? frame.columns.filter((name) => frame.getColumn(name).isNumeric() && summed(name))
    : [...new Set(field)];
  requireColumns(frame, { fn, source: "columns of a timeline", numbers });
  if (numbers.length === 0) {
    const wanted = per === "day" ? "sums" : "numbers";
    throw new RangeError(`${fn}: field: the frame has no column of ${wanted}`);
  }
  refuseTaken(frame, numbers.map((name) => `${name}${suffix}`), fn);
  const divided = columnsPerDay(framed, { fn, fields: numbers, per });
  const results = numbers.map((name) => {
    const number = numberOfColumn(name);
    const daily = divided.includes(name) ? number.div(daysOf(framed, "date")) : number;
    const column = framed.select(daily.alias(name)).getColumn(name);
    const values = column.toArray() as (number | null)[];
    return float64(`${name}${suffix}`, values.map((_, row) => value(row, values)));
  });
  const step = divided.length > 0 ? `${fn} per day` : fn;
  const columns = numbers.map((name): [string, Column] => {
    const column = computedColumn(`${name}${suffix}`, unit, columnIn(frame, name));
    return [`${name}${suffix}`, { ...column, title: `${titleIn(frame, name)}, ${title}` }];
  });
  return withProvenance(frame, frame.withColumns(...results), {
    fn: step,
    options,
    first: numbers.flatMap((name) => [`${name}${suffix}`, name]).slice(0, 6),
    columns: new Map(columns),
  });
}
