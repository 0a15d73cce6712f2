import type { Operation } from "../schema/vocabulary.ts";

/**
 * How far a call of several requests, or a wait, has come.
 *
 * @category Connection
 */
export interface Progress {
  /** The operation that was asked. */
  readonly operation: Operation;
  /** How many answers have arrived. */
  readonly done: number;
  /** How many are needed. */
  readonly total: number;
  /** How long the call will now wait before it sends again, in milliseconds; 0 when it does not. */
  readonly waiting_ms: number;
}

/**
 * What answers requests: the global `fetch`, a service's own, or one for a test.
 *
 * @category Connection
 */
export type Fetch = (request: Request) => Promise<Response>;

/**
 * What to do about entities that the service could not find.
 *
 * @category Connection
 */
export type OnMissing = "warn" | "throw" | "ignore";

/**
 * The options of a cache of answers.
 *
 * @category Connection
 */
export interface CacheOptions {
  /** The folder that holds the answers. It is made when the first one is kept. */
  readonly dir: string;
  /**
   * How old an answer may be, in milliseconds. Offline any age will do.
   *
   * @default {Infinity}
   */
  readonly maxAge?: number;
  /**
   * `"use"` asks the service for what the cache does not hold, `"refresh"` asks for everything and
   * stores it, `"offline"` asks for nothing: it needs no token, and no address where the folder keeps
   * answers of one service only.
   *
   * @default {"use"}
   */
  readonly mode?: "use" | "refresh" | "offline";
  /**
   * `"newest"` keeps one answer of each question, `"all"` every one that differs from the one before: an
   * archive. A folder that holds an archive stays one, whatever a connection says here.
   *
   * @default {"newest"}
   */
  readonly keep?: "newest" | "all";
  /**
   * Answers as on that day: with the newest answer of an archive that was retrieved until then, never a
   * later one. A Date, an ISO timestamp with its zone, or a day, which means its end in UTC. It needs mode
   * `"offline"`.
   */
  readonly asOf?: Date | string;
}

/**
 * The options of {@linkcode connect}.
 *
 * @category Connection
 */
export interface ConnectOptions {
  /**
   * The address of the service, with `/v2` or without: https, or a loopback address.
   *
   * @default {the environment variable CHAINFRAME_BASE_URL}
   */
  readonly baseUrl?: string;
  /**
   * The bearer token. It is sent to the origin of `baseUrl` only, and shows up nowhere else.
   *
   * @default {the environment variable CHAINFRAME_TOKEN}
   */
  readonly token?: string;
  /**
   * What sends the requests.
   *
   * @default {globalThis.fetch}
   */
  readonly fetch?: Fetch;
  /**
   * How many requests are sent in any minute, retries and redirects among them; Infinity for no limit.
   *
   * @default {60; no limit for the embedded service and for loopback addresses}
   */
  readonly requestsPerMinute?: number;
  /**
   * How many requests are under way at a time.
   *
   * @default {4}
   */
  readonly concurrency?: number;
  /**
   * How long one attempt may take, in milliseconds, until the last byte of its answer.
   *
   * @default {30000}
   */
  readonly timeout?: number;
  /**
   * How long a request may take in all, with its retries and waits, in milliseconds, from the moment it
   * is first sent.
   *
   * @default {300000}
   */
  readonly deadline?: number;
  /**
   * How many times a failed request is sent again.
   *
   * @default {4}
   */
  readonly retries?: number;
  /**
   * The longest wait that the service may ask for, in milliseconds: a longer one fails at once.
   *
   * @default {60000}
   */
  readonly maxRetryAfter?: number;
  /**
   * The longest URL, in characters: a longer list of ids is split over several requests.
   *
   * @default {4096}
   */
  readonly maxUrlLength?: number;
  /**
   * Where answers are kept.
   *
   * @default {the folder in the environment variable CHAINFRAME_CACHE, or no cache}
   */
  readonly cache?: CacheOptions;
  /**
   * What to do about entities that the service could not find. `errorsOf` lists them in any case.
   *
   * @default {"warn"}
   */
  readonly onMissing?: OnMissing;
  /** Ends every request of the connection, with the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Is told how far a call of several requests, or a wait of more than a second, has come.
   *
   * @default {in a notebook a display that updates in place, in a terminal a bar on stderr, elsewhere nothing}
   */
  readonly onProgress?: (progress: Progress) => void;
}
