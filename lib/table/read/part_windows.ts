import { listed } from "../../platform/terminal.ts";
import { dtypeNames, isNumeric, isText } from "../build/dtypes.ts";
import type { DataFrame } from "../build/polars.ts";
import { columnIn } from "../track/descriptions.ts";

/** A trend whose previous window may be only partly filled. */
interface PartWindow {
  readonly row: number;
  /** The column of the trend. */
  readonly field: string;
  readonly value: number;
  /** The window, such as `365d`. */
  readonly window: string;
}

/** What a reader should know about a part window. */
export const PART_WINDOW =
  "nothing was counted before the previous window: it may be only partly filled";

const TREND = /^(.+_)?(\d+d)_trend$/;

/** Whether everything that was counted before the window was counted in the window of the trend. */
function isPart(sum: number, trend: number, total: number): boolean {
  return total > sum && Math.abs(sum / (1 + trend) - (total - sum)) <= 1e-6 * total;
}

/** The names of the sum over a window, and of the sum over all days, that belong to a trend. */
const sumNames = (base: string, window: string) => [`${base}${window}_sum`, `${base}${window}`];
const totalNames = (base: string) => [`${base}max_sum`, `${base}max`];

type Numbers = readonly (number | null)[];

/** A trend, and the sums over its window and over all days. */
interface Trend extends Omit<PartWindow, "value"> {
  readonly value: number | null;
  readonly sum: number | null | undefined;
  readonly total: number | null | undefined;
}

/** The trends of a long table, whose rows are aggregations of a project and metric. */
function trendsInRows(frame: DataFrame, numbers: Numbers): Trend[] {
  const columns = ["project_id", "metric_id", "metric_aggregation_name"];
  if (!columns.every((name) => frame.columns.includes(name))) return [];
  const rows = frame.select(...columns).rows() as (string | null)[][];
  const at = new Map(rows.map((keys, row) => [JSON.stringify(keys), row]));
  return rows.flatMap(([project, metric, name], row) => {
    const [, base = "", window] = TREND.exec(name ?? "") ?? [];
    const of = ([name]: readonly string[]) =>
      numbers[at.get(JSON.stringify([project, metric, name])) ?? -1];
    const [sum, total] = [of(sumNames(base, window!)), of(totalNames(base))];
    const field = "value_number";
    return window === undefined ? [] : [{ row, field, window, value: numbers[row]!, sum, total }];
  });
}

/**
 * Returns the trends that compare a window with everything that was counted before it. The window before may be only
 * partly filled, and then the trend is too large. This can be seen where the frame also has the sum over the window and
 * the sum over all days: in columns such as `ecosystem_fees_365d_trend`, `_365d_sum` and `_max_sum`, or in the rows of
 * `metricAggregations`.
 */
export function partWindows(
  frame: DataFrame,
  fields: readonly string[] = frame.columns,
): PartWindow[] {
  const [dtypes, columns] = [dtypeNames(frame), frame.columns];
  const numbersOf = (name: string): Numbers | undefined => {
    const at = columns.indexOf(name);
    return at < 0 || !isNumeric(dtypes[at]!)
      ? undefined
      : [...frame.getColumn(name)].map((value) => value === null ? null : Number(value));
  };
  const trends = fields.flatMap((field): Trend[] => {
    if (field === "value_number") return trendsInRows(frame, numbersOf(field) ?? []);
    const [, base = "", window] = TREND.exec(field) ?? [];
    if (window === undefined) return [];
    const [values, sums, totals] = [[field], sumNames(base, window), totalNames(base)]
      .map((names) => names.map(numbersOf).find((numbers) => numbers !== undefined));
    if (!values || !sums || !totals) return [];
    return values.map((value, row) => (
      { row, field, window, value, sum: sums[row], total: totals[row] }
    ));
  });
  return trends.flatMap(({ value, sum, total, ...at }) =>
    value != null && sum != null && total != null && isPart(sum, value, total)
      ? [{ ...at, value }]
      : []
  );
}

/** Returns a text that names the rows of part windows: `Alder (365d): nothing was …`. Null without part windows. */
export function partWindowText(frame: DataFrame, found: readonly PartWindow[]): string | null {
  if (found.length === 0) return null;
  const dtypes = dtypeNames(frame);
  const texts = frame.columns.filter((_, at) => isText(dtypes[at]!));
  const column =
    texts.find((name) =>
      columnIn(frame, name)?.role === "name" || /(^|_)(name|title)$/.test(name)
    ) ?? texts[0];
  const names = column === undefined ? [] : frame.getColumn(column).toArray() as (string | null)[];
  const windows = Map.groupBy(found, ({ row }) => names[row] ?? `row ${row}`);
  const rows = [...windows].map(([name, own]) =>
    `${name} (${[...new Set(own.map(({ window }) => window))].join(", ")})`
  );
  return `${listed(rows, 3)}: ${PART_WINDOW}`;
}
