import type {
  CacheOptions,
  ConnectOptions,
  Fetch,
  OnMissing,
  Progress,
} from "./connect_options.ts";
import {
  aFunction,
  anything,
  aWhole,
  checkOptions,
  oneOf,
  type Refuse,
} from "../platform/check_options.ts";
import type { Warn } from "../platform/terminal.ts";
import { momentNamed } from "../schema/period.ts";
import { environment } from "../platform/machine.ts";
import { ConfigurationError } from "./errors.ts";
import type { Clock } from "./clock.ts";
import type { Redact } from "./redact.ts";

/** The options of a cache, complete. */
export interface CacheSettings extends Required<Omit<CacheOptions, "maxAge" | "asOf">> {
  /** null where it was not given. */
  readonly maxAge: number | null;
  /** null where the newest answers are taken. */
  readonly asOf: Date | null;
}

/** The options that are numbers or words, complete. */
interface CheckedOptions {
  readonly concurrency: number;
  readonly timeout: number;
  readonly deadline: number;
  readonly retries: number;
  readonly maxRetryAfter: number;
  readonly maxUrlLength: number;
  readonly onMissing: OnMissing;
  /** null where it was not given. */
  readonly requestsPerMinute: number | null;
  readonly cache: CacheSettings | null;
}

const DEFAULTS = {
  concurrency: 4,
  timeout: 30_000,
  deadline: 300_000,
  retries: 4,
  maxRetryAfter: 60_000,
  maxUrlLength: 4_096,
  onMissing: "warn",
} as const;

function aDuration(value: unknown, refuse: Refuse): number {
  return typeof value === "number" && value > 0
    ? value
    : refuse("must be a number of milliseconds above 0");
}

/** The rule of an option that is a moment. */
export function aMoment(value: unknown, refuse: Refuse): Date {
  return momentNamed(value) ??
    refuse("must be a Date, a day written 2026-06-01, or an ISO timestamp with its zone");
}

/** Address and token are checked apart, in words that do not show them. */
const OPTIONS = {
  baseUrl: anything,
  token: anything,
  fetch: aFunction,
  requestsPerMinute: (value: unknown, refuse: Refuse) =>
    value === Infinity ? Infinity : aWhole(1)(value, refuse),
  concurrency: aWhole(1),
  timeout: aDuration,
  deadline: aDuration,
  retries: aWhole(0),
  maxRetryAfter: aDuration,
  maxUrlLength: aWhole(1),
  cache: anything,
  onMissing: oneOf(["warn", "throw", "ignore"]),
  signal: (value: unknown, refuse: Refuse) =>
    value instanceof AbortSignal ? value : refuse("must be an AbortSignal"),
  onProgress: aFunction,
};

const CACHE_OPTIONS = {
  dir: (value: unknown, refuse: Refuse) =>
    typeof value === "string" && value !== "" ? value : refuse("must be the path of a folder"),
  maxAge: (value: unknown, refuse: Refuse) =>
    typeof value === "number" && value >= 0
      ? value
      : refuse("must be a number of milliseconds, 0 or more"),
  mode: oneOf(["use", "refresh", "offline"]),
  keep: oneOf(["newest", "all"]),
  asOf: aMoment,
};

const error = (message: string) => new ConfigurationError(message);

function cacheOf({ cache }: ConnectOptions): CacheSettings | null {
  const folder = environment("CHAINFRAME_CACHE");
  const given = cache ?? (folder === undefined ? null : { dir: folder });
  if (given === null) return null;
  if (typeof given !== "object") throw error(`cache: must be an object: ${typeof given}`);
  const about = { prefix: "cache.", error };
  const { dir, maxAge = null, mode = "use", keep = "newest", asOf = null } = checkOptions(
    given,
    CACHE_OPTIONS,
    about,
  );
  if (dir === undefined) throw error("cache.dir: must be the path of a folder: undefined");
  if (asOf !== null && mode !== "offline") {
    throw error(
      `cache.asOf: needs mode "offline", since nobody can be asked what was known: "${mode}"`,
    );
  }
  return { dir, maxAge, mode, keep, asOf };
}

/**
 * The options, complete and as they must be.
 *
 * @throws {ConfigurationError} which names the option and shows its value.
 */
export function checkedOptions(options: ConnectOptions): CheckedOptions {
  const given = checkOptions(options, OPTIONS, { prefix: "", error });
  const { requestsPerMinute = null, ...rest } = given;
  const { concurrency, timeout, deadline, retries, maxRetryAfter, maxUrlLength, onMissing } = {
    ...DEFAULTS,
    ...rest,
  };
  return {
    requestsPerMinute,
    concurrency,
    timeout,
    deadline,
    retries,
    maxRetryAfter,
    maxUrlLength,
    onMissing,
    cache: cacheOf(options),
  };
}

/**
 * Who answers a connection: a service somewhere, or the embedded one on sample data.
 *
 * @category Connection
 */
export type Target = "service" | "sample";

/** The options of a connection, checked and complete, and who answers it. */
export interface Settings extends CheckedOptions {
  readonly target: Target;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** A function, so that no print of the settings shows it. */
  readonly token: () => string;
  /** Takes the token out of a text. */
  readonly redact: Redact;
  readonly fetch: Fetch;
  /** Whether `fetch` is the user's own. */
  readonly ownFetch: boolean;
  readonly requestsPerMinute: number;
  readonly signal: AbortSignal | null;
  readonly clock: Clock;
  readonly onProgress: ((progress: Progress) => void) | null;
  /** Tells the user something once for each connection. */
  readonly warn: Warn;
}

/**
 * A way to a service, made by {@linkcode connect}. It shows no token, however it is printed.
 *
 * @category Connection
 */
export interface Connection {
  /** The address of the service. */
  readonly baseUrl: string;
  /** Who answers: a service, or the embedded one on sample data. */
  readonly target: Target;
  /** What is done about entities that were not found. */
  readonly onMissing: OnMissing;
}

const settingsBy = new WeakMap<Connection, Settings>();

/** Makes a connection of checked settings, which stay out of its sight. */
export function connectionOf(settings: Settings): Connection {
  const { baseUrl, target, onMissing } = settings;
  const connection = Object.freeze({ baseUrl, target, onMissing });
  settingsBy.set(connection, settings);
  return connection;
}

/** The settings of a connection. */
export function settingsOf(connection: Connection): Settings {
  const found = settingsBy.get(connection);
  if (found === undefined) {
    throw new TypeError("connection: must be what connect() returned");
  }
  return found;
}
