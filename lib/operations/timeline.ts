import { checkOptions, integer, oneOf, type Refuse, required } from "../platform/check_options.ts";
import { terminalText } from "../platform/terminal.ts";
import { type Connection, defaultConnection, settingsOf } from "../http/connect.ts";
import { QueryError } from "../http/errors.ts";
import { fetchAll } from "../http/fetch_all.ts";
import type { ApiRequest } from "../http/request.ts";
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
import type { Frame } from "../table/columns/polars.ts";
import { type CheckedQuery, newWords, rulesOf } from "./check_query.ts";
import { frameOf, orForget } from "./fetch_frame.ts";
import type { MetricBreakdownQuery } from "./metric_breakdown.ts";
import { openLock } from "../evidence/lock.ts";
import { reportMissing } from "./missing.ts";
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
   * @default {the last day of the data, as stated in the response for the first period; else today, in UTC}
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
   * Maximum number of requests. A wrong year would need many thousands.
   *
   * @default {5000}
   */
  readonly maxRequests?: number;
}

/** Checks `from` or `to`, which must be a valid day, month or year. Returns its first and its last day. */
function periodBound(value: unknown, refuse: Refuse): Period {
  return (typeof value === "string" && /^[12]/.test(value) ? daysNamed(value) : null) ??
    refuse("must be a day, a month or a year that exists, written 2025-01-31, 2025-01 or 2025");
}

/**
 * Returns the whole periods from the one that contains the day `from` to the one that contains the day `to`. Returns no
 * periods if `from` is after `to`.
 */
function periodsBetween(every: Every, from: number, to: number): Period[] {
  const periods: Period[] = [];
  for (let day = from; day <= to; day = periods.at(-1)!.end + 1) {
    periods.push(periodAt(day, every));
  }
  return periods;
}

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

/**
 * Breaks metrics down period by period: one request for each day, week, month, quarter or year.
 *
 * Columns: `date`, `until` (Date), the first and the last day of the period; `complete` (Boolean); then the columns of
 * `metricBreakdown`: `data_id`, `chain_id`, `product_id` (String), and Float64 columns for each metric. The frame has
 * one row per period and group, sorted by `date`, then in the order of the service. All periods are whole: the first
 * period contains `from`, and the last period contains `to`. Days are UTC.
 *
 * `complete` is false if the period ends after the last day of the data, or begins before the first day of the data. If
 * the service does not state the last day, the day of the response is used. Periods before the first day
 * of the data are left out, with a notice. Null means that the service has no value.
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
  const { clock, cache, target, warn } = settingsOf(connection);
  const error = (message: string) => new QueryError(message, { operation: ENDPOINT.operation });
  const rules = rulesOf({ ...ENDPOINT, parameters: PARAMETERS }, target === "service");
  const about = { prefix: "timeline: ", noun: "query", error };
  const { every, from, to, settle = 7, maxRequests = MOST_REQUESTS, ...params } = checkOptions(
    query,
    { ...rules, ...OWN_RULES },
    about,
  );
  for (const warning of newWords(ENDPOINT, params)) {
    warn(terminalText(`chainframe: timeline: ${warning}`));
  }
  const { metric_ids, group_by, ...filters } = params as Record<string, string | string[]>;
  const breakdown = { metric_ids: metric_ids!, interval: "max", group_by: group_by!, ...filters };
  const requestOf = ({ start, end }: Period, settlesOn: number): ApiRequest => ({
    operation: ENDPOINT.operation,
    method: ENDPOINT.method,
    path: ENDPOINT.path,
    params: {},
    body: { ...breakdown, start: dayText(start), end: dayText(end) },
    settlesOn,
  });

  const today = dayOf(cache?.asOf ?? new Date(clock.now()));
  const [first] = periodsBetween(every, from.start, to?.end ?? today);
  if (first === undefined) {
    const end = query.to ?? `today, ${dayText(today)}`;
    throw error(`timeline: from: must not be after to (${end}); got "${query.from}"`);
  }
  const given = structuredClone(query) as object as CheckedQuery["given"];
  const compare = openLock(connection, (at) => timeline(query, at));
  // If `to` is not given, the first response must state the current last day of the data. Therefore a cached response
  // to the first request is never final.
  const opening = requestOf(first, to === undefined ? Infinity : first.end + settle);
  const [begun] = await fetchAll([opening], connection);
  const { data_since, data_through } = begun!;
  const since = data_since === null ? from.start : Math.max(dayOf(data_since), from.start);
  const last = to?.end ?? (data_through === null ? today : dayOf(data_through));
  const periods = [
    first,
    ...periodsBetween(every, since, last).filter(({ start }) => start > first.start),
  ];
  if (periods.length > maxRequests) {
    throw error(
      `timeline: from: needs ${periods.length} requests, to ${dayText(last)}: pass a later from, ` +
        `an earlier to, or maxRequests: ${periods.length}; got "${query.from}"`,
    );
  }
  const rest = periods.slice(1).map((period) => requestOf(period, period.end + settle));
  const others = await fetchAll(rest, connection);
  const responses = [begun!, ...others];
  const frame = await orForget(responses, () => {
    const all = responses.map((response, index) => ({ response, period: periods[index]! }));
    const within = all.filter(({ period }) => period.end >= since);
    const answered = within.length === 0 ? all.slice(0, 1) : within;
    const [{ period }] = answered as [typeof all[number]];
    if (within.length === 0) {
      warn(`timeline: all periods are before the data, which begin on ${dayText(since)}`);
    } else if (period !== first) {
      warn(
        `timeline: begins with ${dayText(period.start)}, because the data begin on ${
          dayText(since)
        }; from was "${query.from}"`,
      );
    }
    warnOfPeriods(answered, warn);
    const checked = { given, params: breakdown, warnings: [] };
    const made = frameOf(ENDPOINT, checked, answered.map(({ response }) => response));
    return addPeriods(made, answered);
  });
  await compare(frame, responses);
  shareNames(connection, frame);
  return reportMissing(frame, responses, connection);
}
