import { aWhole, checkOptions, oneOf, type Refuse } from "../platform/check_options.ts";
import { defaultConnection } from "../http/connect.ts";
import { type Connection, settingsOf } from "../http/settings.ts";
import { QueryError } from "../http/errors.ts";
import type { Question } from "../http/question.ts";
import {
  dateOfDay,
  dayOf,
  daysNamed,
  dayText,
  EVERY,
  type Every,
  type Period,
  periodAt,
} from "../schema/period.ts";
import type { DataFrame } from "../table/polars.ts";
import { listOfRows } from "../table/columns.ts";
import { answering } from "./query.ts";
import {
  BREAKDOWN_RULES,
  breakdownQuestion,
  type MetricBreakdownQuery,
} from "./metric_breakdown.ts";

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

/** Checks one end of a timeline: a day, a month or a year that exists, which stands for all of its days. */
export function periodBound(value: unknown, refuse: Refuse): Period {
  return (typeof value === "string" ? daysNamed(value) : null) ??
    refuse("must be a day, a month or a year that exists, written 2025-01-31, 2025-01 or 2025");
}

/** The ends of a timeline, both included. */
interface TimelineSpan {
  readonly every: Every;
  readonly from: Period;
  readonly to: Period;
}

/**
 * The whole periods of a timeline, in order: those that hold its first day and its last, and all
 * between; none where the first is after the last.
 */
export function periodsBetween({ every, from, to }: TimelineSpan): Period[] {
  const periods: Period[] = [];
  if (from.start > to.end) return periods;
  for (let day = from.start; day <= to.end;) {
    const period = periodAt(day, every);
    periods.push(period);
    day = period.end + 1;
  }
  return periods;
}

/** The days of a period as a question sends them. */
export function daysOf({ start, end }: Period): { readonly start: string; readonly end: string } {
  return { start: dayText(start), end: dayText(end) };
}

const RULES = {
  ...BREAKDOWN_RULES,
  every: oneOf(EVERY),
  from: periodBound,
  to: periodBound,
  settle: aWhole(0),
};

/** What is said of the answers, opened with the first of them. */
const answeredPeriods = (): Promise<typeof import("./answered_periods.ts")> =>
  import(new URL("./answered_periods.ts", import.meta.url).href);

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
  const given = structuredClone(query);
  const { askAll, answeredFrame, readBreakdown } = await answering();
  const { warnOfPeriods, withPeriods } = await answeredPeriods();
  const answers = await askAll(questions, connection);
  const told = periods.map((period, index) => ({ period, answer: answers[index]! }));
  const frame = await answeredFrame(
    { operation: "metric_breakdown", query: given, connection, answers },
    listOfRows,
    (rows, reader) => withPeriods(readBreakdown(rows, metric_ids, reader), told, reader.reject),
  );
  warnOfPeriods(told, warn);
  return frame;
}
