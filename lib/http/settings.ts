import type {
  CacheOptions,
  ConnectOptions,
  Fetch,
  OnMissing,
  Progress,
} from "./connect_options.ts";
import { environment } from "../host/environment.ts";
import { ConfigurationError } from "./errors.ts";
import type { Clock } from "./clock.ts";
import type { Redact } from "./redact.ts";

/** The options that are numbers or words, complete. */
export interface CheckedOptions {
  readonly concurrency: number;
  readonly timeout: number;
  readonly deadline: number;
  readonly retries: number;
  readonly maxRetryAfter: number;
  readonly maxUrlLength: number;
  readonly onMissing: OnMissing;
  /** null where it was not given. */
  readonly requestsPerMinute: number | null;
  readonly cache: Required<CacheOptions> | null;
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

const OPTIONS: readonly string[] = [
  ...Object.keys(DEFAULTS),
  "requestsPerMinute",
  "baseUrl",
  "token",
  "fetch",
  "cache",
  "signal",
  "onProgress",
];

function wholeNumber(name: string, value: unknown, least: number): void {
  if (!(Number.isSafeInteger(value) && Number(value) >= least)) {
    throw new ConfigurationError(`${name}: must be a whole number of at least ${least}: ${value}`);
  }
}

function duration(name: string, value: unknown): void {
  if (!(typeof value === "number" && value > 0)) {
    throw new ConfigurationError(`${name}: must be a number of milliseconds above 0: ${value}`);
  }
}

function oneOf(name: string, value: unknown, allowed: readonly string[]): void {
  if (!allowed.includes(value as string)) {
    throw new ConfigurationError(`${name}: must be one of ${allowed.join(", ")}: ${value}`);
  }
}

function cacheOf(options: ConnectOptions): Required<CacheOptions> | null {
  const folder = environment("CHAINFRAME_CACHE");
  const given = options.cache ?? (folder === undefined ? null : { dir: folder });
  if (given === null) return null;
  for (const name of Object.keys(given)) oneOf("cache", name, ["dir", "maxAge", "mode"]);
  const { maxAge = Infinity, mode = "use" } = given;
  const cache = { dir: given.dir, maxAge, mode };
  oneOf("cache.mode", cache.mode, ["use", "refresh", "offline"]);
  if (typeof cache.dir !== "string" || cache.dir === "") {
    throw new ConfigurationError(`cache.dir: must be the path of a folder: ${cache.dir}`);
  }
  if (!(typeof cache.maxAge === "number" && cache.maxAge >= 0)) {
    throw new ConfigurationError(
      `cache.maxAge: must be a number of milliseconds, 0 or more: ${cache.maxAge}`,
    );
  }
  return cache;
}

/**
 * The options, complete and as they must be.
 *
 * @throws {ConfigurationError} which names the option and shows its value.
 */
export function checkOptions(options: ConnectOptions): CheckedOptions {
  for (const name of Object.keys(options)) oneOf("option", name, OPTIONS);
  const given = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as ConnectOptions;
  const { requestsPerMinute = null, ...rest } = given;
  const { concurrency, timeout, deadline, retries, maxRetryAfter, maxUrlLength, onMissing } = {
    ...DEFAULTS,
    ...rest,
  };
  if (requestsPerMinute !== Infinity && requestsPerMinute !== null) {
    wholeNumber("requestsPerMinute", requestsPerMinute, 1);
  }
  wholeNumber("concurrency", concurrency, 1);
  wholeNumber("retries", retries, 0);
  wholeNumber("maxUrlLength", maxUrlLength, 1);
  duration("timeout", timeout);
  duration("deadline", deadline);
  duration("maxRetryAfter", maxRetryAfter);
  oneOf("onMissing", onMissing, ["warn", "throw", "ignore"]);
  return {
    requestsPerMinute,
    concurrency,
    timeout,
    deadline,
    retries,
    maxRetryAfter,
    maxUrlLength,
    onMissing,
    cache: cacheOf(given),
  };
}

/** Who answers a connection: a service somewhere, or the embedded one on sample data. */
export type Target = "service" | "sample";

/** The options of a connection, checked and complete. */
export interface Settings {
  readonly target: Target;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** A function, so that no print of the settings shows it. */
  readonly token: () => string;
  /** Takes the token out of a text. */
  readonly redact: Redact;
  readonly fetch: Fetch;
  readonly requestsPerMinute: number;
  readonly concurrency: number;
  readonly timeout: number;
  readonly deadline: number;
  readonly retries: number;
  readonly maxRetryAfter: number;
  readonly maxUrlLength: number;
  readonly cache: Required<CacheOptions> | null;
  readonly onMissing: OnMissing;
  readonly signal: AbortSignal | null;
  readonly clock: Clock;
  readonly onProgress: ((progress: Progress) => void) | null;
}
