import { randomBytes } from "node:crypto";
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
   * Maximum number of requests of each token within `seconds` (default 60).
   * @default no limit
   */
  rateLimit?: { readonly requests: number; readonly seconds?: number };
  /**
   * Maximum number of wrong tokens per minute that get a 403. Further wrong tokens get a 429; a correct token never
   * does. `addressHeader` is the header in which a reverse proxy sends the address of the client. Its last entry is
   * used. A wrong token without this header counts only toward the total.
   * @default 60 from one address (that of the connection), and 600 in total
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
  log?: (entry: {
    /** When the request arrived, ISO 8601. */
    readonly time: string;
    /** The method, as sent. */
    readonly method: string;
    /** The path, without the query. */
    readonly path: string;
    /** The status of the response. */
    readonly status: number;
    /** Duration of the response, in milliseconds. */
    readonly ms: number;
    /** The number of rows of the response; null if it has none. */
    readonly rows: number | null;
  }) => void;
  /**
   * Called with internal errors of the service, which no response contains.
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
   * Returns the response to a request from an address; never rejects.
   *
   * A chunk of `body` can be shared with later responses and must not be changed; `json()`, `text()` and `bytes()`
   * return a copy. A long body is read from the data while it is sent, so the data stays open until the body is read
   * or canceled.
   */
  fetch(request: Request, from?: { readonly address?: string | undefined }): Promise<Response>;
  /** The accepted tokens. */
  readonly tokens: readonly string[];
  /** Closes the data after running requests are complete. */
  close(): Promise<void>;
}

function randomToken(): string {
  return randomBytes(24).toString("hex");
}

function checkTokens(tokens: readonly string[]): readonly string[] {
  if (tokens.length === 0) throw new TypeError("Cannot create a service without a token: got []");
  const bad = tokens.findIndex((token) => !/^[A-Za-z0-9\-._~+/]+=*$/.test(token));
  if (bad >= 0) {
    throw new TypeError(
      `Cannot create a service: token ${bad + 1} of ${tokens.length} is not a bearer token ` +
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
 * Creates the reference service: the six operations, over a data file or sample data.
 *
 * @throws {TypeError} for an empty list of tokens, or text that is not a bearer token.
 * @throws {RangeError} for a rate limit below 1, or a bound on wrong tokens below 1.
 * @throws {Error} when the data file cannot be opened.
 */
export async function createService(options: ServiceOptions = {}): Promise<Service> {
  const { tokens = [randomToken()], data, rateLimit, wrongTokens, cors, now = Date.now } = options;
  const onError = harmless(options.onError ?? (() => {}), () => {});
  const log = harmless(options.log ?? (() => {}), onError);
  const checked = checkTokens(tokens);
  const app = createApp({ tokens: checked, wrongTokens, rateLimit, cors, now, onError });
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
    async fetch(request, from = {}) {
      const started = now();
      const { snapshot, release } = snapshots.acquire();
      const state: RequestState = { snapshot, address: from.address, rows: null };
      const response = await respond(request, state);
      // The headers describe the data of this response, even if the service has newer data in the meantime.
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
