import { type Cache, createCache } from "../http/cache.ts";
import { type Connection, connectionOf, settingsOf } from "../http/connect.ts";
import { CacheError, ConfigurationError, ResponseError } from "../http/errors.ts";
import { responseOf } from "../http/fetch_all.ts";
import type { CacheSettings, Settings } from "../http/options.ts";
import { type ApiRequest, requestUrl } from "../http/request.ts";
import type { ApiResponse } from "../http/response.ts";
import { type Endpoint, ENDPOINTS } from "../schema/endpoints.ts";
import type { DataFrame } from "../table/polars.ts";
import { blockchainComparison } from "./blockchain_comparison.ts";
import { checkQuery } from "./check_query.ts";
import { cohortAnalysis } from "./cohort_analysis.ts";
import { frameOf, requestsOf } from "./fetch_frame.ts";
import { metricAggregations } from "./metric_aggregations.ts";
import { metricBreakdown } from "./metric_breakdown.ts";
import { project } from "./project.ts";
import { projectContracts } from "./project_contracts.ts";
import { timeline, type TimelinePlan, timelinePlan, type TimelineQuery } from "./timeline.ts";

/** One of the six operations, or `timeline`: the function itself. */
type AskedOperation<Query> = (query: Query, connection: Connection) => Promise<DataFrame>;

/** Selects responses of an archive. */
interface ArchiveQuery<Query> {
  /** The name of the calling function, for messages. */
  readonly fn: string;
  readonly operation: AskedOperation<Query>;
  readonly query: Query;
  readonly connection: Connection;
  /** Only versions after this moment; all if undefined. */
  readonly since?: Date | undefined;
}

/** The result of an operation as of a moment. */
interface Vintage {
  /** When the last of its responses arrived. */
  readonly moment: Date;
  /** null if a response is damaged or does not have the documented shape. */
  readonly frame: DataFrame | null;
}

const ENDPOINT_OF = new Map<unknown, Endpoint>([
  [metricBreakdown, ENDPOINTS.metric_breakdown],
  [metricAggregations, ENDPOINTS.metric_aggregations],
  [blockchainComparison, ENDPOINTS.blockchain_comparison],
  [projectContracts, ENDPOINTS.project_contracts],
  [cohortAnalysis, ENDPOINTS.cohort_analysis],
  [project, ENDPOINTS.project],
]);

function planOf<Query>(
  { fn, operation, query }: ArchiveQuery<Query>,
  connection: Connection,
): TimelinePlan {
  if (operation as unknown === timeline) {
    return timelinePlan(query as TimelineQuery, connection);
  }
  const endpoint = ENDPOINT_OF.get(operation);
  if (endpoint === undefined) {
    throw new TypeError(`${fn}: operation: must be one of the six operations, or timeline`);
  }
  const checked = checkQuery(endpoint, query as object);
  return {
    first: requestsOf(endpoint, checked, connection),
    rest: () => [],
    frameOf: (responses) => frameOf(endpoint, checked, responses),
  };
}

/** The folder of an archive, to read stored responses as of a moment. */
interface Archive {
  readonly settings: Settings & { readonly cache: CacheSettings };
  readonly cache: Cache;
}

function archiveOf(fn: string, connection: Connection): Archive {
  const settings = settingsOf(connection);
  const { cache } = settings;
  if (cache === null) {
    const hint = settings.target === "sample" ? "; sample data is never stored" : "";
    throw new ConfigurationError(
      `${fn}: needs a connection with a cache: connect({ cache: { dir } })${hint}`,
    );
  }
  // Opens the folder again, to find responses that were stored after the connection first read the folder.
  const quiet = { ...settings, cache, warn: () => {} };
  return { settings: quiet, cache: createCache(cache.dir, quiet) };
}

/** Returns an offline connection that plans requests as of a moment. */
function connectionAt({ settings }: Archive, asOf: Date | null): Connection {
  return connectionOf({ ...settings, cache: { ...settings.cache, mode: "offline", asOf } });
}

/** Returns the response that was stored at a moment; null if it is damaged, undefined if there was none yet. */
async function responseAt(
  request: ApiRequest,
  { settings, cache }: Archive,
  moment: Date,
): Promise<ApiResponse | null | undefined> {
  const entry = await cache.readAt(request, moment);
  if (entry === null) {
    const [first] = await cache.times(request);
    return first === undefined || first > moment ? undefined : null;
  }
  const url = settings.redact(requestUrl(settings.baseUrl, request));
  const about = { operation: request.operation, url, attempts: 0 };
  return responseOf(entry, { ...about, source: "cache", settings });
}

/** Returns the result of the operation as of a moment; undefined if a response was not stored yet. */
async function vintageAt<Query>(
  query: ArchiveQuery<Query>,
  archive: Archive,
  moment: Date,
): Promise<Vintage | undefined> {
  const plan = planOf(query, connectionAt(archive, moment));
  const responses: ApiResponse[] = [];
  const damaged = { moment, frame: null };
  try {
    for (const requests of [() => plan.first, () => plan.rest(responses)]) {
      const read = await Promise.all(
        requests().map((request) => responseAt(request, archive, moment)),
      );
      if (read.includes(undefined)) return undefined;
      if (read.includes(null)) return damaged;
      responses.push(...read as ApiResponse[]);
    }
    return { moment, frame: plan.frameOf(responses) };
  } catch (error) {
    if (error instanceof ResponseError) return damaged;
    throw error;
  }
}

/** Returns the moments at which stored responses of a query arrived, oldest first. */
async function momentsOf<Query>(
  query: ArchiveQuery<Query>,
  archive: Archive,
): Promise<number[]> {
  const { clock, cache: { asOf } } = archive.settings;
  const until = asOf ?? new Date(clock.now());
  const plan = planOf(query, connectionAt(archive, until));
  const [first] = plan.first;
  const newest = first === undefined ? null : await responseAt(first, archive, until);
  const requests = [...plan.first, ...(newest ? plan.rest([newest]) : [])];
  const times = await Promise.all(requests.map((request) => archive.cache.times(request)));
  return [...new Set(times.flat().map((time) => time.getTime()))].sort((a, b) => a - b)
    .filter((time) => asOf === null || time <= asOf.getTime());
}

/**
 * Yields the result of an operation as of each moment at which one of its responses arrived, oldest first.
 *
 * @throws {ConfigurationError} for a connection without a cache.
 * @throws {CacheError} if the archive holds no response.
 */
export async function* vintagesOf<Query>(query: ArchiveQuery<Query>): AsyncGenerator<Vintage> {
  const { fn, connection, since } = query;
  const archive = archiveOf(fn, connection);
  const moments = await momentsOf(query, archive);
  const last = moments.findLastIndex((time) => since !== undefined && time <= since.getTime());
  let found = false;
  for (const time of moments.slice(Math.max(0, last))) {
    const vintage = await vintageAt(query, archive, new Date(time));
    if (vintage === undefined) continue;
    found = true;
    yield vintage;
  }
  const { dir } = archive.settings.cache;
  if (!found) throw new CacheError(`${fn}: the cache in ${dir} has no response to this query`);
}
