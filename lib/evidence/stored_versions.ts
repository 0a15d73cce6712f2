import { createCache } from "../http/cache.ts";
import { type Connection, connectionOf, settingsOf } from "../http/connect.ts";
import { CacheError, ConfigurationError, ResponseError } from "../http/errors.ts";
import { moment } from "../http/settings.ts";
import type { ApiRequest } from "../http/request.ts";
import { anything, func, required } from "../platform/check_options.ts";
import type { DataFrame } from "../table/columns/polars.ts";

/** The rules of the fields that the readers of an archive share. */
export const ARCHIVE_RULES = { operation: required(func), query: anything, from: moment("start") };

/** A call of an operation, and the stored versions of its result to return. */
interface StoredQuery {
  /** The name of the calling function, for messages. */
  readonly fn: string;
  /** Calls the operation with a connection. */
  readonly call: (connection: Connection) => Promise<DataFrame>;
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
interface Version {
  /** The time at which the newest of the responses arrived. */
  readonly moment: Date;
  /** The frame. Null if a response is damaged or does not have the documented shape. */
  readonly frame: DataFrame | null;
}

/**
 * Yields the result of an operation as of each moment at which one of its responses arrived, in order of time.
 *
 * @throws {ConfigurationError} for a connection without a cache.
 * @throws {CacheError} if the archive holds no response to the query.
 */
export async function* storedVersions(
  { fn, call, connection, from, confirmed = false }: StoredQuery,
): AsyncGenerator<Version> {
  const settings = settingsOf(connection);
  const { cache, clock, target } = settings;
  if (cache === null) {
    const hint = target === "sample" ? "; sample data needs allowSample: true" : "";
    throw new ConfigurationError(
      `${fn}: needs a connection with a cache: connect({ cache: { dir } })${hint}`,
    );
  }
  const { times } = createCache(cache.dir, settings);
  const resultAt = async (asOf: Date) => {
    const requests: ApiRequest[] = [];
    const at = connectionOf({
      ...settings,
      cache: { ...cache, mode: "offline", asOf },
      requestsPerMinute: Infinity,
      onMissing: "ignore",
      onProgress: () => {},
      onRequests: (more) => void requests.push(...more),
      lock: null,
      warn: () => {},
    });
    const frame = await call(at).catch((error) => {
      if (error instanceof CacheError || error instanceof ResponseError) return null;
      throw error;
    });
    return { frame, requests };
  };
  const timesOf = (requests: readonly ApiRequest[]) =>
    Promise.all(requests.map((request) => times(request, { confirmed })));

  const { requests } = await resultAt(cache.asOf ?? new Date(clock.now()));
  const all = (await timesOf(requests)).flat().map((time) => time.getTime());
  const moments = [...new Set(all)].sort((a, b) => a - b)
    .filter((time) => cache.asOf === null || time <= cache.asOf.getTime());
  const last = moments.findLastIndex((time) => from !== undefined && time <= from.getTime());
  let found = false;
  for (const time of moments.slice(Math.max(0, last))) {
    const { frame, requests } = await resultAt(new Date(time));
    const firsts = frame === null ? (await timesOf(requests)).map(([first]) => first) : [];
    const isStored = firsts.every((first) => first !== undefined && first.getTime() <= time);
    if (!isStored) continue;
    found = true;
    yield { moment: new Date(time), frame };
  }
  if (!found) {
    throw new CacheError(`${fn}: the cache in ${cache.dir} has no response to this query`);
  }
}
