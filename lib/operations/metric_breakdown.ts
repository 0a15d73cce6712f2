import {
  AGGREGATIONS,
  GROUP_BYS,
  type GroupBy,
  type Interval,
  INTERVALS,
} from "../schema/vocabulary.ts";
import {
  numbersOf,
  type Reader,
  type Reject,
  type Row,
  valueOf,
  valuesByField,
} from "../table/columns.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { oneOf } from "../host/check_options.ts";
import type { Connection } from "../http/settings.ts";
import { QueryError } from "../http/errors.ts";
import type { Question } from "../http/question.ts";
import { METRIC_BREAKDOWN_RECORD } from "../schema/records.ts";
import {
  agreedDraft,
  checkName,
  columnsFromRows,
  columnsOfDrafts,
  type Draft,
  listOfRows,
  recordRows,
} from "../table/frame_from_rows.ts";
import { defaultConnection } from "../http/connect.ts";
import { answering, calendarDate, checkQuery, idList, neededIdList } from "./query.ts";

function objectIn(value: unknown): Row | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Row : null;
}

/** The known aggregations among the names, in their order, then the others as they were met. */
function membersIn(names: Iterable<string>): string[] {
  const met = new Set(names);
  const known = AGGREGATIONS.filter((name) => met.delete(name));
  return [...known, ...met];
}

const NUMBERS: readonly string[] = AGGREGATIONS;

/** The columns of one metric: a number where it is plain or an aggregation, else of its own type. */
function metricColumns(metric: string, values: readonly unknown[], reader: Reader): Draft[] {
  const field = `metrics.${metric}`;
  const objects = values.map(objectIn);
  const byMember = valuesByField(objects.map((object) => object ?? {}));
  const plain = values.some((value, row) => value !== null && objects[row] === null);
  const columns: Draft[] = [];
  // A metric that no row has a value for still is a column: what was asked for does not vanish.
  if (plain || byMember.size === 0) {
    const numbers = values.map((value, row) => objects[row] === null ? value : null);
    columns.push({ name: metric, numbers: numbersOf(field, numbers, reader) });
  }
  for (const member of membersIn(byMember.keys())) {
    const each = byMember.get(member)!;
    checkName(member, each, reader.reject);
    const isNumber = NUMBERS.includes(member) || each.every((value) => (value ?? null) === null);
    const name = `${metric}_${member}`;
    columns.push(
      isNumber
        ? { name, numbers: numbersOf(`${field}.${member}`, each, reader) }
        : agreedDraft(name, each, reader),
    );
  }
  return columns;
}

/**
 * The columns of the `metrics` objects: `<metric>` where the service sent a number,
 * `<metric>_<member>` where it sent an object, the metrics in the order asked for, then those
 * that nobody asked for. Two metrics that would make the same column are refused.
 */
function columnsOfMetrics(
  metrics: readonly Row[],
  asked: readonly string[],
  { taken, reader }: { readonly taken: ReadonlySet<string>; readonly reader: Reader },
): Draft[] {
  const byMetric = valuesByField(metrics);
  const names = new Set(asked);
  for (const [name, values] of byMetric) {
    if (!names.has(name)) checkName(name, values, reader.reject);
    names.add(name);
  }
  const used = new Set(taken);
  return [...names].flatMap((metric) => {
    const met = byMetric.get(metric);
    const values = metrics.map((_, row) => met?.[row] ?? null);
    const columns = metricColumns(metric, values, reader);
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

/**
 * The query of {@linkcode metricBreakdown}.
 *
 * @category Operations
 */
export interface MetricBreakdownQuery {
  /** The metrics to break down, at least one. */
  readonly metric_ids: string | readonly string[];
  /** The span of time. */
  readonly interval: Interval;
  /** What a row stands for. */
  readonly group_by: GroupBy;
  /** Only these projects. */
  readonly project_ids?: string | readonly string[];
  /** Only these products. */
  readonly product_ids?: string | readonly string[];
  /** Only these chains. */
  readonly chain_ids?: string | readonly string[];
  /** Only these market sectors. */
  readonly market_sector_ids?: string | readonly string[];
  /** The first day, `YYYY-MM-DD`. How it goes with `interval` is the service's to say. */
  readonly start?: string;
  /** The last day, `YYYY-MM-DD`. How it goes with `interval` is the service's to say. */
  readonly end?: string;
}

/** The rules of what is broken down, apart from when. */
export const BREAKDOWN_RULES = {
  metric_ids: neededIdList,
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
  return objectIn(value) ?? reject({ row, field: "metrics", expected: "an object", got: value });
}

const ITEM_FIELDS = [...METRIC_BREAKDOWN_RECORD.map(({ name }) => name), "metrics"];

/** Makes the columns of a breakdown: those of the interface, the metrics in the order asked for, the rest. */
export function readBreakdown(
  rows: readonly unknown[],
  asked: readonly string[],
  reader: Reader,
): DataFrame {
  const items = recordRows(rows, ITEM_FIELDS, reader.reject);
  const metrics = items.map((item, row) => metricsOf(item, row, reader.reject));
  const rest = items.map(({ metrics: _, ...others }) => others);
  const columns = columnsFromRows(rest, METRIC_BREAKDOWN_RECORD, reader);
  const known = METRIC_BREAKDOWN_RECORD.length;
  const taken = new Set(columns.map(({ name }) => name));
  return pl.DataFrame([
    ...columns.slice(0, known),
    ...columnsOfDrafts(columnsOfMetrics(metrics, asked, { taken, reader })),
    ...columns.slice(known),
  ]);
}

/**
 * Breaks metrics down by project, chain, product or market sector.
 *
 * Columns: `data_id`, `chain_id`, `product_id` (String), then Float64 columns for each metric in the
 * order asked for: `<metric>` where the service sent a number, `<metric>_<aggregation>` where it sent
 * an object (`fees_sum`, `fees_trend`). A metric that no row has a value for is a column of nulls; what
 * else an object holds, such as a unit, is a column of its own type (`fees_unit`). One row per group.
 * Money is in US dollars. null means that the service has no value, and is never 0.
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
 * @category Operations
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
  const given = structuredClone(query);
  const { ask, answeredFrame } = await answering();
  const answers = await ask(breakdownQuestion(body), connection);
  return answeredFrame(
    { operation, query: given, connection, answers },
    listOfRows,
    (rows, reader) => readBreakdown(rows, body.metric_ids, reader),
  );
}
