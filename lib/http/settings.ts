import {
  anything,
  boolean,
  checkOptions,
  func,
  integer,
  oneOf,
  type Rule,
} from "../platform/check_options.ts";
import { readable } from "../platform/machine.ts";
import type { Warn } from "../platform/terminal.ts";
import { momentNamed } from "../schema/period.ts";
import type { Fields } from "../schema/records.ts";
import type { Clock } from "./clock.ts";
import { ConfigurationError } from "./errors.ts";
import type { Redact } from "./redact.ts";
import type { ApiRequest } from "./request.ts";

/**
 * Options of a cache of responses.
 *
 * @category Connection
 */
export interface CacheOptions {
  /**
   * The folder that contains the responses: the newest, and all earlier ones that differ from it. The folder is created
   * when the first response is stored.
   *
   * @default {CHAINFRAME_CACHE of the environment, or of the .env file that sets address and token}
   */
  readonly dir?: string;
  /**
   * Maximum age of a cached response, in milliseconds. Ignored with mode `"offline"`.
   *
   * @default {Infinity}
   */
  readonly maxAge?: number;
  /**
   * With `"use"`, only responses that are not in the cache are requested. With `"refresh"`, all responses are requested
   * and stored again. With `"offline"`, no request is sent, and no token is needed. If the folder contains responses of
   * only one service, `"offline"` also needs no address.
   *
   * @default {"use"}
   */
  readonly mode?: "use" | "refresh" | "offline";
  /**
   * A moment in the past: calls return the responses that were the newest at this moment. Accepts a Date, an ISO
   * timestamp with its zone, or a day, which means the end of the day in UTC. Needs mode `"offline"`.
   */
  readonly asOf?: Date | string;
}

/**
 * Options of a lock file: digests of responses, with which later responses are compared. When the process ends, a summary
 * is printed, and the exit code is 3 if a response differs.
 *
 * @category Connection
 */
export interface LockOptions {
  /** The path of the file. A file that does not exist is made. */
  readonly file: string;
  /**
   * Whether new questions are added and changed ones replaced.
   *
   * @default {true if CHAINFRAME_LOCK_UPDATE of the environment is 1; otherwise false}
   */
  readonly update?: boolean;
  /**
   * Whether a call throws a `ChainframeError` whose response differs, or that the file lacks: in a notebook, which has no
   * exit code. Own data throws where it enters an output.
   *
   * @default {"warn"}
   */
  readonly onChange?: "warn" | "throw";
}

/**
 * The options of {@linkcode connect}.
 *
 * @category Connection
 */
export interface ConnectOptions {
  /**
   * The address of the service: an https address, or a loopback address. A final `/v2` is ignored.
   *
   * @default {CHAINFRAME_BASE_URL of the environment, or of the .env file}
   */
  readonly baseUrl?: string;
  /**
   * The bearer token. The token is sent only to the origin of `baseUrl`, and is never printed.
   *
   * @default {CHAINFRAME_TOKEN of the environment, or of the .env file}
   */
  readonly token?: string;
  /**
   * A file with lines such as `CHAINFRAME_TOKEN=...`, or false to read no file. By default, a file named `.env` is
   * searched in the current folder and its parents, up to the nearest folder with a `deno.json`. If no folder has a
   * `deno.json`, only the current folder is searched. The file is read only if permission was already granted. The
   * address and the token always come from the same source: options, environment or file.
   *
   * @default {".env"}
   */
  readonly envFile?: string | false;
  /**
   * Function that sends the requests.
   *
   * @default {globalThis.fetch}
   */
  readonly fetch?: (request: Request) => Promise<Response>;
  /**
   * Maximum number of requests per minute, including retries and redirects; Infinity for no limit.
   *
   * @default {60; no limit for the embedded service and for loopback addresses}
   */
  readonly requestsPerMinute?: number;
  /**
   * Maximum number of concurrent requests.
   *
   * @default {4}
   */
  readonly concurrency?: number;
  /**
   * Timeout of one attempt, in milliseconds, up to the last byte of the response.
   *
   * @default {30000}
   */
  readonly timeout?: number;
  /**
   * Timeout of a request, in milliseconds, including retries and waits. The timeout starts when the request is first
   * sent. It does not bound the decoding of a response.
   *
   * @default {300000}
   */
  readonly deadline?: number;
  /**
   * Maximum number of retries of a failed request.
   *
   * @default {4}
   */
  readonly retries?: number;
  /**
   * Maximum wait that the service can request, in milliseconds. If the service requests a longer wait, the request
   * fails at once.
   *
   * @default {60000}
   */
  readonly maxRetryAfter?: number;
  /**
   * Maximum length of a URL, in characters. A list of ids that would make the URL longer is split over several
   * requests.
   *
   * @default {4096}
   */
  readonly maxUrlLength?: number;
  /**
   * The cache of responses.
   *
   * @default {the folder in CHAINFRAME_CACHE, as for cache.dir; or no cache}
   */
  readonly cache?: CacheOptions;
  /**
   * Whether the cache also stores sample data of the embedded service. Frames from the cache are still marked as sample
   * data. This is useful to try an archive.
   *
   * @default {false}
   */
  readonly allowSample?: boolean;
  /**
   * The lock file, or its path. It contains no values, no token and no address.
   *
   * @default {CHAINFRAME_LOCK of the environment; or no lock file}
   */
  readonly lock?: string | LockOptions;
  /**
   * Handling of entities that the service did not find. `errorsOf` lists these entities in any case.
   *
   * @default {"warn"}
   */
  readonly onMissing?: "warn" | "throw" | "ignore";
  /** Signal that aborts all requests of the connection. Calls then reject with the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Function that is called with the progress of a call that sends several requests or waits for more than a second.
   *
   * @default {in a notebook a display that updates in place, in a terminal a line on stderr, elsewhere nothing}
   */
  readonly onProgress?: (progress: {
    /** The operation that was called, or `openFrame`. */
    readonly operation: keyof Fields | "openFrame";
    /** Number of responses that have arrived so far. */
    readonly done: number;
    /** Number of responses that the call needs. */
    readonly total: number;
    /** Wait before the next request, in milliseconds; 0 if there is no wait. */
    readonly waiting_ms: number;
    /** The greatest attempt under way: 1, or more if a request is sent again. */
    readonly attempt: number;
    /** The maximum number of attempts of a request. */
    readonly attempts: number;
  }) => void;
}

