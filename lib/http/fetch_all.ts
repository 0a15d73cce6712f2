import { createCache } from "./cache.ts";
import type { CacheEntry } from "./cache_entry.ts";
import { type Connection, settingsOf } from "./connect.ts";
import { CacheError, NotFoundError } from "./errors.ts";
import { listenForInterrupt } from "./interrupt.ts";
import type { ConnectionSettings } from "./settings.ts";
import { paceOf, type Waiting } from "./pace.ts";
import { createProgress, type Watch } from "./progress.ts";
import { type ApiRequest, requestKey, requestUrl } from "./request.ts";
import {
  type ApiResponse,
  envelopeOf,
  failureOf,
  type ParsedBody,
  parsedBody,
} from "./response.ts";
import { retry } from "./retry.ts";
import type { RawResponse } from "./send.ts";
import { dateOfDay, dayOf } from "../schema/period.ts";
import { sha256 } from "../platform/machine.ts";
import { jupyterOf } from "../platform/jupyter.ts";
import { notify } from "../platform/terminal.ts";

/** A request in progress, and the number of calls that wait for it. */
interface Pending {
  readonly response: Promise<ApiResponse>;
  callers: number;
  /** Stops the waits and retries of the request when no call waits for its response any longer. */
  readonly stop: AbortController;
}

/** Creates the state that all calls of a connection share. */
function createSession(connection: Connection) {
  const settings = settingsOf(connection);
  if (settings.cache === null && settings.fileCache !== null) {
    notify(
      `chainframe: the cache in ${settings.fileCache.dir} is not used for sample data. To store sample data, pass ` +
        'allowSample: true. To read the responses in it, connect with cache mode "offline".',
    );
  }
  return {
    settings,
    pace: paceOf(settings),
    cache: settings.cache === null ? null : createCache(settings.cache.dir, settings),
    /** The requests in progress, by key. */
    pending: new Map<string, Pending>(),
  };
}

type Session = ReturnType<typeof createSession>;

const sessions = new WeakMap<Connection, Session>();

function sessionOf(connection: Connection): Session {
  const session = sessions.get(connection) ?? createSession(connection);
  sessions.set(connection, session);
  return session;
}

/** Returns whether a cached entry may be used without a request. */
function isFresh(
  entry: CacheEntry,
  { settlesOn }: ApiRequest,
  { clock, cache }: ConnectionSettings,
) {
  // A missing project may be added later, so its 404 is never final.
  if (entry.status !== 200) return false;
  const given = cache?.maxAge ?? null;
  if (given === 0) return false;
  const known = Math.min(
    // The last day that was complete when the service last confirmed the entry.
    dayOf(new Date(entry.checked_at.getTime() - 1)) - 1,
    entry.data_through === null ? Infinity : dayOf(entry.data_through),
  );
  const age = clock.now() - entry.checked_at.getTime();
  const maxAge = given ?? (settlesOn === undefined ? Infinity : 0);
  // The age is negative if the clock was set back. A negative age is not compared with `maxAge`.
  return maxAge === Infinity ||
    (age >= 0 && (age < maxAge || (settlesOn !== undefined && known >= settlesOn)));
}

/** Returns the day in a header of a response; null if the header is missing or invalid. */
function dayIn(headers: Headers, name: string): Date | null {
  const text = headers.get(name);
  const day = text === null ? NaN : dayOf(text.trim());
  return Number.isNaN(day) ? null : dateOfDay(day);
}

/** Returns whether a header `Link` leads to a next page. */
function linksNext(header: string | null): boolean {
  return /;\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next\b)/i.test(header ?? "");
}

function entryOf({ status, bytes, renamed, headers }: RawResponse, now: Date): CacheEntry {
  return {
    status,
    bytes,
    sha256: sha256(bytes),
    etag: status === 200 ? headers.get("etag") : null,
    renamed,
    retrieved_at: now,
    checked_at: now,
    data_through: dayIn(headers, "data-through"),
    data_since: dayIn(headers, "data-since"),
    data_sample: headers.get("data-sample") === "true",
    next_page: linksNext(headers.get("link")),
  };
}

/** Updates an entry from a 304 response. The body stays the same, but the response can state later days of data. */
function confirmed(entry: CacheEntry, headers: Headers, now: Date): CacheEntry {
  return {
    ...entry,
    etag: headers.get("etag") ?? entry.etag,
    checked_at: now,
    data_through: dayIn(headers, "data-through") ?? entry.data_through,
    data_since: dayIn(headers, "data-since") ?? entry.data_since,
  };
}

