import { aWhole, checkOptions, oneOf } from "../host/check_options.ts";
import { defaultConnection } from "../http/connect.ts";
import { type Connection, settingsOf } from "../http/settings.ts";
import { QueryError } from "../http/errors.ts";
import type { Question } from "../http/question.ts";
import { dateOfDay, dayOf, dayText, EVERY, type Every } from "../schema/period.ts";
import type { Reject } from "../table/columns.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { listOfRows } from "../table/frame_from_rows.ts";
import { answering } from "./query.ts";
import {
  BREAKDOWN_RULES,
  breakdownQuestion,
  type MetricBreakdownQuery,
  readBreakdown,
} from "./metric_breakdown.ts";
import {
  daysOf,
  periodBound,
  periodColumns,
  periodsBetween,
  type Told,
  warnOfPeriods,
} from "./periods.ts";

/**
 * The query of {@linkcode timeline}.
 *
 * @category Operations
 */
export interface TimelineQuery extends Omit<MetricBreakdownQuery, "interval" | "start" | "end"> {
  /** How long each period is: `day`, `week` (ISO 8601, from Monday), `month`, `quarter` or `year`. */
  readonly every: Every;
  /** A day of the first period, `2025-01-31`, or a month or a year: `2025-01`, `2025`. */
  readonly from: string;
  /**
   * A day of the last period, or a month or a year, which is in it to its end.
   *
   * @default {today, in UTC; as of a day, that day}
   */
  readonly to?: string;
  /**
   * For how many days after its end a period may still be restated. A cached answer of later is good at any
   * age; any other obeys `maxAge`, and is asked for again where none was given.
   *
   * @default {7}
   */
  readonly settle?: number;
}

const RULES = {
  ...BREAKDOWN_RULES,
  every: oneOf(EVERY),
  from: periodBound,
  to: periodBound,
  settle: aWhole(0),
};

const ADDED = ["date", "until", "complete"];

function checkTimeline(query: TimelineQuery, today: number) {
  const error = (told: string) => new QueryError(told, { operation: "metric_breakdown" });
  const about = { prefix: "timeline: ", noun: "query", error };
  const { every, from, to, settle = 7, metric_ids, group_by, ...filters } = checkOptions(
    query,
    RULES,
    about,
  );
  if (metric_ids === undefined || group_by === undefined || every === undefined || !from) {
    const required = ["metric_ids", "group_by", "every", "from"] as const;
    const name = required.find((each) => query[each] === undefined);
    throw error(`timeline: ${name}: is required: undefined`);
  }
  const last = to ?? { start: today, end: today };
  const periods = periodsBetween({ every, from, to: last });
  if (periods.length === 0) {
    const end = query.to ?? `today, ${dayText(today)}`;
    throw error(`timeline: from: must not be after to (${end}): ${query.from}`);
  }
  const asked = { metric_ids, interval: "max", group_by, ...filters };
  const questions = periods.map((period): Question => ({
    ...breakdownQuestion({ ...asked, ...daysOf(period) }),
    settled: dateOfDay(period.end + 1 + settle),
  }));
  return { metric_ids, periods, questions };
}

function withPeriods(frame: DataFrame, told: readonly Told[], reject: Reject): DataFrame {
  const taken = ADDED.find((name) => frame.columns.includes(name));
  if (taken !== undefined) {
    const expected = "no field of this name, since it is the period's";
    reject({ row: null, field: taken, expected, got: "a field of this name" });
  }
  return pl.DataFrame([...periodColumns(told), ...frame.getColumns()]);
}

/**
 * Breaks metrics down period by period: one question for each day, week, month, quarter or year.
 *
 * Columns: `date`, `until` (Date), the first and the last day of the period; `complete` (Boolean); then
 * those of `metricBreakdown` of all periods together: `data_id`, `chain_id`, `product_id` (String), and
 * Float64 columns for each metric. One row per period and group, by `date`, and in each period as the
 * service sends them. Periods are whole: those that hold `from` and `to`, and all between. Days are UTC.
 *
 * `complete` is false where the period is not over, by the last day of the data that the service states,
 * else by the day of the answer; and where the period begins before the first day of the data. Nothing is
 * guessed from values. A period outside the data has the rows that the service sends, often nulls, and is
 * said in a warning. null means that the service has no value, and is never 0.
 *
 * With a cache, a daily run asks only for what can have changed: see `settle`.
 *
 * @example The fees of each chain, month by month
 * ```ts
 * import { timeline } from "@chainframe/chainframe";
 *
 * const fees = await timeline({
 *   metric_ids: ["fees"],
 *   group_by: "chains",
 *   every: "month",
 *   from: "2025-01",
 *   to: "2025-06",
 * });
 * console.log(fees.select("date", "complete", "data_id", "fees_sum").toString());
 * ```
 *
 * @throws {QueryError} for a bad argument, before anything is sent.
 * @throws {NotFoundError} for an unknown entity, when the connection says `onMissing: "throw"`.
 * @throws {ResponseError} for an answer that is not of the promised shape.
 * @throws {ChainframeError} of another class for a failed request.
 * @category Operations
 */
export async function timeline(
  query: TimelineQuery,
  connection: Connection = defaultConnection(),
): Promise<DataFrame> {
  const { clock, cache, warn } = settingsOf(connection);
  const today = dayOf(cache?.asOf ?? new Date(clock.now()));
  const { metric_ids, periods, questions } = checkTimeline(query, today);
  const { askAll, answeredFrame } = await answering();
  const answers = await askAll(questions, connection);
  const told = periods.map((period, index) => ({ period, answer: answers[index]! }));
  const frame = await answeredFrame(
    { operation: "metric_breakdown", query, connection, answers },
    listOfRows,
    (rows, reader) => withPeriods(readBreakdown(rows, metric_ids, reader), told, reader.reject),
  );
  warnOfPeriods(told, warn);
  return frame;
}
