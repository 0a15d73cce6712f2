import { fileSnapshots, sampleSnapshots } from "./snapshots.ts";
import { createApp } from "./web/app.ts";
import type { RequestState } from "./web/hono.ts";
import { failureResponse } from "./web/failure.ts";

/** A log entry of a request. */
export interface RequestLog {
  /** When the request came, ISO 8601. */
  readonly time: string;
  /** The method, as it was sent. */
  readonly method: string;
  /** The path, without the query. */
  readonly path: string;
  /** The status of the response. */
  readonly status: number;
  /** How long the response took, in milliseconds. */
  readonly ms: number;
  /** The rows of the response; null when it has none. */
  readonly rows: number | null;
}

/** Options of `createService`. */
export interface ServiceOptions {
  /**
   * The tokens that are let in, one at least.
   * @default a random one, which is in `Service.tokens`
   */
  tokens?: readonly string[];
  /**
   * The path of a file of data that was built from facts. When it is replaced, the new one is served.
   * @default sample data with invented names
   */
  data?: string;
  /**
   * How many requests each token may send within `seconds` (60, if not given).
   * @default no limit
   */
  rateLimit?: { readonly requests: number; readonly seconds?: number };
  /**
   * How many wrong tokens are answered with 403 in a minute; more of them are answered with 429, a
   * right one never. `addressHeader` is the header in which a reverse proxy names the address of the
   * client: its last entry counts, and without it only the total is counted.
   * @default 60 from an address (of the connection), and 600 in all
   */
  wrongTokens?: {
    readonly perAddress?: number;
    readonly total?: number;
    readonly addressHeader?: string;
  };
  /**
   * The origins whose pages may send requests from a browser, or `"*"`.
   * @default none
   */
  cors?: "*" | readonly string[];
  /**
   * Called after each response; never gets the token.
   * @default nothing is logged
   */
  log?: (entry: RequestLog) => void;
  /**
   * Called with errors of the service itself, which no response shows.
   * @default they are ignored
   */
  onError?: (error: unknown) => void;
  /**
   * The clock, in milliseconds.
   * @default Date.now
   */
  now?: () => number;
}

/** The service: a function from Request to Response. */
export interface Service {
  /**
   * Answers a request that came from an address; never rejects. The headers `Data-Through` and
   * `Data-Since` of every response are the last and the first day of the data, as `YYYY-MM-DD`;
   * `Data-Sample: true` says that it is sample data.
   *
   * A chunk of `body` may be shared with later responses and must not be changed; `json()`, `text()` and
   * `bytes()` give a copy. A long body is read from the data while it is sent: until it is read or
   * canceled, the data stays open.
   */
  fetch(request: Request, from?: { readonly address?: string | undefined }): Promise<Response>;
  /** The tokens that are let in. */
  readonly tokens: readonly string[];
  /** Closes the data once running requests are answered. */
  close(): Promise<void>;
}

function randomToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function checkTokens(tokens: readonly string[]): readonly string[] {
  if (tokens.length === 0) throw new TypeError("Cannot create a service without a token: got []");
  const bad = tokens.findIndex((token) => !/^[A-Za-z0-9\-._~+/]+=*$/.test(token));
  if (bad >= 0) {
    throw new TypeError(
      `Cannot create a service: token ${bad + 1} of ${tokens.length} is no bearer token ` +
        "(letters, digits and -._~+/ only)",
    );
  }
  return [...tokens];
}

function pathOf({ url }: Request): string {
  return url.slice(url.indexOf("/", 8)).replace(/[?#].*$/, "");
}

/** Wraps a callback so that its errors do not fail a response. */
function harmless<T>(callback: (value: T) => void, otherwise: (error: unknown) => void) {
  return (value: T) => {
    try {
      callback(value);
    } catch (error) {
      otherwise(error);
    }
  };
}

/**
 * Makes the reference service: the six operations, over a file of data or over sample data.
 *
 * @throws {TypeError} for a list of tokens that is empty or holds text that is no bearer token.
 * @throws {RangeError} for a rate limit below 1, or a bound on wrong tokens below 1.
 * @throws {Error} when the file of data cannot be opened.
 */
export async function createService(options: ServiceOptions = {}): Promise<Service> {
  const { tokens = [randomToken()], data, rateLimit, wrongTokens, cors, now = Date.now } = options;
  const onError = harmless(options.onError ?? (() => {}), () => {});
  const log = harmless(options.log ?? (() => {}), onError);
  const checked = checkTokens(tokens);
  const app = createApp({ tokens: checked, wrongTokens, rateLimit, cors, now, onError });
  const snapshots = data === undefined
    ? await sampleSnapshots()
    : await fileSnapshots(data, { now, onError });

  const respond = async (request: Request, state: RequestState): Promise<Response> => {
    try {
      return await app.fetch(request, state);
    } catch (error) {
      onError(error);
      return failureResponse(error);
    }
  };
  return {
    async fetch(request, from = {}) {
      const started = now();
      const { snapshot, release } = snapshots.acquire();
      const state: RequestState = { snapshot, address: from.address, rows: null };
      const response = await respond(request, state);
      // Of the data that it was made from, whatever is served by now.
      response.headers.set("data-through", snapshot.span.last_day);
      response.headers.set("data-since", snapshot.span.first_day);
      if (snapshot.sample) response.headers.set("data-sample", "true");
      const end = () => {
        release();
        log({
          time: new Date(started).toISOString(),
          method: request.method,
          path: pathOf(request),
          status: response.status,
          ms: now() - started,
          rows: state.rows,
        });
      };
      if (state.sending === undefined) end();
      else void state.sending.catch(onError).then(end);
      return response;
    },
    tokens: checked,
    close() {
      snapshots.close();
      return Promise.resolve();
    },
  };
}
