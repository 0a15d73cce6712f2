import { createCache } from "../http/cache.ts";
import { type Connection, connectionOf, settingsOf } from "../http/connect.ts";
import { CacheError, ConfigurationError, ResponseError } from "../http/errors.ts";
import { responseIn } from "../http/fetch_all.ts";
import { type ApiRequest, requestUrl } from "../http/request.ts";
import type { ApiResponse } from "../http/response.ts";
import type { DataFrame, Frame } from "../table/build/polars.ts";

/** The requests of a call, and how their responses become a frame. */
export interface Plan {
  /** The first requests. A timeline without `to` first requests only its first period. */
  readonly first: readonly ApiRequest[];
  /** Returns the remaining requests, up to the last day of the data, which the first response states. */
  readonly rest: (first: readonly ApiResponse[]) => readonly ApiRequest[];
  readonly frameOf: (responses: readonly ApiResponse[]) => Frame;
}

/** A plan, and the stored versions of its result to return. */
export interface StoredQuery {
  /** The name of the calling function, for messages. */
  readonly fn: string;
  readonly plan: (connection: Connection) => Plan;
  readonly connection: Connection;
  /**
   * The earliest moment. The first returned version is the version that was current at this moment. Undefined means all
   * versions.
   */
  readonly from?: Date | undefined;
  /** Whether a moment at which the service confirmed a response is a version, too: its last day of data can be later. */
  readonly confirmed?: boolean;
}

/** A version: the result of an operation as of a moment. */
interface Vintage {
  /** The time at which the newest of the responses arrived. */
  readonly moment: Date;
  /** The frame. Null if a response is damaged or does not have the documented shape. */
  readonly frame: DataFrame | null;
}

/** Opens the cache folder of a connection, to read stored responses as of a moment. */
function archiveOf(fn: string, connection: Connection) {
  const { cache, ...others } = settingsOf(connection);
  if (cache === null) {
    const hint = others.target === "sample" ? "; sample data needs allowSample: true" : "";
    throw new ConfigurationError(
      `${fn}: needs a connection with a cache: connect({ cache: { dir } })${hint}`,
    );
  }
  const settings = { ...others, cache, warn: () => {} };
  // Opens the folder again, because responses may have been stored since the connection first read it.
  const folder = createCache(cache.dir, settings);
  return {
    settings,
    times: folder.times,
    /** Returns an offline connection for planning requests as of a moment. */
    connectionAt: (asOf: Date) =>
      connectionOf({ ...settings, cache: { ...cache, mode: "offline", asOf } }),
    /**
     * Returns the response that was current at a moment. Returns null if this response is damaged. Returns undefined if
     * no response was stored yet.
     */
    responseAt: async (request: ApiRequest, moment: Date) => {
      const entry = await folder.readAt(request, moment);
      if (entry === null) {
        const [first] = await folder.times(request);
        return first === undefined || first > moment ? undefined : null;
      }
      const url = settings.redact(requestUrl(settings.baseUrl, request));
      const about = { operation: request.operation, url, attempts: 0 };
      return responseIn(entry, { ...about, source: "cache", settings });
    },
  };
}

type Archive = ReturnType<typeof archiveOf>;

/** Returns the result of the operation as of a moment, or undefined if one of its responses was not stored yet. */
async function vintageAt(
  { plan: planAt }: StoredQuery,
  { connectionAt, responseAt }: Archive,
  moment: Date,
): Promise<Vintage | undefined> {
  const plan = planAt(connectionAt(moment));
  const responses: ApiResponse[] = [];
  const damaged = { moment, frame: null };
  try {
    for (const requests of [() => plan.first, () => plan.rest(responses)]) {
      const read = await Promise.all(requests().map((request) => responseAt(request, moment)));
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
async function momentsOf(
  { plan, confirmed = false }: StoredQuery,
  { settings: { clock, cache: { asOf } }, times, connectionAt, responseAt }: Archive,
): Promise<Date[]> {
  const until = asOf ?? new Date(clock.now());
  const { first, rest } = plan(connectionAt(until));
  const newest = first[0] && await responseAt(first[0], until);
  const requests = [...first, ...(newest ? rest([newest]) : [])];
  const all = (await Promise.all(requests.map((request) => times(request, { confirmed }))))
    .flat().map((time) => time.getTime());
  return [...new Set(all)].sort((a, b) => a - b).map((time) => new Date(time))
    .filter((time) => asOf === null || time <= asOf);
}

/**
 * Yields the result of a plan as of each moment at which one of its responses arrived, in order of time.
 *
 * @throws {ConfigurationError} for a connection without a cache.
 * @throws {CacheError} if the archive holds no response to the query.
 */
export async function* storedVersions(query: StoredQuery): AsyncGenerator<Vintage> {
  const { fn, connection, from } = query;
  const archive = archiveOf(fn, connection);
  const moments = await momentsOf(query, archive);
  const last = moments.findLastIndex((time) => from !== undefined && time <= from);
  let found = false;
  for (const moment of moments.slice(Math.max(0, last))) {
    const vintage = await vintageAt(query, archive, moment);
    if (vintage === undefined) continue;
    found = true;
    yield vintage;
  }
  const { dir } = archive.settings.cache;
  if (!found) throw new CacheError(`${fn}: the cache in ${dir} has no response to this query`);
}