/** The operation and the URL of a request, and the number of attempts. */
interface About {
  readonly operation: ApiRequest["operation"];
  readonly url: string;
  readonly attempts: number;
}

/** Returns the bytes of a file as `data`. */
function fileIn(bytes: Uint8Array<ArrayBuffer>, redact: ConnectionSettings["redact"]) {
  const body = () => redact(new TextDecoder().decode(bytes));
  return { data: bytes, errors: [], notes: [], body };
}

/** Reads a response from the bytes of an entry. A 404 is a valid response. */
function responseIn(
  entry: CacheEntry,
  { source, settings, parsed, ...about }: About & {
    readonly source: ApiResponse["source"];
    readonly settings: ConnectionSettings;
    /** The body, if it was parsed when it arrived. */
    readonly parsed?: ParsedBody | undefined;
  },
): ApiResponse {
  const { bytes, status, etag: _etag, removed: _removed, data_sample, ...kept } = entry;
  const { redact } = settings;
  const sample = data_sample || settings.target === "sample";
  const common = { ...about, ...kept, sample, source, redact };
  if (status !== 200) {
    const body = new TextDecoder().decode(bytes);
    const notFound = failureOf(status, body, about, { redact });
    if (!(notFound instanceof NotFoundError)) throw notFound;
    const none = {
      data: null,
      errors: [],
      notes: [],
      body: () => redact(body),
    };
    return { ...common, ...none, status: 404, notFound };
  }
  const envelope = about.operation === "openFrame" ? fileIn(bytes, redact) : envelopeOf(
    parsed ?? parsedBody(bytes, { ...about, status }, redact),
    { ...about, status },
    redact,
  );
  for (const { from, to } of kept.renamed) {
    settings.warn(`chainframe: ${about.operation}: redirected from ${from} to ${to}`);
  }
  return { ...common, ...envelope, status, notFound: null };
}

/** Returns the error for a request whose response is not in the cache, in offline mode. */
async function notKept(
  request: ApiRequest,
  { settings, cache }: Session,
  about: About,
): Promise<CacheError> {
  const { dir, asOf } = settings.cache!;
  const when = asOf === null ? "" : ` as of ${asOf.toISOString()}`;
  const [first] = await cache!.times(request);
  const known = first === undefined ? "" : ` (its first was retrieved ${first.toISOString()})`;
  const why = `the cache in ${dir} has no intact response${known}`;
  return new CacheError(`${about.operation}: offline${when}, and ${why}: ${about.url}`, about);
}

const stores = new WeakMap<ApiResponse, () => Promise<void>>();

/** Stores files in the cache, after a frame was made of them. Has no effect for files that were read from the cache. */
export async function keep(responses: readonly ApiResponse[]): Promise<void> {
  for (const response of responses) {
    const store = stores.get(response);
    stores.delete(response);
    await store?.();
  }
}

const removals = new WeakMap<ApiResponse, () => Promise<void>>();

/**
 * Removes malformed responses from the cache, so that the next call requests them again. Has no effect in offline mode.
 */
export async function forget(responses: readonly ApiResponse[]): Promise<void> {
  for (const response of responses) await removals.get(response)?.();
}

