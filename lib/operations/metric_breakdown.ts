import {
  AGGREGATIONS,
  GROUP_BYS,
  type GroupBy,
  type Interval,
  INTERVALS,
} from "../schema/vocabulary.ts";
import { float64, numberOf, type Reject, type Row, valueOf } from "../table/columns.ts";
import { type DataFrame, pl, type Series } from "../table/polars.ts";
import { oneOf } from "../host/check_options.ts";
import { ask } from "../http/ask.ts";
import type { Connection } from "../http/connection.ts";
import { QueryError } from "../http/errors.ts";
import type { Question } from "../http/question.ts";
import { METRIC_BREAKDOWN_RECORD } from "../schema/records.ts";
import { columnsFromRows, objectRows } from "../table/frame_from_rows.ts";
import { answeredFrame, listOfRows } from "./answered_frame.ts";
import { defaultConnection } from "../http/connect.ts";
import { calendarDate, checkQuery, idList } from "./query.ts";

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

/** The query of {@linkcode metricBreakdown}. */
export interface MetricBreakdownQuery {
  /** The metrics to break down, at least one. */
  readonly metric_ids: readonly string[];
  /** The span of time. */
  readonly interval: Interval;
  /** What a row stands for. */
  readonly group_by: GroupBy;
  /** Only these projects. */
  readonly project_ids?: readonly string[];
  /** Only these products. */
  readonly product_ids?: readonly string[];
  /** Only these chains. */
  readonly chain_ids?: readonly string[];
  /** Only these market sectors. */
  readonly market_sector_ids?: readonly string[];
  /** The first day, `YYYY-MM-DD`. How it goes with `interval` is the service's to say. */
  readonly start?: string;
  /** The last day, `YYYY-MM-DD`. How it goes with `interval` is the service's to say. */
  readonly end?: string;
}

/** The rules of what is broken down, apart from when. */
export const BREAKDOWN_RULES = {
  metric_ids: idList,
  group_by: oneOf(GROUP_BYS),
  project_ids: idList,
  product_ids: idList,
  chain_ids: idList,
  market_sector_ids: idList,
};

const RULES = {
  ...BREAKDOWN_RULES,
  interval: oneOf(INTERVALS),
  start: calendarDate,
  end: calendarDate,
};

/** The question of a body that has been checked. */
export function breakdownQuestion(body: Readonly<Record<string, unknown>>): Question {
  const path = "/v2/metric-breakdown";
  return { operation: "metric_breakdown", method: "POST", path, params: {}, body };
}

function metricsOf(item: Row, row: number, reject: Reject): Row {
  const value = valueOf(item, "metrics");
  if (value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) {
    return reject({ row, field: "metrics", expected: "an object", got: value });
  }
  return value as Row;
}

/** Makes the columns of a breakdown: those of the interface, the metrics in the order asked for, the rest. */
export function readBreakdown(
  rows: readonly unknown[],
  asked: readonly string[],
  reject: Reject,
): DataFrame {
  const items = objectRows(rows, reject);
  const metrics = items.map((item, row) => metricsOf(item, row, reject));
  const rest = items.map(({ metrics: _, ...others }) => others);
  const columns = columnsFromRows(rest, METRIC_BREAKDOWN_RECORD, reject);
  const known = METRIC_BREAKDOWN_RECORD.length;
  const taken = new Set(columns.map(({ name }) => name));
  return pl.DataFrame([
    ...columns.slice(0, known),
    ...columnsOfMetrics(metrics, asked, taken, reject),
    ...columns.slice(known),
  ]);
}

/**
 * Breaks metrics down by project, chain, product or market sector.
 *
 * Columns: `data_id`, `chain_id`, `product_id` (String), then Float64 columns for each metric in the
 * order asked for: `<metric>` where the service sent a number, `<metric>_<aggregation>` where it sent
 * an object (`fees_sum`, `fees_trend`). A metric that no row has a value for is a column of nulls. One
 * row per group. Money is in US dollars. null means that the service has no value, and is never 0.
 *
 * @example Fees of two chains, one of which does not exist
 * ```ts
 * import { errorsOf, metricBreakdown } from "@chainframe/chainframe";
 *
 * const fees = await metricBreakdown({
 *   metric_ids: ["fees"],
 *   interval: "30d",
 *   group_by: "chains",
 *   chain_ids: ["alder", "nowhere"],
 * });
 * console.log(fees.toString());
 * console.log(errorsOf(fees).toString()); // NOT_FOUND, chain_ids, nowhere
 * ```
 *
 * @throws {QueryError} for a bad argument, before anything is sent.
 * @throws {NotFoundError} for an unknown entity, when the connection says `onMissing: "throw"`.
 * @throws {ResponseError} for an answer that is not of the promised shape.
 * @throws {ChainframeError} of another class for a failed request.
 */
export async function metricBreakdown(
  query: MetricBreakdownQuery,
  connection: Connection = defaultConnection(),
): Promise<DataFrame> {
  const operation = "metric_breakdown";
  const required = ["metric_ids", "interval", "group_by"] as const;
  const body = checkQuery(operation, query, RULES, required);
  if (body.start !== undefined && body.end !== undefined && body.start > body.end) {
    throw new QueryError(
      `${operation}: start: must not be after end (${body.end}): ${body.start}`,
      { operation },
    );
  }
  const answers = await ask(breakdownQuestion(body), connection);
  return answeredFrame(
    { operation, query, connection, answers },
    listOfRows,
    (rows, reject) => readBreakdown(rows, body.metric_ids, reject),
  );
}
