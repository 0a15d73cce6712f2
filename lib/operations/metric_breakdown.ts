import { GROUP_BYS, type GroupBy, type Interval, INTERVALS } from "../schema/vocabulary.ts";
import { listOfRows } from "../table/columns.ts";
import type { DataFrame } from "../table/polars.ts";
import { oneOf } from "../platform/check_options.ts";
import type { Connection } from "../http/settings.ts";
import { QueryError } from "../http/errors.ts";
import type { Question } from "../http/question.ts";
import { defaultConnection } from "../http/connect.ts";
import { answering, calendarDate, checkQuery, idList, neededIdList } from "./query.ts";

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
  const { ask, answeredFrame, readBreakdown } = await answering();
  const answers = await ask(breakdownQuestion(body), connection);
  return answeredFrame(
    { operation, query: given, connection, answers },
    listOfRows,
    (rows, reader) => readBreakdown(rows, body.metric_ids, reader),
  );
}