/** Returns the response to one request, from the cache if the options permit this, otherwise from the service. */
async function answer(
  request: ApiRequest,
  session: Session,
  { signal, stop, ...progress }: {
    readonly signal: AbortSignal | null;
    readonly stop: AbortSignal;
    readonly waiting: Waiting;
    readonly watch: () => Watch;
  },
): Promise<ApiResponse> {
  const { settings, cache, pace } = session;
  const { operation } = request;
  const mode = settings.cache?.mode;
  const named = requestUrl(settings.baseUrl, request);
  const url = request.file?.address ?? named;
  const about = { operation, url: settings.redact(named), attempts: 0 };
  const before = mode === "refresh" ? null : await cache?.read(request) ?? null;
  signal?.throwIfAborted();
  if (mode === "offline") {
    if (before === null) throw await notKept(request, session, about);
    return responseIn(before, { ...about, source: "cache", settings });
  }
  const readOrRemove = async (
    entry: CacheEntry,
    source: ApiResponse["source"],
    { attempts = 0, parsed }: { readonly attempts?: number; readonly parsed?: ParsedBody } = {},
  ) => {
    try {
      const response = responseIn(entry, { ...about, attempts, source, settings, parsed });
      if (cache !== null) removals.set(response, () => cache.remove(request, entry.sha256));
      return response;
    } catch (error) {
      if (source === "cache") await cache?.remove(request, entry.sha256);
      throw error;
    }
  };
  if (before !== null && isFresh(before, request, settings)) {
    return await readOrRemove(before, "cache");
  }
  // The 404 of a project that does not exist is a valid response.
  const good = operation === "project" ? [200, 404] : [200];
  const etag = before?.etag ?? null;
  const { waiting, watch } = progress;
  const sending = {
    waiting,
    watch: watch(),
    request,
    url,
    etag,
    good,
    sends: signal,
    waits: stop,
    about,
  };
  const sent = await retry(sending, settings, pace);
  const now = new Date(settings.clock.now());
  if (sent.status === 304 && before !== null) {
    const entry = confirmed(before, sent.headers, now);
    await cache?.confirm(request, entry);
    return await readOrRemove(entry, "cache", { attempts: sent.attempts });
  }
  const entry = entryOf(sent, now);
  const response = await readOrRemove(entry, settings.target, sent);
  const store = async () => await cache?.write(request, entry);
  // A file is stored only when its caller could read it.
  if (request.file === undefined) await store();
  else stores.set(response, store);
  return response;
}

/**
 * Returns the response of an identical request in progress, or of a new request. `leave` ends the wait for the
 * response.
 */
function share(
  request: ApiRequest,
  session: Session,
  { signal, ...progress }: {
    readonly signal: AbortSignal | null;
    readonly waiting: Waiting;
    readonly watch: () => Watch;
  },
): { readonly response: Promise<ApiResponse>; readonly leave: () => void } {
  const { pending, settings } = session;
  const settlesOn = settings.cache === null ? undefined : request.settlesOn;
  const key = `${requestKey(settings.baseUrl, request)} ${settlesOn}`;
  let shared = pending.get(key);
  if (shared === undefined || shared.stop.signal.aborted) {
    const stop = new AbortController();
    const response = answer(request, session, { signal, stop: stop.signal, ...progress });
    const made = { response, stop, callers: 0 };
    const remove = () => pending.get(key) === made && pending.delete(key);
    response.then(remove, remove);
    pending.set(key, made);
    shared = made;
  }
  const current = shared;
  current.callers++;
  return {
    response: current.response,
    leave: () => {
      if (--current.callers === 0) current.stop.abort();
    },
  };
}

/**
 * Sends the requests of one call, `concurrency` at a time, and returns their responses in the order of the requests.
 * The first failure ends the call. Responses that arrived before the failure stay in the cache. A 404 of a project is a
 * valid response.
 *
 * @throws {ChainframeError} when a request fails.
 */
export async function fetchAll(
  requests: readonly ApiRequest[],
  connection: Connection,
): Promise<ApiResponse[]> {
  const session = sessionOf(connection);
  if (requests.length === 0) return [];
  const { settings } = session;
  settings.onRequests?.(requests);
  settings.signal?.throwIfAborted();
  const interrupt = jupyterOf() === null ? null : listenForInterrupt();
  const signals = [settings.signal, interrupt?.signal].filter((each) => each != null);
  const signal = signals.length === 0 ? null : AbortSignal.any(signals);
  const progress = createProgress(requests[0]!.operation, requests.length, settings);
  const { waiting, watch } = progress;
  const responses: ApiResponse[] = [];
  const leaving = new Set<() => void>();
  const failures: unknown[] = [];
  const queue = requests.entries();
  const work = async () => {
    for (const [index, request] of queue) {
      const { response, leave } = share(request, session, { signal, waiting, watch });
      leaving.add(leave);
      try {
        responses[index] = await response;
        progress.arrived();
      } catch (reason) {
        failures.push(reason);
        // The other requests of this call stop waiting. If a request was already sent, its response can still be
        // cached.
        for (const each of leaving) each();
        leaving.clear();
      } finally {
        if (leaving.delete(leave)) leave();
      }
      if (failures.length > 0) return;
    }
  };
  const workers = Math.min(settings.concurrency, requests.length);
  try {
    await Promise.all(Array.from({ length: workers }, work));
    await progress.end();
  } finally {
    interrupt?.end();
  }
  if (failures.length > 0) throw failures[0];
  return responses;
}
