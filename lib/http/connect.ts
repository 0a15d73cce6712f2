import { createWarn, notify } from "../platform/terminal.ts";
import type { ConnectOptions, Fetch } from "./connect_options.ts";
import { ConfigurationError } from "./errors.ts";
import { cachedService } from "./cache_folder.ts";
import { environment, isLoopback, proxyVariable } from "../platform/machine.ts";
import { redactor } from "./redact.ts";
import {
  type CacheSettings,
  checkedOptions,
  type Connection,
  connectionOf,
  type Settings,
} from "./settings.ts";
import { type Clock, systemClock } from "./clock.ts";

/** What the client needs of the service: a request goes in, a response comes out. */
interface EmbeddedService {
  fetch(request: Request): Promise<Response>;
  readonly tokens: readonly string[];
}

let starting: Promise<EmbeddedService> | null = null;

async function start(): Promise<EmbeddedService> {
  // A computed specifier: whoever has a live service does not download the database.
  const specifier = new URL("../service/mod.ts", import.meta.url).href;
  const { createService } = await import(specifier);
  return await createService({});
}

/** The address of the embedded service: no request to it leaves this process. */
const EMBEDDED_URL = "https://sample.chainframe.invalid";

/**
 * Answers from the embedded service, which starts at the first request and serves every connection
 * of this process. Says once that its data is sample data.
 */
const embeddedFetch: Fetch = async (request) => {
  if (starting === null) {
    notify(
      "chainframe: answers come from the embedded service, on SAMPLE DATA with invented names. " +
        "For real data set CHAINFRAME_BASE_URL and CHAINFRAME_TOKEN.",
    );
    starting = start();
    starting.catch(() => starting = null);
  }
  const service = await starting;
  const headers = new Headers(request.headers);
  headers.set("authorization", `Bearer ${service.tokens[0]}`);
  return await service.fetch(new Request(request, { headers }));
};

/**
 * The address of a service, checked, without `/v2` and without a slash at the end. The token travels to it, so it
 * must be https, or an address of this machine.
 *
 * @throws {ConfigurationError} which shows a wrong address only as far as it can be no token: whoever
 * mixes the two up does not want to read the token in a log.
 */
export function baseUrlOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ConfigurationError(
      "baseUrl: must be a URL such as https://api.example.org (not shown here: it may be a token)",
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new ConfigurationError(`baseUrl: must hold no user name and password: ${url.host}`);
  }
  if (url.search !== "" || url.hash !== "") {
    throw new ConfigurationError(`baseUrl: must hold no ? and no #: ${url.origin}${url.pathname}`);
  }
  if (url.protocol !== "https:" && !isLoopback(url)) {
    throw new ConfigurationError(
      `baseUrl: must be https, or http on a loopback address, since the token travels to it: ${url.href}`,
    );
  }
  // The operations bring the version along, which most write as part of the address.
  return url.href.replace(/\/+$/, "").replace(/\/+v2$/, "");
}

type TargetSettings = Pick<
  Settings,
  "target" | "baseUrl" | "token" | "redact" | "fetch" | "ownFetch"
>;

function checkToken(token: string): string {
  // Never show it, not even a broken one.
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)) {
    throw new ConfigurationError("token: must be printable ASCII without spaces (not shown here)");
  }
  return token;
}

function service(baseUrl: string, token: string, own: Fetch | undefined): TargetSettings {
  return {
    target: "service",
    baseUrl,
    token: () => token,
    redact: redactor(token),
    fetch: own ?? ((request) => globalThis.fetch(request)),
    ownFetch: own !== undefined,
  };
}

/** Plain http goes to a proxy in the clear, also for this machine, and the proxy would answer in its place. */
function refuseProxy({ protocol, hostname, origin }: URL): void {
  const variable = protocol === "http:" ? proxyVariable(hostname) : null;
  if (variable === null) return;
  const host = hostname.replace(/^\[|\]$/g, "");
  throw new ConfigurationError(
    `baseUrl: ${variable} is set, so the token would go to that proxy: set NO_PROXY=${host}: ${origin}`,
  );
}

/**
 * Who answers a connection: the service that the options and the environment name, or the embedded one
 * where they name none. Offline nobody is asked: the cache alone says whose answers it keeps, and never
 * gives way to sample data.
 *
 * @throws {ConfigurationError} when only one of address and token is there, or one is not as it must be.
 * @throws {CacheError} offline, without an address, when the cache keeps no answer.
 */
function targetOf(
  options: ConnectOptions,
  cache: CacheSettings | null,
): TargetSettings {
  const address = options.baseUrl ?? environment("CHAINFRAME_BASE_URL");
  const token = options.token ?? environment("CHAINFRAME_TOKEN");
  const fetch = options.fetch === globalThis.fetch ? undefined : options.fetch;
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
      ownFetch: false,
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
  if (fetch === undefined) refuseProxy(new URL(baseUrl));
  return service(baseUrl, checkToken(token), fetch);
}

const REQUESTS_PER_MINUTE = 60;

/** How many requests a minute are sent where nobody says. This machine needs no gentleness. */
function defaultPace({ target, baseUrl }: TargetSettings): number {
  return target === "sample" || isLoopback(new URL(baseUrl)) ? Infinity : REQUESTS_PER_MINUTE;
}

/** Makes a connection that takes time and chance from a clock. */
export function openConnection(options: ConnectOptions, clock: Clock): Connection {
  const { requestsPerMinute, cache, ...checked } = checkedOptions(options);
  const target = targetOf(options, cache);
  const isSample = target.target === "sample";
  if (isSample && cache !== null) {
    notify(
      `chainframe: the cache in ${cache.dir} is not used, since sample data is never kept. ` +
        'For the answers in it, connect with cache mode "offline".',
    );
  }
  return connectionOf({
    ...checked,
    ...target,
    requestsPerMinute: requestsPerMinute ?? defaultPace(target),
    // A cached answer would no longer say that it is sample data.
    cache: isSample ? null : cache,
    signal: options.signal ?? null,
    onProgress: options.onProgress ?? null,
    clock,
    warn: createWarn(),
  });
}

/**
 * Makes a connection to a metrics service. Nothing is sent.
 *
 * `baseUrl` and `token` that are not given come from the environment variables
 * `CHAINFRAME_BASE_URL` and `CHAINFRAME_TOKEN`. With neither, the connection leads to the embedded
 * service on sample data; with cache mode `"offline"` to the answers in the cache, and nowhere else.
 *
 * @throws {ConfigurationError} when only one of the two is there, when the token would travel over
 * plain http to another machine, or when an option is not what it must be. No message shows the token.
 * @category Connection
 */
export function connect(options: ConnectOptions = {}): Connection {
  return openConnection(options, systemClock);
}

let made: { readonly key: string; readonly connection: Connection } | null = null;

/**
 * The connection that is used where none is passed: to the service that the environment names, else
 * to the embedded one. It is made once, and again when the environment has changed.
 */
export function defaultConnection(): Connection {
  const names = ["CHAINFRAME_BASE_URL", "CHAINFRAME_TOKEN", "CHAINFRAME_CACHE"];
  const key = JSON.stringify(names.map((name) => environment(name) ?? null));
  if (made?.key !== key) made = { key, connection: connect() };
  return made.connection;
}
