import {
  attemptName,
  ChainframeError,
  ConfigurationError,
  cut,
  type ErrorContext,
  NetworkError,
  ResponseError,
} from "./errors.ts";
import { createTimer, orAborted } from "./clock.ts";
import { beginningOf, type BodyReading, newReading, readBody } from "./read_body.ts";
import { isNotPermitted } from "../platform/permission.ts";
import { redactCause } from "./redact.ts";
import type { Pace, Waiting } from "./pace.ts";
import type { Watch } from "./progress.ts";
import type { ConnectionSettings } from "./settings.ts";
import type { ApiRequest, Redirection } from "./request.ts";

/** A request to send, with the settings of this request. */
export interface Sending {
  readonly request: ApiRequest;
  readonly url: string;
  /** Value of the header `If-None-Match`, so that the service can return 304; null to omit the header. */
  readonly etag: string | null;
  /** Statuses besides 304 that are not errors. */
  readonly good: readonly number[];
  /** Signal that aborts the request while it is being sent. */
  readonly sends: AbortSignal | null;
  /** Signal that aborts the request while it waits. */
  readonly waits: AbortSignal;
  /** Function that is called when the request starts to wait and when the wait ends. */
  readonly waiting: Waiting;
  /** Follows the attempts of the request. */
  readonly watch: Watch;
  /** Context for the errors of the request. */
  readonly about: ErrorContext;
}

/** The raw response to one request, after redirects. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly renamed: readonly Redirection[];
}

const MEGABYTE = 1024 * 1024;
/** Maximum size of a body, in bytes, after it is unpacked. */
export const MAX_BYTES = 256 * MEGABYTE;

function beginsWith(reading: BodyReading, { redact }: ConnectionSettings): string {
  return `the response begins with: ${redact(beginningOf(reading)).slice(0, 200) || "(nothing)"}`;
}

/**
 * The state of an HTTP request in progress: the response, and the part of the body that has been read. The response is
 * null before its headers arrive.
 */
interface Stage {
  response: Response | null;
  readonly reading: BodyReading;
}

/** Returns the error for an HTTP request that failed before the whole response was read. */
function breakOf(
  cause: unknown,
  { response, reading }: Stage,
  { about, settings }: { readonly about: ErrorContext; readonly settings: ConnectionSettings },
): ChainframeError {
  const { redact, target, baseUrl } = settings;
  const { operation } = about;
  const context = { ...about, cause: redactCause(cause, redact) };
  const reason = redact(cause instanceof Error ? cause.message : String(cause));
  if (isNotPermitted(cause)) {
    return new ConfigurationError(`${operation}: Deno does not allow it: ${reason}`, context);
  }
  if (target === "sample") {
    return new ChainframeError(`${operation}: the embedded service failed: ${reason}`, context);
  }
  if (response === null) {
    const under = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : "";
    const why = under === "" ? reason : `${reason}: ${redact(under)}`;
    const message = `no connection to ${new URL(baseUrl).origin}: ${why}`;
    return new NetworkError(`${attemptName(about)}: ${message}`, context);
  }
  const { status, headers } = response;
  const end = `${reason}; ${beginsWith(reading, settings)}`;
  // If the connection breaks, Deno's error contains the text below. If a body cannot be decompressed, the error has a
  // different text.
  const encoding = headers.get("content-encoding");
  if (encoding !== null && !reason.includes("reading a body from connection")) {
    const expected = redact(encoding);
    const message = `expected ${expected} as in its content-encoding: ${end}`;
    const details = { ...context, status, expected, got: reason };
    return new ResponseError(`${operation}: ${message}`, details);
  }
  const message = `the connection broke after ${reading.length} bytes of the response: ${end}`;
  return new NetworkError(`${attemptName(about)}: ${message}`, { ...context, status });
}

