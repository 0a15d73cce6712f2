import { baseUrlOf } from "./base_url.ts";
import { cachedService } from "./cached_service.ts";
import type { CacheOptions, ConnectOptions } from "./connect_options.ts";
import { EMBEDDED_URL, embeddedFetch } from "./embedded_service.ts";
import { environment } from "./environment.ts";
import { ConfigurationError } from "./errors/configuration_error.ts";
import { redactor } from "./redact.ts";
import type { Settings } from "./settings.ts";

type TargetSettings = Pick<Settings, "target" | "baseUrl" | "token" | "redact" | "fetch">;

function checkToken(token: string): string {
  // Never show it, not even a broken one.
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new ConfigurationError("token: must be printable ASCII without spaces (not shown here)");
  }
  return token;
}

function service(baseUrl: string, token: string, fetch: Settings["fetch"]): TargetSettings {
  return { target: "service", baseUrl, token: () => token, redact: redactor(token), fetch };
}

/**
 * Who answers a connection: the service that the options and the environment name, or the embedded one
 * where they name none. Offline nobody is asked: the cache alone says whose answers it keeps, and never
 * gives way to sample data.
 *
 * @throws {ConfigurationError} when only one of address and token is there, or one is not as it must be.
 * @throws {CacheError} offline, without an address, when the cache keeps no answer.
 */
export function targetOf(
  options: ConnectOptions,
  cache: Required<CacheOptions> | null,
): TargetSettings {
  const address = options.baseUrl ?? environment("CHAINFRAME_BASE_URL");
  const token = options.token ?? environment("CHAINFRAME_TOKEN");
  const fetch = options.fetch ?? ((request) => globalThis.fetch(request));
  if (cache?.mode === "offline") {
    const baseUrl = address === undefined ? cachedService(cache.dir) : baseUrlOf(address);
    return service(baseUrl, token === undefined ? "" : checkToken(token), fetch);
  }
  if (address === undefined && token === undefined) {
    if (options.fetch !== undefined) {
      throw new ConfigurationError(
        "fetch: needs a baseUrl and a token to send to: neither is there",
      );
    }
    return {
      target: "sample",
      baseUrl: EMBEDDED_URL,
      token: () => "none",
      redact: (text) => text,
      fetch: embeddedFetch,
    };
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
  return service(baseUrl, checkToken(token), fetch);
}
