import { randomBytes } from "node:crypto";
import { anything, checkOptions, func, string } from "../platform/check_options.ts";
import { openSnapshots } from "./snapshot.ts";
import { createApp } from "./web/app.ts";
import type { RequestState } from "./web/hono.ts";
import { failureResponse } from "./web/failure.ts";

/** Options of `createService`. */
export interface ServiceOptions {
  /**
   * The accepted tokens, at least one.
   * @default a random token, which is in `Service.tokens`
   */
  tokens?: readonly string[];
  /**
   * The path of a data file built from facts. If the file is replaced, the new file is served.
   * @default sample data with invented names
   */
  data?: string;
  /**
   * The rate limit of each token: at most `requests` requests within `seconds` seconds (60 by default).
   * @default no limit
   */
  rateLimit?: { readonly requests: number; readonly seconds?: number };
  /**
   * Called after each response. The entry never contains the token.
   * @default nothing is logged
   */
  log?: (entry: {
    /** The time at which the request arrived, in ISO 8601. */
    readonly time: string;
    /** The HTTP method of the request. */
    readonly method: string;
    /** The path, without the query. */
    readonly path: string;
    /** The status of the response. */
    readonly status: number;
    /** Duration of the response, in milliseconds. */
    readonly ms: number;
    /** The number of rows of the response; null if the response has no rows. */
    readonly rows: number | null;
  }) => void;
  /**
   * Called with each internal error of the service. Responses do not contain these errors.
   * @default internal errors are ignored
   */
  onError?: (error: unknown) => void;
  /**
   * A function that returns the current time, in milliseconds.
   * @default Date.now
   */
  now?: () => number;
}

/** The service: a function from Request to Response. */
export interface Service {
  /**
   * Returns the response to a request. The promise never rejects.
   *
   * Do not modify the chunks of the response's `body`, because they can be shared with later responses. `json()`,
   * `text()` and `bytes()` return copies. A long body is read from the data while it is sent. So the data stays open
   * until the body is read or canceled.
   */
  fetch(request: Request): Promise<Response>;
  /** The accepted tokens. */
  readonly tokens: readonly string[];
  /** Closes the data as soon as all running requests are complete. */
  close(): Promise<void>;
}

const RULES = {
  // A message about a wrong value shows it, so tokens are checked elsewhere.
  tokens: anything,
  data: string,
  rateLimit: anything,
  log: func,
  onError: func,
  now: func,
};

function checkTokens(tokens: readonly string[]): readonly string[] {
  if (!Array.isArray(tokens) || tokens.length === 0) {
    throw new TypeError("createService: tokens: must be a list of at least one token");
  }
  const bad = tokens.findIndex((token) => !/^[A-Za-z0-9\-._~+/]+=*$/.test(token));
  if (bad >= 0) {
    throw new TypeError(
      `createService: tokens: token ${bad + 1} of ${tokens.length} is not a bearer token ` +
        "(letters, digits and -._~+/ only)",
    );
  }
  return [...tokens];
}

function pathOf({ url }: Request): string {
  return url.slice(url.indexOf("/", 8)).replace(/[?#].*$/, "");
}

/** Returns a function that calls `callback` and passes its errors to `otherwise`, so that no response fails. */
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
 * Creates the reference service, which serves the six operations from a data file or from sample data.
 *
 * @throws {TypeError} for an empty list of tokens, or a token that is not a valid bearer token.
 * @throws {RangeError} for an unknown option, or a rate limit below 1.
 * @throws {Error} when the data file cannot be opened.
 */
export async function createService(options: ServiceOptions = {}): Promise<Service> {
  checkOptions(options, RULES, "createService");
  const { tokens = [randomBytes(24).toString("hex")], data, rateLimit, now = Date.now } = options;
  const onError = harmless(options.onError ?? (() => {}), () => {});
  const log = harmless(options.log ?? (() => {}), onError);
  const checked = checkTokens(tokens);
  const app = createApp({ tokens: checked, rateLimit, now, onError });
  const snapshots = await openSnapshots(data, { now, onError });

  const respond = async (request: Request, state: RequestState): Promise<Response> => {
    try {
      return await app.fetch(request, state);
    } catch (error) {
      onError(error);
      return failureResponse(error);
    }
  };
  return {
    async fetch(request) {
      const started = now();
      const { snapshot, release } = snapshots.acquire();
      const state: RequestState = { snapshot, rows: null };
      const response = await respond(request, state);
      // The headers state the days of the data that this response was read from, even if newer data are open now.
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
    close: () => Promise.resolve(snapshots.close()),
  };
}
