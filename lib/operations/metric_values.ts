import { METRIC_AGGREGATIONS_RECORD, METRIC_BREAKDOWN_RECORD } from "../schema/records.ts";
import { AGGREGATIONS } from "../schema/vocabulary.ts";
import {
  isRow,
  numberOf,
  type Reader,
  readNumbers,
  type Reject,
  type Row,
  valueOf,
  valuesByField,
} from "../table/columns/cell_values.ts";
import { type ColumnGuard, emptyCellGuard, type TableSize } from "../table/columns/empty_cells.ts";
import {
  agreedColumn,
  checkName,
  type ColumnData,
  columnsFromRows,
  frameOfColumns,
  recordRows,
} from "../table/columns/frame_from_rows.ts";
import type { DataFrame } from "../table/columns/polars.ts";

/** Returns the distinct names: the known aggregations in the order of `AGGREGATIONS`, then all other names. */
function membersIn(names: Iterable<string>): string[] {
  const met = new Set(names);
  const known = AGGREGATIONS.filter((name) => met.delete(name));
  return [...known, ...met];
}

const NUMBERS: readonly string[] = AGGREGATIONS;

/**
 * Returns the columns of one metric. Plain numbers and aggregations are Float64. Members that are not aggregations keep
 * their own types.
 */
function metricColumns(
  metric: string,
  values: readonly unknown[],
  { reader, guard }: { readonly reader: Reader; readonly guard: ColumnGuard },
): ColumnData[] {
  const field = `metrics.${metric}`;
  const objects = values.map((value) => isRow(value) ? value : null);
  const byMember = valuesByField(objects.map((object) => object ?? {}), guard);
  const plain = values.some((value, row) => value !== null && objects[row] === null);
  const columns: ColumnData[] = [];
  // If a metric has no values, it still gets a column, so that every requested metric is in the frame.
  if (plain || byMember.size === 0) {
    const ofPlain = values.map((value, row) => objects[row] === null ? value : null);
    columns.push({ name: metric, numbers: readNumbers(field, ofPlain, reader) });
  }
  for (const member of membersIn(byMember.keys())) {
    const each = byMember.get(member)!;
    checkName(member, each, reader.reject);
    const isNumber = NUMBERS.includes(member) || each.every((value) => (value ?? null) === null);
    const name = `${metric}_${member}`;
    columns.push(
      isNumber
        ? { name, numbers: readNumbers(`${field}.${member}`, each, reader) }
        : agreedColumn(name, each, reader),
    );
  }
  return columns;
}

/**
 * Returns the columns of the `metrics` objects: `<metric>` for numbers, `<metric>_<member>` for the members of objects.
 * Requested metrics come first, in the order of the query. Throws if two columns would have the same name.
 */
function columnsOfMetrics(
  metrics: readonly Row[],
  asked: readonly string[],
  { taken, ...reading }: {
    readonly taken: ReadonlySet<string>;
    readonly reader: Reader;
    readonly guard: ColumnGuard;
  },
): ColumnData[] {
  const { reader } = reading;
  const byMetric = valuesByField(metrics, reading.guard);
  const names = new Set(asked);
  for (const [name, values] of byMetric) {
    if (!names.has(name)) checkName(name, values, reader.reject);
    names.add(name);
  }
  const used = new Set(taken);
  return [...names].flatMap((metric) => {
    const met = byMetric.get(metric);
    const values = metrics.map((_, row) => met?.[row] ?? null);
    const columns = metricColumns(metric, values, reading);
    for (const { name } of columns) {
      if (used.has(name)) {
        const expected = "columns of their own";
        reader.reject({ row: null, field: `metrics.${metric}`, expected, got: name });
      }
      used.add(name);
    }
    return columns;
  });
}

function metricsOf(item: Row, row: number, reject: Reject): Row {
  const value = valueOf(item, "metrics");
  if (value === null) return {};
  return isRow(value)
    ? value
    : reject({ row, field: "metrics", expected: "an object", got: value });
}

const KNOWN = new Set(METRIC_BREAKDOWN_RECORD.map(({ name }) => name));

/** Counts the columns and values of a breakdown: those of metrics, and other fields that the schema does not name. */
function sizeOfBreakdown(rest: readonly Row[], metrics: readonly Row[]): TableSize {
  const columns = new Set<string>();
  let values = 0;
  const add = (name: string) => {
    columns.add(name);
    values++;
  };
  for (const row of rest) Object.keys(row).filter((name) => !KNOWN.has(name)).forEach(add);
  for (const row of metrics) {
    for (const [metric, value] of Object.entries(row)) {
      const members = isRow(value) ? Object.keys(value) : [""];
      for (const member of members) add(JSON.stringify([metric, member]));
    }
  }
  return { rows: rest.length, columns: columns.size, values };
}

/** The column of ids that a grouping has in other operations. It is added if the response does not have it. */
const ID_OF_GROUP: Readonly<Record<string, string>> = {
  projects: "project_id",
  "chain-project": "project_id",
  "market-sector": "market_sector_id",
  "chain-market-sector": "market_sector_id",
};

/**
 * Returns the frame of a breakdown. The documented columns come first, then the metrics, then the id of the grouping,
 * which chainframe adds, then all other columns.
 */
export function readBreakdown(
  rows: readonly unknown[],
  { metrics: asked, groupBy }: { readonly metrics: readonly string[]; readonly groupBy: string },
  reader: Reader,
): DataFrame {
  const fields = [...METRIC_BREAKDOWN_RECORD.map(({ name }) => name), "metrics"];
  const items = recordRows(rows, fields, reader.reject);
  const metrics = items.map((item, row) => metricsOf(item, row, reader.reject));
  const rest = items.map(({ metrics: _, ...others }) => others);
  const guard = emptyCellGuard(
    items.length,
    () => sizeOfBreakdown(rest, metrics),
    (expected, got) => reader.reject({ row: null, field: "data", expected, got }),
  );
  const columns = columnsFromRows(rest, METRIC_BREAKDOWN_RECORD, reader, guard);
  const known = METRIC_BREAKDOWN_RECORD.length;
  const taken = new Set(columns.map(({ name }) => name));
  const made = [
    ...columns.slice(0, known),
    ...columnsOfMetrics(metrics, asked, { taken, reader, guard }),
  ];
  const id = ID_OF_GROUP[groupBy];
  const isThere = [...made, ...columns].some(({ name }) => name === id);
  const ids = columns.find(({ name }) => name === "data_id")!;
  const own = id === undefined || isThere ? [] : [{ ...ids, name: id }];
  return frameOfColumns([...made, ...own, ...columns.slice(known)], reader.note);
}

/** Returns the frame of aggregations: first the documented columns, then `value_number`, then all other columns. */
export function readAggregations(rows: readonly unknown[], reader: Reader): DataFrame {
  const { reject } = reader;
  const fields = METRIC_AGGREGATIONS_RECORD.map(({ name }) => name);
  const items = recordRows(rows, fields, reject);
  const columns = columnsFromRows(items, METRIC_AGGREGATIONS_RECORD, reader);
  const known = METRIC_AGGREGATIONS_RECORD.length;
  if (columns.some(({ name }) => name === "value_number")) {
    const expected = "no field of this name, because the client computes it from value";
    reject({ row: null, field: "value_number", expected, got: "a field of this name" });
  }
  const numbers = Float64Array.from(items, ({ value }) => numberOf(value) ?? NaN);
  return frameOfColumns([
    ...columns.slice(0, known),
    { name: "value_number", numbers },
    ...columns.slice(known),
  ], reader.note);
}
