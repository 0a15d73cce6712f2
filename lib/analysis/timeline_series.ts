import type { Refuse } from "../platform/check_options.ts";
import type { Column } from "../schema/dictionary.ts";
import { everyOf } from "../schema/period.ts";
import { adds } from "../table/read/adds.ts";
import { type Panel, panelOf, panelValues } from "../table/read/panel.ts";
import { columnsPerDay, daysOf, type Per } from "../table/read/per_day.ts";
import { requireColumns } from "../table/read/requirements.ts";
import { type DataFrame, type Frame, pl } from "../table/build/polars.ts";
import { withProvenance } from "../table/show/show.ts";
import { columnIn, type ColumnKind, computedColumn, titleIn } from "../table/track/descriptions.ts";
import { numberColumn, numberOfColumn, refuseTaken } from "./columnar.ts";

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

/**
 * Adds a result column for each input column of a timeline. The results are computed from the values of the input
 * column, or from its values per day. `resultsIn` returns a function from the values of a column to its results, both by
 * cell of the panel; NaN means null.
 */
export function addPerColumn(
  frame: DataFrame,
  { fn, options, field, entity, suffix, per, unit, title }: {
    readonly fn: string;
    readonly options: object;
    /** The input columns. By default all numeric columns, or with `per: "day"` all that add up over days. */
    readonly field: readonly string[] | undefined;
    readonly entity: readonly string[] | undefined;
    readonly suffix: string;
    readonly per: Per | undefined;
    /** The unit of the results. */
    readonly unit: ColumnKind;
    /** The end of the titles of the results, such as `growth`. */
    readonly title: string;
  },
  resultsIn: (panel: Panel) => (values: Float64Array) => Float64Array,
): Frame {
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
  refuseTaken(frame, numbers.map((name) => `${name}${suffix}`), fn);
  const { rows, date, cells } = panel;
  const divided = columnsPerDay(rows, { fn, fields: numbers, per, date });
  const resultsOf = resultsIn(panel);
  const results = numbers.map((name) => {
    const number = numberOfColumn(name);
    const daily = divided.includes(name) ? number.div(daysOf(rows, date, name)) : number;
    const found = resultsOf(panelValues(panel, name, daily));
    const values = new Float64Array(cells.length);
    for (let row = 0; row < cells.length; row++) values[row] = found[cells[row]!]!;
    return numberColumn(`${name}${suffix}`, values);
  });
  const step = divided.length > 0 ? `${fn} per day` : fn;
  const columns = numbers.map((name): [string, Column] => {
    const column = computedColumn(`${name}${suffix}`, unit, columnIn(frame, name));
    return [`${name}${suffix}`, { ...column, title: `${titleIn(frame, name)}, ${title}` }];
  });
  const added = frame.withColumns(...results)
    .withColumns(...results.map(({ name }) => pl.col(name).fillNan(pl.lit(null))));
  return withProvenance(frame, added, {
    fn: step,
    options,
    first: numbers.flatMap((name) => [`${name}${suffix}`, name]).slice(0, 6),
    columns: new Map(columns),
  });
}
