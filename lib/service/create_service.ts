import { fileSnapshots, sampleSnapshots } from "./snapshots.ts";
import { createApp } from "./web/app.ts";
import { cors as corsRules, type CorsOrigins } from "./web/cors.ts";
import type { RequestState } from "./web/hono.ts";
import { failureResponse } from "./web/failure.ts";
import type { RateLimit } from "./web/access.ts";
import type { WrongTokens } from "./web/wrong_tokens.ts";

/** What is told about a request that was answered. */
export interface RequestLog {
  /** When it came, ISO 8601. */
  readonly time: string;
  /** The method, as it was sent. */
  readonly method: string;
  /** The path, without the query. */
  readonly path: string;
  /** The status of the answer. */
  readonly status: number;
  /** How long the answer took, in milliseconds. */
  readonly ms: number;
  /** The rows of the answer; null when it has none. */
  readonly rows: number | null;
}

/** How the service is set up. */
export interface ServiceOptions {
  /**
   * The tokens that are let in, one at least.
   * @default a random one, which the service hands back
   */
  tokens?: readonly string[];
  /**
   * The path of a file of data that was built from facts. When it is replaced, the new one is served.
   * @default sample data with invented names, in memory
   */
  data?: string;
  /**
   * How many requests each token may make.
   * @default no limit
   */
  rateLimit?: RateLimit;
  /**
   * How many wrong tokens are looked at in a minute; more of them are refused with 429, right ones never.
   * @default 60 from an address, and 600 in all
   */
  wrongTokens?: WrongTokens;
  /**
   * The origins whose pages may call from a browser, or `"*"`.
   * @default none
   */
  cors?: CorsOrigins;
  /**
   * Told about each request that was answered; never the token.
   * @default nobody is told
   */
  log?: (entry: RequestLog) => void;
  /**
   * Told about what went wrong inside, which no answer says.
   * @default nobody is told
   */
  onError?: (error: unknown) => void;
  /**
   * The clock, in milliseconds.
   * @default Date.now
   */
  now?: () => number;
}

/** Where a request came from. */
export interface RequestOrigin {
  /**
   * The address of the client's end of the connection.
   * @default it is not known
   */
  readonly address?: string | undefined;
}

/** The service: a function from Request to Response. */
export interface Service {
  /**
   * Answers a request; it never rejects. The headers `Data-Through` and `Data-Since` of every answer
   * are the last and the first day of the data, as `YYYY-MM-DD`. Who reads `body` chunk by chunk shares the bytes with later
   * answers, and must not change them; `json()`, `text()` and `bytes()` give a copy. A long body is read
   * from the data while it is sent: until it is read or cancelled, the data stays open.
   */
  fetch(request: Request, from?: RequestOrigin): Promise<Response>;
  /** The tokens that are let in. */
  readonly tokens: readonly string[];
  /** Lets go of the data once the requests under way are answered. */
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

/** The same callback, but one that fails tells somebody else, or nobody: it must not cost an answer. */
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
 * @throws {RangeError} for a rate limit that lets nobody in, or a bound on wrong tokens below 1.
 * @throws {Error} when the file of data cannot be opened.
 */
export async function createService(options: ServiceOptions = {}): Promise<Service> {
  const { tokens = [randomToken()], data, rateLimit, wrongTokens, cors, now = Date.now } = options;
  const onError = harmless(options.onError ?? (() => {}), () => {});
  const log = harmless(options.log ?? (() => {}), onError);
  const checked = checkTokens(tokens);
  const app = createApp({ tokens: checked, wrongTokens, rateLimit, now, onError });
  const rules = cors === undefined ? null : corsRules(cors);
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
      const response = rules?.preflight(request) ?? await respond(request, state);
      // Of the data that it was made from, whatever is served by now.
      response.headers.set("data-through", snapshot.span.last_day);
      response.headers.set("data-since", snapshot.span.first_day);
      rules?.allow(request, response);
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