/** Sends one HTTP request and reads the whole response. Throws if this takes longer than the connection's timeout. */
async function exchange(
  requestFor: (signal: AbortSignal) => Request,
  { request, about, sends }: Sending,
  settings: ConnectionSettings,
): Promise<Omit<RawResponse, "renamed">> {
  const timer = createTimer(settings.clock, [sends]);
  const stage: Stage = { response: null, reading: newReading() };
  const maxBytes = request.file?.maxBytes ?? MAX_BYTES;

  const sendAndRead = async () => {
    const response = await settings.fetch(requestFor(timer.signal));
    if (typeof response?.status !== "number") throw new TypeError("fetch: must return a Response");
    if (timer.signal.aborted) await response.body?.cancel();
    stage.response = response;
    const { status, headers } = response;
    const declared = Number(headers.get("content-length") ?? 0);
    const bytes = await readBody(response, declared > maxBytes ? 0 : maxBytes, stage.reading);
    if (bytes !== null) return { status, headers, bytes };
    const expected = `at most ${
      maxBytes % MEGABYTE === 0 ? `${maxBytes / MEGABYTE} MB` : `${maxBytes} bytes`
    }`;
    throw new ResponseError(
      `${about.operation}: expected ${expected}; ${beginsWith(stage.reading, settings)}`,
      { ...about, status, expected },
    );
  };

  timer.start(settings.timeout);
  try {
    return await orAborted(sendAndRead(), timer.signal);
  } catch (cause) {
    if (cause instanceof ChainframeError) throw cause;
    sends?.throwIfAborted();
    if (!timer.expired()) throw breakOf(cause, stage, { about, settings });
    const missing = stage.response === null ? "no response" : "no complete response";
    const limit = `within ${settings.timeout} ms, raise timeout`;
    throw new NetworkError(
      `${attemptName(about)}: ${missing} ${limit}: ${about.url}`,
      { ...about, status: stage.response?.status },
    );
  } finally {
    timer.end();
  }
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const MAX_REDIRECTS = 5;
const MAX_LOCATION = 8_192;

/** Where a redirect may lead, besides the origin of the request. */
type Allowed = (to: URL) => boolean;

/**
 * Returns the target of a redirect. The target must have the same origin as the request if the token is sent to the
 * target.
 */
function redirectedUrl(
  from: URL,
  location: string | null,
  { allowed, refuse }: { readonly allowed: Allowed | null; readonly refuse: Refuse },
): URL {
  if (location !== null && location.length > MAX_LOCATION) {
    return refuse(`a URL of at most ${MAX_LOCATION} characters`, location);
  }
  const url = location === null ? null : URL.parse(location, from);
  if (url === null) return refuse("a URL", location ?? "(no location)");
  // A `blob:` URL has the origin of the page that created it, so the protocol is compared as well.
  const isSame = url.protocol === from.protocol && url.origin === from.origin;
  if (allowed !== null && !isSame && !allowed(url)) return refuse("a URL of https", url.href);
  if (allowed === null && !isSame) {
    const got = /^https?:$/.test(url.protocol) ? url.origin : url.href;
    return refuse("a URL within the origin of baseUrl, to which the token is sent", got);
  }
  url.username = url.password = url.hash = "";
  return url;
}

type Refuse = (expected: string, got: string) => never;

/**
 * Makes one attempt to send a request, and follows at most five redirects: within the origin, or over https if no token
 * is sent. The function does not use
 * `redirect: "follow"`, because `fetch` could then send the token and the body to another origin.
 *
 * @throws {NetworkError} when the connection failed or broke, or no complete response arrived in time.
 * @throws {ResponseError} when the body is too large, or a redirect leads to another origin or in a circle.
 */
export async function send(
  sending: Sending,
  settings: ConnectionSettings,
  pace: Pace,
): Promise<RawResponse> {
  const { request, etag, about, waits, waiting } = sending;
  // A file can be at any address, so no token is sent.
  const isFile = request.file !== undefined;
  const headers = new Headers({ accept: isFile ? "*/*" : "application/json" });
  if (!isFile) headers.set("authorization", `Bearer ${settings.token()}`);
  if (etag !== null) headers.set("if-none-match", etag);
  if (request.body !== null) headers.set("content-type", "application/json");
  let [url, method] = [new URL(sending.url), request.method];
  const renamed: Redirection[] = [];
  for (;;) {
    const body = method === "GET" ? null : JSON.stringify(request.body);
    const init = { method, headers, body, redirect: "manual" } as const;
    const requestFor = (signal: AbortSignal) => new Request(url, { ...init, signal });
    const response = await exchange(requestFor, sending, settings);
    const { status } = response;
    if (!REDIRECTS.includes(status)) return { ...response, renamed };
    const refuse: Refuse = (expected, location) => {
      const got = cut(settings.redact(location), 200);
      const message = `redirect (${status}): expected ${expected}; got ${got}`;
      throw new ResponseError(`${about.operation}: ${message}`, {
        ...about,
        status,
        expected,
        got,
      });
    };
    if (renamed.length === MAX_REDIRECTS) {
      const expected = `at most ${MAX_REDIRECTS} redirects`;
      const paths = renamed.map(({ to }) => to).join(", ");
      throw new ResponseError(
        `${about.operation}: expected ${expected}; got ${paths}`,
        { ...about, status, expected },
      );
    }
    const allowed: Allowed | null = isFile ? ({ protocol }) => protocol === "https:" : null;
    const next = redirectedUrl(url, response.headers.get("location"), { allowed, refuse });
    const path = ({ origin, pathname, search }: URL) => {
      const shown = url.search === next.search ? pathname : pathname + search;
      return settings.redact(url.origin === next.origin ? shown : origin + shown);
    };
    renamed.push({ from: path(url), to: path(next) });
    // A 303 requires a GET. For other redirects, a POST stays a POST, which is safe because operations only read data.
    if (status === 303) {
      method = "GET";
      headers.delete("content-type");
    }
    url = next;
    await pace.turn(waits, waiting);
  }
}
