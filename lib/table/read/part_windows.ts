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

type Values = (name: string) => readonly (number | null)[] | undefined;

function* inColumns(frame: DataFrame, fields: readonly string[], values: Values) {
  for (const field of fields) {
    const [, base = "", window] = TREND.exec(field) ?? [];
    if (window === undefined) continue;
    const named = [[field], sumNames(base, window), totalNames(base)]
      .map((names) => names.map(values).find((each) => each !== undefined));
    const [trends, sums, totals] = named;
    if (!trends || !sums || !totals) continue;
    for (let row = 0; row < frame.height; row++) {
      const [value, sum, total] = [trends[row]!, sums[row]!, totals[row]!];
      if (value === null || sum === null || total === null || !isPart(sum, value, total)) continue;
      yield { row, field, value, window };
    }
  }
}

/** The same in a long table, whose rows are aggregations of a project and metric. */
function* inRows(frame: DataFrame, values: Values) {
  const field = "value_number";
  const numbers = values(field);
  const texts = ["project_id", "metric_id", "metric_aggregation_name"].map((name) =>
    frame.columns.includes(name) ? frame.getColumn(name).toArray() as (string | null)[] : undefined
  );
  if (numbers === undefined || texts.includes(undefined)) return;
  const [projects, metrics, names] = texts as (string | null)[][];
  const keyOf = (row: number, name: string | null) =>
    JSON.stringify([projects![row], metrics![row], name]);
  const at = new Map(names!.map((name, row) => [keyOf(row, name), row]));
  for (const [row, name] of names!.entries()) {
    const [, base = "", window] = TREND.exec(name ?? "") ?? [];
    if (window === undefined) continue;
    const of = (names: readonly string[]) => numbers[at.get(keyOf(row, names[0]!)) ?? -1] ?? null;
    const [value, sum, total] = [numbers[row]!, of(sumNames(base, window)), of(totalNames(base))];
    if (value === null || sum === null || total === null || !isPart(sum, value, total)) continue;
    yield { row, field, value, window };
  }
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
  const values: Values = (name) => {
    const at = columns.indexOf(name);
    return at < 0 || !isNumeric(dtypes[at]!)
      ? undefined
      : [...frame.getColumn(name)].map((value) => value === null ? null : Number(value));
  };
  return [
    ...inColumns(frame, fields, values),
    ...fields.includes("value_number") ? inRows(frame, values) : [],
  ];
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
