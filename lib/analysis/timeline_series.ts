import { type Checked, checkOptions, type Refuse, type Rules } from "../platform/check_options.ts";
import type { Column } from "../schema/dictionary.ts";
import { everyOf } from "../schema/period.ts";
import { adds } from "../table/read/adds.ts";
import { type Panel, panelOf, panelValues } from "../table/read/panel.ts";
import { columnsPerDay, type Per } from "../table/read/per_day.ts";
import { requireColumns } from "../table/read/requirements.ts";
import type { DataFrame, Frame } from "../table/build/polars.ts";
import { withProvenance } from "../table/show/show.ts";
import { columnIn, type ColumnKind, computedColumn, titleIn } from "../table/track/descriptions.ts";
import { numberColumns, refuseTaken } from "./columnar.ts";

/** Accepts the names of one or several columns. */
export function columnNames(value: unknown, refuse: Refuse): string[] {
  const names = typeof value === "string" ? [value] : value;
  return Array.isArray(names) && names.length > 0 && names.every((name) => typeof name === "string")
    ? names
    : refuse("must name a column, or list names of columns");
}

/** Throws a RangeError if the periods of a panel have different lengths. */
function refuseLengths({ fn, date, every, starts, ends }: Panel): void {
  if (every !== null || starts.length === 0) return;
  const lengths = Array.from(starts, (start, at) => everyOf({ start, end: ends[at]! }));
  const found = [...new Set(lengths)].map((length) => length ?? "another length").join(", ");
  throw new RangeError(
    `${fn}: ${date}, until: expected days, weeks, months, quarters or years of one length; got ${found}`,
  );
}

/** Returns for each period the index of another period, or -1 if there is no such period. */
export function periodIndices(
  { starts, ends }: Panel,
  startOf: (period: { readonly start: number; readonly end: number }) => number | undefined,
): Int32Array {
  const places = new Map(Array.from(starts, (start, at) => [start, at]));
  return Int32Array.from(
    starts,
    (start, at) => places.get(startOf({ start, end: ends[at]! }) ?? NaN) ?? -1,
  );
}

/** The options of all functions that add columns to a timeline. */
const COLUMNS = { field: columnNames, entity: columnNames };

/**
 * Adds a result column `<column>_<suffix>` for each input column of a timeline. The results are computed from the values
 * of the input column, or from its values per day. `resultsIn` returns a function from the values of a column to its
 * results, both by cell of the panel; NaN means null.
 */
export function addPerColumn<Own extends Rules>(
  frame: DataFrame,
  { fn, options, rules, suffix, unit, title = suffix }: {
    readonly fn: string;
    readonly options: object;
    /** The rules of the options that only this function has. Without a rule of `per`, values are never per day. */
    readonly rules: Own;
    readonly suffix: string;
    /** The unit of the results. */
    readonly unit: ColumnKind;
    /** The end of the titles of the results. */
    readonly title?: string;
  },
  resultsIn: (panel: Panel, own: Checked<Own>) => (values: Float64Array) => Float64Array,
): Frame {
  const checked = checkOptions(options, { ...rules, ...COLUMNS }, fn);
  const { field, entity, per = "per" in rules ? undefined : "period" } = checked as {
    readonly field?: string[];
    readonly entity?: string[];
    readonly per?: Per;
  };
  const panel = panelOf(frame, { fn, entity });
  refuseLengths(panel);
  const summed = (name: string) => per !== "day" || adds(frame, name) === "both";
  const numbers = field === undefined
    ? frame.columns.filter((name) =>
      !panel.entity.includes(name) && frame.getColumn(name).isNumeric() && summed(name)
    )
    : [...new Set(field)];
  requireColumns(frame, { fn, source: "columns of a timeline", numbers });
  if (numbers.length === 0) {
    const wanted = per === "day" ? "sums" : "numbers";
    throw new RangeError(`${fn}: field: the frame has no column of ${wanted}`);
  }
  const named = (name: string) => `${name}_${suffix}`;
  refuseTaken(frame, numbers.map(named), fn);
  const daily = columnsPerDay(panel, numbers, per);
  const resultsOf = resultsIn(panel, checked as Checked<Own>);
  const results = numbers.map((name) => {
    const found = resultsOf(panelValues(panel, name, daily.includes(name) ? name : undefined));
    const values = new Float64Array(panel.cells.length);
    for (let row = 0; row < values.length; row++) values[row] = found[panel.cells[row]!]!;
    return [named(name), values] as const;
  });
  const made = numberColumns(Object.fromEntries(results));
  const columns = numbers.map((name): [string, Column] => {
    const column = computedColumn(named(name), unit, columnIn(frame, name));
    return [named(name), { ...column, title: `${titleIn(frame, name)}, ${title}` }];
  });
  return withProvenance(frame, frame.withColumns(...made.getColumns()), {
    fn: daily.length > 0 ? `${fn} per day` : fn,
    options,
    first: numbers.flatMap((name) => [named(name), name]).slice(0, 6),
    columns: new Map(columns),
  });
}