type Given<Name extends keyof ConnectOptions> = NonNullable<ConnectOptions[Name]>;

/** Function that sends requests. */
export type Fetch = Given<"fetch">;

/** Progress of a call that sends several requests or waits for more than a second. */
export type Progress = Parameters<Given<"onProgress">>[0];

/** Returns an option with its rule and its default. */
function option<Value>(rule: Rule, value: Value): { readonly rule: Rule; readonly default: Value } {
  return { rule, default: value };
}

/** Accepts a number of milliseconds above 0. */
const duration: Rule<number> = (value, refuse) =>
  typeof value === "number" && value > 0
    ? value
    : refuse("must be a number of milliseconds above 0");

/** Creates a rule for a moment: a Date, an ISO timestamp with its zone, or the start or the end of a day. */
export function moment(side: "start" | "end"): Rule<Date> {
  return (value, refuse) =>
    momentNamed(value, side) ??
      refuse("must be a Date, a day written 2026-06-01, or an ISO timestamp with its zone");
}

function isPath(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/**
 * The options of `connect`. The address and the token are checked elsewhere, with messages that do not show their
 * values.
 */
const OPTIONS = {
  baseUrl: option<string | null>(anything, null),
  token: option<string | null>(anything, null),
  envFile: option<string | false>(
    (value, refuse) =>
      value === false || isPath(value) ? value : refuse("must be the path of a file, or false"),
    ".env",
  ),
  fetch: option<Fetch | null>(func, null),
  requestsPerMinute: option<number | null>(
    (value, refuse) => value === Infinity ? value : integer(1)(value, refuse),
    null,
  ),
  concurrency: option(integer(1), 4),
  timeout: option(duration, 30_000),
  deadline: option(duration, 300_000),
  retries: option(integer(0), 4),
  maxRetryAfter: option(duration, 60_000),
  maxUrlLength: option(integer(1), 4_096),
  cache: option<CacheOptions | null>(anything, null),
  allowSample: option(boolean, false),
  lock: option<string | LockOptions | null>(anything, null),
  onMissing: option<Given<"onMissing">>(oneOf(["warn", "throw", "ignore"]), "warn"),
  signal: option<AbortSignal | null>(
    (value, refuse) => value instanceof AbortSignal ? value : refuse("must be an AbortSignal"),
    null,
  ),
  onProgress: option<Given<"onProgress"> | null>(func, null),
};

const CACHE_OPTIONS = {
  dir: option(
    (value, refuse) => isPath(value) ? value : refuse("must be the path of a folder"),
    "",
  ),
  maxAge: option<number | null>(
    (value, refuse) =>
      typeof value === "number" && value >= 0
        ? value
        : refuse("must be a number of milliseconds, 0 or more"),
    null,
  ),
  mode: option<NonNullable<CacheOptions["mode"]>>(oneOf(["use", "refresh", "offline"]), "use"),
  asOf: option<Date | null>(moment("end"), null),
};

const LOCK_OPTIONS = {
  file: option(
    (value, refuse) => isPath(value) ? value : refuse("must be the path of a file"),
    "",
  ),
  update: option<boolean | null>(boolean, null),
  onChange: option<"warn" | "throw">(oneOf(["warn", "throw"]), "warn"),
};

type Table = Readonly<Record<string, ReturnType<typeof option>>>;
type Values<Given extends Table> = { readonly [Name in keyof Given]: Given[Name]["default"] };

const error = (message: string) => new ConfigurationError(message);

/** Checks options by their rules and fills in the defaults. */
function valuesOf<Given extends Table>(given: object, table: Given, prefix: string) {
  const entries = Object.entries(table);
  const rules = Object.fromEntries(entries.map(([name, { rule }]) => [name, rule]));
  const defaults = Object.fromEntries(entries.map(([name, each]) => [name, each.default]));
  return { ...defaults, ...checkOptions(given, rules, { prefix, error }) } as Values<Given>;
}

/** The options of a cache, with defaults filled in. */
export type CacheSettings = Values<typeof CACHE_OPTIONS>;

/** The options of a connection, with defaults filled in. An omitted option without a default is null. */
export type CheckedOptions = Values<typeof OPTIONS>;

/**
 * Checks the options of `connect` and fills in the defaults.
 *
 * @throws {ConfigurationError} when an option is invalid. The message contains the name and the value of the option.
 */
export function checkedOptions(options: ConnectOptions): CheckedOptions {
  return valuesOf(options, OPTIONS, "");
}

/**
 * Checks the options of a cache and fills in the defaults. Returns null if there is no cache. `defaultFolder` returns
 * the folder that is used without the option `dir`, or "" for no cache.
 *
 * @throws {ConfigurationError} when an option is invalid. The message contains the name and the value of the option.
 */
export function checkedCache(
  cache: CacheOptions | null,
  defaultFolder: (isOffline: boolean) => string,
): CacheSettings | null {
  if (typeof cache !== "object") throw error(`cache: must be an object; got ${typeof cache}`);
  const settings = valuesOf(cache ?? {}, CACHE_OPTIONS, "cache.");
  const dir = settings.dir || defaultFolder(settings.mode === "offline");
  if (dir === "" && cache === null) return null;
  if (dir === "") throw error("cache.dir: is required, because CHAINFRAME_CACHE is not set");
  if (settings.asOf !== null && settings.mode !== "offline") {
    throw error(
      `cache.asOf: needs mode "offline", because only a cache knows past responses; got "${settings.mode}"`,
    );
  }
  return { ...settings, dir };
}

/** The options of a lock file, with defaults filled in. */
export interface LockSettings extends Required<LockOptions> {}

/**
 * Checks the options of a lock file and fills in the defaults from the environment. Returns null without a lock file.
 *
 * @throws {ConfigurationError} when an option is invalid.
 */
export function checkedLock(lock: CheckedOptions["lock"]): LockSettings | null {
  const given = lock ?? readable("CHAINFRAME_LOCK") ?? "";
  if (given === "") return null;
  const options = typeof given === "object" ? given : { file: given };
  const settings = valuesOf(options, LOCK_OPTIONS, "lock.");
  if (settings.file === "") throw error("lock.file: is required");
  return { ...settings, update: settings.update ?? readable("CHAINFRAME_LOCK_UPDATE") === "1" };
}

/** The settings of a connection. */
export interface ConnectionSettings extends
  Omit<
    CheckedOptions,
    | "baseUrl"
    | "token"
    | "envFile"
    | "fetch"
    | "requestsPerMinute"
    | "cache"
    | "allowSample"
    | "lock"
  > {
  readonly target: "service" | "sample";
  /** The base URL without a trailing slash. */
  readonly baseUrl: string;
  /** Returns the token. This member is a function, so that printing the settings never shows the token. */
  readonly token: () => string;
  /** Where the token comes from, for messages. */
  readonly tokenFrom: string;
  /** Removes the token from a text. */
  readonly redact: Redact;
  readonly fetch: Fetch;
  readonly requestsPerMinute: number;
  readonly cache: CacheSettings | null;
  /** The cache of files at any address. It also exists where `cache` is null, because sample data is not stored. */
  readonly fileCache: CacheSettings | null;
  /** Removes secrets from a body. The cache stores only bodies without secrets. By default, this is `redact`. */
  readonly redactBody?: Redact;
  readonly lock: LockSettings | null;
  /** Function that is called with the requests of each call, before they are sent. */
  readonly onRequests?: (requests: readonly ApiRequest[]) => void;
  readonly clock: Clock;
  /** Shows a warning. Each text is shown once per connection. */
  readonly warn: Warn;
}
