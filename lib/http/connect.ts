import { baseUrlOf } from "./base_url.ts";
import type { CacheOptions, ConnectOptions } from "./connect_options.ts";
import { type Connection, connectionOf } from "./connection.ts";
import { EMBEDDED_URL, embeddedFetch } from "./embedded_service.ts";
import { environment } from "./environment.ts";
import { ConfigurationError } from "./errors/configuration_error.ts";
import type { Settings } from "./settings.ts";

const DEFAULTS = {
  requestsPerMinute: 60,
  concurrency: 4,
  timeout: 30_000,
  deadline: 300_000,
  retries: 4,
  maxRetryAfter: 60_000,
  maxUrlLength: 4_096,
  onMissing: "warn",
} as const;

const OPTIONS = [
  ...Object.keys(DEFAULTS),
  "baseUrl",
  "token",
  "fetch",
  "cache",
  "signal",
  "onProgress",
];

function wholeNumber(options: typeof DEFAULTS, name: keyof typeof DEFAULTS, least: number): void {
  const value: unknown = options[name];
  if (!(Number.isSafeInteger(value) && Number(value) >= least)) {
    throw new ConfigurationError(`${name}: must be a whole number of at least ${least}: ${value}`);
  }
}

function duration(options: typeof DEFAULTS, name: keyof typeof DEFAULTS): void {
  const value: unknown = options[name];
  if (!(typeof value === "number" && value > 0)) {
    throw new ConfigurationError(`${name}: must be a number of milliseconds above 0: ${value}`);
  }
}

function oneOf(name: string, value: unknown, allowed: readonly string[]): void {
  if (!allowed.includes(value as string)) {
    throw new ConfigurationError(`${name}: must be one of ${allowed.join(", ")}: ${value}`);
  }
}

function checkToken(token: string): string {
  // Never show it, not even a broken one.
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new ConfigurationError("token: must be printable ASCII without spaces (not shown here)");
  }
  return token;
}

function cacheOf(options: ConnectOptions): Required<CacheOptions> | null {
  const dir = environment("CHAINFRAME_CACHE");
  const given = options.cache ?? (dir === undefined ? null : { dir });
  if (given === null) return null;
  const cache = { maxAge: Infinity, mode: "use" as const, ...given };
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

function targetOf(
  options: ConnectOptions,
): Pick<Settings, "target" | "baseUrl" | "token" | "fetch"> {
  const address = options.baseUrl ?? environment("CHAINFRAME_BASE_URL");
  const token = options.token ?? environment("CHAINFRAME_TOKEN");
  if (address === undefined && token === undefined) {
    if (options.fetch !== undefined) {
      throw new ConfigurationError(
        "fetch: needs a baseUrl and a token to send to: neither is there",
      );
    }
    return { target: "sample", baseUrl: EMBEDDED_URL, token: () => "none", fetch: embeddedFetch };
  }
  if (address === undefined) {
    throw new ConfigurationError(
      "baseUrl: a token is there and no address: set CHAINFRAME_BASE_URL or pass baseUrl",
    );
  }
  const baseUrl = baseUrlOf(address);
  if (token === undefined) {
    throw new ConfigurationError(
      `token: an address is there and no token: set CHAINFRAME_TOKEN or pass token: ${baseUrl}`,
    );
  }
  const checked = checkToken(token);
  const fetch = options.fetch ?? ((request) => globalThis.fetch(request));
  return { target: "service", baseUrl, token: () => checked, fetch };
}

/**
 * Makes a connection to a metrics service. Nothing is sent.
 *
 * `baseUrl` and `token` that are not given come from the environment variables
 * `CHAINFRAME_BASE_URL` and `CHAINFRAME_TOKEN`. With neither, the connection leads to the embedded
 * service on sample data.
 *
 * @throws {ConfigurationError} when only one of the two is there, when the token would travel over
 * plain http to another machine, or when an option is not what it must be. No message shows the token.
 */
export function connect(options: ConnectOptions = {}): Connection {
  for (const name of Object.keys(options)) oneOf("option", name, OPTIONS);
  const given = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  );
  const complete = { ...DEFAULTS, ...given } as typeof DEFAULTS;
  wholeNumber(complete, "requestsPerMinute", 1);
  wholeNumber(complete, "concurrency", 1);
  wholeNumber(complete, "retries", 0);
  wholeNumber(complete, "maxUrlLength", 1);
  duration(complete, "timeout");
  duration(complete, "deadline");
  duration(complete, "maxRetryAfter");
  oneOf("onMissing", complete.onMissing, ["warn", "throw", "ignore"]);
  return connectionOf({
    ...complete,
    ...targetOf(options),
    cache: cacheOf(options),
    signal: options.signal ?? null,
    onProgress: options.onProgress ?? null,
  });
}
