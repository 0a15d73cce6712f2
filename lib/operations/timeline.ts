import { checkOptions, integer, oneOf, type Refuse, required } from "../platform/check_options.ts";
import { notify, terminalText } from "../platform/terminal.ts";
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
import { shareNames } from "../table/read/names.ts";
import type { Frame } from "../table/build/polars.ts";
import { newWords, rulesOf } from "./check_query.ts";
import { frameOf, orForget } from "./fetch_frame.ts";
import type { MetricBreakdownQuery } from "./metric_breakdown.ts";
import { openLock } from "./lock.ts";
import { reportMissing } from "./report.ts";
import type { Plan } from "./stored_versions.ts";
import { addPeriods, warnOfPeriods } from "./timeline_frame.ts";

/**
 * The query of {@linkcode timeline}.
 *
 * @category Operations
 */
export interface TimelineQuery extends Omit<MetricBreakdownQuery, "interval" | "start" | "end"> {
  /** Length of a period: `day`, `week` (ISO 8601, from Monday), `month`, `quarter` or `year`. */
  readonly every: "day" | "week" | "month" | "quarter" | "year";
  /**
   * A day of the first period, such as `2025-01-31`. A month such as `2025-01` or a year such as `2025` means its first
   * day.
   */
  readonly from: string;
  /**
   * A day of the last period. A month or a year means its last day.
   *
   * @default {the last day of the data, as stated in the response for the first period, but at most a year from today; else today, in UTC}
   */
  readonly to?: string;
  /**
   * The number of days after the end of a period in which the service can still restate it. A cached response is used
   * at any age if it was checked after these days and its data includes these days. Any other cached response is used
   * only within `maxAge`, or not at all without `maxAge`. `maxAge: 0` requests every period.
   *
   * @default {7}
   */
  readonly settle?: number;
  /**
   * Maximum number of requests, if the service does not state its first day. A wrong year would need many thousands.
   *
   * @default {5000}
   */
  readonly maxRequests?: number;
}

/** Checks `from` or `to`, which must be a valid day, month or year. Returns its first and its last day. */
function periodBound(value: unknown, refuse: Refuse): Period {
  // Years after 2999 would need millions of requests.
  return (typeof value === "string" && /^[12]/.test(value) ? daysNamed(value) : null) ??
    refuse("must be a day, a month or a year that exists, written 2025-01-31, 2025-01 or 2025");
}

/**
 * Returns the whole periods of a timeline in order, from the period that contains the first day to the period that
 * contains the last day. Returns no periods if the first day is after the last day.
 */
function periodsBetween(
  { every, from, to }: { readonly every: Every; readonly from: Period; readonly to: Period },
): Period[] {
  const periods: Period[] = [];
  if (from.start > to.end) return periods;
  for (let day = from.start; day <= to.end;) {
    const period = periodAt(day, every);
    periods.push(period);
    day = period.end + 1;
  }
  return periods;
}

/** Maximum number of days after today up to which the service decides. A wrong year would need millions of requests. */
const MOST_AHEAD = 366;

const ENDPOINT = ENDPOINTS.metric_breakdown;
const { interval: _interval, start: _start, end: _end, ...PARAMETERS } = ENDPOINT.parameters;
const OWN_RULES = {
  every: required(oneOf(EVERY)),
  from: required(periodBound),
  to: periodBound,
  settle: integer(0),
  maxRequests: integer(1),
};
const MOST_REQUESTS = 5_000;
/** If there are more periods, the first request is sent alone, because its response can state the first day. */
const MOST_AT_ONCE = 60;

/**
 * Checks the query of a timeline and plans its requests.
 *
 * @throws {QueryError} for a bad argument.
 */
