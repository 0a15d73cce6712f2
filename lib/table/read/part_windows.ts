import { listed } from "../../platform/terminal.ts";
import { dtypeNames, isText } from "../columns/dtypes.ts";
import { type DataFrame, pl } from "../columns/polars.ts";

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

/** The columns that name a value in a table whose rows are aggregations of a project and metric. */
const KEYS = ["project_id", "metric_id", "metric_aggregation_name"];

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
  const read = new Map<string, readonly (number | null)[]>();
  const numbersOf = (name: string) => {
    const known = read.get(name);
    if (known !== undefined) return known;
    const column = frame.columns.includes(name) ? frame.getColumn(name) : undefined;
    const numbers: (number | null)[] = column?.isNumeric() ? column.cast(pl.Float64).toArray() : [];
    read.set(name, numbers);
    return numbers;
  };
  const isLong = fields.includes("value_number") &&
    KEYS.every((name) => frame.columns.includes(name));
  const keys = isLong ? frame.select(...KEYS).rows() as string[][] : [];
  const rowOf = new Map(keys.map((key, row) => [key.join("\0"), row]));
  const trends = [
    ...keys.map(([project, metric, name], row) => ({
      row,
      field: "value_number",
      name: name!,
      valueOf: (other: string) =>
        numbersOf("value_number")[rowOf.get([project, metric, other].join("\0")) ?? -1],
    })),
    ...fields.filter((field) => TREND.test(field)).flatMap((field) =>
      numbersOf(field).map((_, row) => ({
        row,
        field,
        name: field,
        valueOf: (other: string) => numbersOf(other)[row],
      }))
    ),
  ];
  return trends.flatMap(({ row, field, name, valueOf }) => {
    const [, base = "", window] = TREND.exec(name) ?? [];
    const value = valueOf(name) ?? NaN;
    const sum = valueOf(`${base}${window}_sum`) ?? valueOf(`${base}${window}`) ?? NaN;
    const total = valueOf(`${base}max_sum`) ?? valueOf(`${base}max`) ?? NaN;
    return window !== undefined && isPart(sum, value, total) ? [{ row, field, value, window }] : [];
  });
}

/** Returns a text that names the rows of part windows: `Alder (365d): nothing was …`. Null without part windows. */
export function partWindowText(frame: DataFrame, found: readonly PartWindow[]): string | null {
  if (found.length === 0) return null;
  const texts = frame.columns.filter((_, at) => isText(dtypeNames(frame)[at]!));
  const column = texts.find((name) => /(^|_)(name|title)$/.test(name)) ?? texts[0];
  const names: unknown[] = column === undefined ? [] : frame.getColumn(column).toArray();
  const windows = Map.groupBy(found, ({ row }) => names[row] ?? `row ${row}`);
  const rows = [...windows].map(([name, own]) =>
    `${name} (${[...new Set(own.map(({ window }) => window))].join(", ")})`
  );
  return `${listed(rows, 3)}: ${PART_WINDOW}`;
}
