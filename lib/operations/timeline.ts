import { aWhole, checkOptions, oneOf, type Refuse } from "../platform/check_options.ts";
import { notify } from "../platform/terminal.ts";
import { type Connection, defaultConnection, settingsOf } from "../http/connect.ts";
import { QueryError } from "../http/errors.ts";
import { fetchAll } from "../http/fetch_all.ts";
import { timeText } from "../http/progress.ts";
import type { ApiRequest } from "../http/request.ts";
import type { ApiResponse } from "../http/response.ts";
import { ENDPOINTS } from "../schema/endpoints.ts";
import {
  dayOf,
  daysNamed,
  dayText,
  EVERY,
  type Every,
  type Period,
  periodAt,
} from "../schema/period.ts";
import type { DataFrame } from "../table/polars.ts";
import { rulesOf } from "./check_query.ts";
import { frameOf, orForget } from "./fetch_frame.ts";
import type { MetricBreakdownQuery } from "./metric_breakdown.ts";
import { reportMissing } from "./report.ts";
import { warnOfPeriods, withPeriods } from "./timeline_frame.ts";

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
   * @default {the last day of the data, as the first period's response states it; else today, in UTC}
   */
  readonly to?: string;
  /**
   * For how many days after its end a period may still be restated. A cached response is used at any age if it
   * was checked later than that and its data reached further than that. Any other obeys `maxAge`, and is
   * requested again if none was given. `maxAge: 0` requests every period.
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

const ENDPOINT = ENDPOINTS.metric_breakdown;
const { interval: _interval, start: _start, end: _end, ...PARAMETERS } = ENDPOINT.parameters;
const RULES = {
  ...rulesOf({ parameters: PARAMETERS }),
  every: oneOf(EVERY),
  from: periodBound,
  to: periodBound,
  settle: aWhole(0),
};

/** The requests of a timeline, and what is made of their responses. */
export interface TimelinePlan {
  /** The first requests: all of them if `to` is given, else that of the first period. */
  readonly first: readonly ApiRequest[];
  /** Returns the other requests: up to the last day of the data that the first response states. */
  readonly rest: (first: readonly ApiResponse[]) => readonly ApiRequest[];
  readonly frameOf: (responses: readonly ApiResponse[]) => DataFrame;
}

/**
 * Checks the query of a timeline and plans its requests.
 *
 * @throws {QueryError} for a bad argument.
 */
export function timelinePlan(query: TimelineQuery, connection: Connection): TimelinePlan {
  const { clock, cache, warn } = settingsOf(connection);
  const today = dayOf(cache?.asOf ?? new Date(clock.now()));
  const error = (message: string) => new QueryError(message, { operation: ENDPOINT.operation });
  const about = { prefix: "timeline: ", noun: "query", error };
  const { every, from, to, settle = 7, ...params } = checkOptions(query, RULES, about);
  for (const name of ["metric_ids", "group_by", "every", "from"] as const) {
    if (query[name] === undefined) throw error(`timeline: ${name}: is required; got undefined`);
  }
  const given = structuredClone(query) as unknown as Readonly<Record<string, unknown>>;
  const { metric_ids, group_by, ...filters } = params as Record<string, string | string[]>;
  const breakdown = { metric_ids: metric_ids!, interval: "max", group_by: group_by!, ...filters };

  const periodsTo = (last: Period) => periodsBetween({ every: every!, from: from!, to: last });
  const requestOf = ({ start, end }: Period, settlesOn = end + settle): ApiRequest => ({
    operation: ENDPOINT.operation,
    method: ENDPOINT.method,
    path: ENDPOINT.path,
    params: {},
    body: { ...breakdown, start: dayText(start), end: dayText(end) },
    settlesOn,
  });
  const periods = periodsTo(to ?? { start: today, end: today });
  const [first] = periods;
  if (first === undefined) {
    const end = query.to ?? `today, ${dayText(today)}`;
    throw error(`timeline: from: must not be after to (${end}); got "${query.from}"`);
  }
  return {
    // Without `to` the first response must state the current last day of the data: it is never settled.
    first: to === undefined
      ? [requestOf(first, Infinity)]
      : periods.map((period) => requestOf(period)),
    rest: ([{ data_through = null } = {} as Partial<ApiResponse>]) => {
      if (to !== undefined) return [];
      const last = data_through === null ? today : dayOf(data_through);
      return periodsTo({ start: last, end: last }).slice(1).map((period) => requestOf(period));
    },
    frameOf: (responses) => {
      const frame = frameOf(ENDPOINT, { given, params: breakdown }, responses);
      let day = first.start;
      const answered = responses.map((response) => {
        const period = periodAt(day, every!);
        day = period.end + 1;
        return { period, response };
      });
      warnOfPeriods(answered, warn);
      return withPeriods(frame, answered);
    },
  };
}

/** Announces a call that will take long because of the rate limit. */
function announce(count: number, connection: Connection): void {
  const { requestsPerMinute } = settingsOf(connection);
  if (count <= requestsPerMinute) return;
  const time = timeText(60_000 * count / requestsPerMinute);
  notify(
    `chainframe: timeline: up to ${count} requests, about ${time} at ${requestsPerMinute} a minute`,
  );
}

/**
 * Breaks metrics down period by period: one request for each day, week, month, quarter or year.
 *
 * Columns: `date`, `until` (Date), the first and the last day of the period; `complete` (Boolean); then
 * those of `metricBreakdown` of all periods together: `data_id`, `chain_id`, `product_id` (String), and
 * Float64 columns for each metric. One row per period and group, by `date`, and in each period as the
 * service sends them. Periods are whole: those that hold `from` and `to`, and all between. Days are UTC.
 *
 * `complete` is false if the period was not over by the last day of the data that the service states, else by
 * the day of the response; and if the period begins before the first day of the data. Nothing is guessed from
 * values. A period outside the data has the rows that the service sends, often nulls, and a warning names it.
 * null means that the service has no value, and is never 0.
 *
 * With a cache, a daily run requests only what can have changed: see `settle`.
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
  const { first, rest, frameOf } = timelinePlan(query, connection);
  if (first.length > 1) announce(first.length, connection);
  const begun = await fetchAll(first, connection);
  const others = rest(begun);
  if (others.length > 0) announce(others.length, connection);
  const responses = [...begun, ...await fetchAll(others, connection)];
  const frame = await orForget(responses, () => frameOf(responses));
  return reportMissing(frame, responses, connection);
}