export function timelinePlan(query: TimelineQuery, connection: Connection): Plan {
  const { clock, cache, warn } = settingsOf(connection);
  const today = dayOf(cache?.asOf ?? new Date(clock.now()));
  const error = (message: string) => new QueryError(message, { operation: ENDPOINT.operation });
  const about = { prefix: "timeline: ", noun: "query", error };
  const rules = rulesOf({ ...ENDPOINT, parameters: PARAMETERS }, connection.target === "service");
  const { every, from, to, settle = 7, maxRequests = MOST_REQUESTS, ...params } = checkOptions(
    query,
    { ...rules, ...OWN_RULES },
    about,
  );
  for (const warning of newWords(ENDPOINT, params)) {
    warn(terminalText(`chainframe: timeline: ${warning}`));
  }
  const given = structuredClone(query) as unknown as Readonly<Record<string, unknown>>;
  const { metric_ids, group_by, ...filters } = params as Record<string, string | string[]>;
  const breakdown = { metric_ids: metric_ids!, interval: "max", group_by: group_by!, ...filters };

  const periodsTo = (last: Period) => periodsBetween({ every, from, to: last });
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
  const isAtOnce = to !== undefined && periods.length <= MOST_AT_ONCE;
  /** Returns the last period, and warns of a service whose data end far in the future. */
  const lastDay = ({ data_through }: ApiResponse) => {
    const stated = data_through === null ? today : dayOf(data_through);
    const last = Math.min(stated, today + MOST_AHEAD);
    if (last < stated) {
      warn(
        `timeline: data_through is ${dayText(stated)}, more than a year from now: ends with ${
          dayText(last)
        }; pass to for later periods`,
      );
    }
    return { start: last, end: last };
  };
  /** Returns the periods that are requested, and those of them that the frame has: from the first day of the data. */
  const periodsBy = (begun: ApiResponse) => {
    const all = to === undefined ? [first, ...periodsTo(lastDay(begun)).slice(1)] : periods;
    const since = begun.data_since === null ? -Infinity : dayOf(begun.data_since);
    const within = all.filter(({ end }) => end >= since);
    const kept = within.length === 0 ? [first] : within;
    const asked = isAtOnce ? all : [first, ...kept.filter((period) => period !== first)];
    return { asked, kept: new Set(kept), isBounded: since > -Infinity };
  };
  return {
    // If `to` is not given, the first response must state the current last day of the data. Therefore a cached response
    // to the first request is never final.
    first: to === undefined
      ? [requestOf(first, Infinity)]
      : (isAtOnce ? periods : [first]).map((period) => requestOf(period)),
    rest: ([begun]) => {
      if (isAtOnce || begun === undefined) return [];
      const { asked, isBounded } = periodsBy(begun);
      if (!isBounded && asked.length > maxRequests) {
        throw error(
          `timeline: from: needs ${asked.length} requests, and the service does not state its first day: ` +
            `pass a later from, or maxRequests: ${asked.length}; got "${query.from}"`,
        );
      }
      return asked.slice(1).map((period) => requestOf(period));
    },
    frameOf: (responses) => {
      const { asked, kept } = periodsBy(responses[0]!);
      const answered = responses.map((response, index) => ({ period: asked[index]!, response }))
        .filter(({ period }) => kept.has(period));
      const [begin] = answered;
      if (begin!.period !== first) {
        warn(
          `timeline: begins with ${dayText(begin!.period.start)}, because the data begin on ${
            dayText(dayOf(begin!.response.data_since ?? responses[0]!.data_since!))
          }; from was "${query.from}"`,
        );
      }
      const frame = frameOf(
        ENDPOINT,
        { given, params: breakdown, warnings: [] },
        answered.map(({ response }) => response),
      );
      warnOfPeriods(answered, warn);
      return addPeriods(frame, answered);
    },
  };
}

/** Shows a notice if a call will take longer than a minute because of the rate limit. */
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
 * Columns: `date`, `until` (Date), the first and the last day of the period; `complete` (Boolean); then the columns of
 * `metricBreakdown`: `data_id`, `chain_id`, `product_id` (String), and Float64 columns for each metric. The frame has
 * one row per period and group, sorted by `date`, then in the order of the service. All periods are whole: the first
 * period contains `from`, and the last period contains `to`. Days are UTC.
 *
 * `complete` is false if the period ends after the last day of the data, or begins before the first day of the data. If
 * the service does not state the last day, the day of the response is used. If the service states the first day of the
 * data, the frame begins with the period of that day, with a notice. If a period is after the data, a warning is shown. The frame still has the rows that the service returned for this period, often with null values. Null means
 * that the service has no value.
 *
 * If there is a cache, a script that runs every day requests only periods that can have changed: see `settle`.
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
 * @throws {NotFoundError} for an unknown entity, if `onMissing` is `"throw"`.
 * @throws {ResponseError} for a response that does not have the documented shape.
 * @throws {ChainframeError} of another class when a request fails.
 * @category Operations
 */
export async function timeline(
  query: TimelineQuery,
  connection: Connection = defaultConnection(),
): Promise<Frame> {
  const { first, rest, frameOf } = timelinePlan(query, connection);
  const compare = openLock(connection, (at) => timelinePlan(query, at));
  if (first.length > 1) announce(first.length, connection);
  const begun = await fetchAll(first, connection);
  const others = rest(begun);
  if (others.length > 0) announce(others.length, connection);
  const responses = [...begun, ...await fetchAll(others, connection)];
  const frame = await orForget(responses, () => frameOf(responses));
  await compare(frame, responses);
  shareNames(connection, frame);
  return reportMissing(frame, responses, connection);
}
