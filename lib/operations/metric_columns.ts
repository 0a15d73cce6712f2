import { AGGREGATIONS } from "../schema/aggregation.ts";
import { type Reject, type Row, valueOf } from "../table/mismatch.ts";
import { float64 } from "../table/number_column.ts";
import { numberOf } from "../table/number_of.ts";
import type { Series } from "../table/polars.ts";

/** The columns of one metric, by their names: one value per row, null where a row has none. */
type Columns = Map<string, (number | null)[]>;

function objectIn(value: unknown): Row | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Row : null;
}

/** The known aggregations that occur, in their order, then the others as they were met. */
function aggregationsIn(values: readonly unknown[]): string[] {
  const met = new Set(values.flatMap((value) => Object.keys(objectIn(value) ?? {})));
  const known = AGGREGATIONS.filter((name) => met.delete(name));
  return [...known, ...met];
}

function readNumber(value: unknown, row: number, field: string, reject: Reject): number | null {
  if (value === null || value === undefined) return null;
  return numberOf(value) ?? reject({ row, field, expected: "a number", got: value });
}

function metricColumns(metric: string, values: readonly unknown[], reject: Reject): Columns {
  const columns: Columns = new Map();
  const objects = values.map(objectIn);
  const aggregations = aggregationsIn(values);
  const plain = values.some((value, row) => value !== null && objects[row] === null);
  // A metric that no row has a value for still is a column: what was asked for does not vanish.
  if (plain || aggregations.length === 0) {
    const numbers = values.map((value, row) =>
      objects[row] === null ? readNumber(value, row, `metrics.${metric}`, reject) : null
    );
    columns.set(metric, numbers);
  }
  for (const name of aggregations) {
    const field = `metrics.${metric}.${name}`;
    const numbers = objects.map((object, row) =>
      object === null ? null : readNumber(valueOf(object, name), row, field, reject)
    );
    columns.set(`${metric}_${name}`, numbers);
  }
  return columns;
}

/**
 * The Float64 columns of the `metrics` objects: `<metric>` where the service sent a number,
 * `<metric>_<aggregation>` where it sent an object, the metrics in the order asked for, then those
 * that nobody asked for. Two metrics that would make the same column are refused.
 */
export function columnsOfMetrics(
  metrics: readonly Row[],
  asked: readonly string[],
  taken: ReadonlySet<string>,
  reject: Reject,
): Series[] {
  const names = new Set([...asked, ...metrics.flatMap((row) => Object.keys(row))]);
  const used = new Set(taken);
  return [...names].flatMap((metric) => {
    const values = metrics.map((row) => valueOf(row, metric));
    return [...metricColumns(metric, values, reject)].map(([name, numbers]) => {
      if (used.has(name)) {
        reject({
          row: null,
          field: `metrics.${metric}`,
          expected: "columns of their own",
          got: name,
        });
      }
      used.add(name);
      return float64(name, numbers);
    });
  });
}
