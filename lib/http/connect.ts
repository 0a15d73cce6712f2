import { isAbsolute, join } from "node:path";
import { createWarn, notify, terminalText } from "../platform/terminal.ts";
import {
  type CacheSettings,
  checkedCache,
  checkedLock,
  type CheckedOptions,
  checkedOptions,
  type ConnectionSettings,
  type ConnectOptions,
  type Fetch,
  type LockSettings,
} from "./settings.ts";
import { ConfigurationError } from "./errors.ts";
import { cachedService } from "./cached_service.ts";
import { installCommand } from "../platform/package.ts";
import { isLoopback, refuseProxy, serverUrl } from "../platform/machine.ts";
import { redactor } from "./redact.ts";
import { type Clock, systemClock } from "./clock.ts";
import { environmentOf, type Variables } from "./environment.ts";

/** The part of the service that the client uses. */
interface EmbeddedService {
  fetch(request: Request): Promise<Response>;
  readonly tokens: readonly string[];
}

let starting: Promise<EmbeddedService> | null = null;

async function start(): Promise<EmbeddedService> {
  // Deno downloads a module with a computed specifier only when the module is imported. Users of a live service
  // therefore do not download the database.
  const { createService } = await import(new URL("../service/mod.ts", import.meta.url).href)
    .catch((cause) => {
      const command = installCommand(cause);
      if (command === undefined) throw cause;
      throw new ConfigurationError(
        `sample data needs packages that npm does not install by default: ${command}. For real data set ` +
          "CHAINFRAME_BASE_URL and CHAINFRAME_TOKEN.",
        { cause },
      );
    });
  return await createService({});
}

/** The address of the embedded service. Requests to this address do not leave the process. */
const EMBEDDED_URL = "https://sample.chainframe.invalid";

/**
 * Sends a request to the embedded service. The first request starts the service and shows a notice that the data are
 * sample data. All connections of this process use the same service.
 */
const embeddedFetch: Fetch = async (request) => {
  if (starting === null) {
    notify(
      "chainframe: using the embedded service with SAMPLE DATA (invented names and numbers). " +
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

const refuseUrl = (rule: string): never => {
  throw new ConfigurationError(`baseUrl: ${rule}`);
};

/**
 * Checks the address of a service. Returns the address without a final `/v2` or slash. The token is sent to this
 * address, so the address must use https or be a loopback address.
 *
 * @throws {ConfigurationError} when the address is invalid. The message shows no text that may be a token.
 */
function baseUrlOf(text: string): string {
  // Removes `/v2`, because the paths of the operations begin with the version.
  return serverUrl(text, "token", refuseUrl).href.replace(/\/+$/, "").replace(/\/+v2$/, "");
}

function checkToken(token: string): string {
  // The message does not contain the value, because an invalid token can also be secret.
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)) {
    throw new ConfigurationError("token: must be printable ASCII without spaces (not shown here)");
  }
  return token;
}

type TargetSettings = ReturnType<typeof serviceAt>;

function serviceAt(
  baseUrl: string,
  token: string,
  { fetch, tokenFrom }: { readonly fetch: Fetch | null; readonly tokenFrom: string },
) {
  return {
    tokenFrom,
    target: "service" as ConnectionSettings["target"],
    baseUrl,
    token: () => token,
    redact: redactor(token),
    fetch: fetch ?? ((request: Request) => globalThis.fetch(request)),
  };
}

type TargetOptions = Pick<CheckedOptions, "baseUrl" | "token">;

/** Prints a notice with paths. A line break in a path cannot begin a further notice. */
function notifyLine(message: string): void {
  notify(terminalText(message));
}

/** The address and the token, and where they come from. */
interface Credentials {
  readonly address: string | null;
  readonly token: string | null;
  /** The names of address and token, for messages. */
  readonly names: readonly string[];
  /** The `.env` file that contains them; null for another source. */
  readonly file: string | null;
}

/**
 * Returns the address and the token, both from the same source. If the sources could differ, a foreign `.env` file
 * could set an address to which the user's token would be sent.
 */
function credentialsOf(
  { baseUrl, token }: TargetOptions,
  sources: readonly Variables[],
): Credentials {
  if (baseUrl !== null || token !== null) {
    return { address: baseUrl, token, names: ["baseUrl", "token"], file: null };
  }
  const names = ["CHAINFRAME_BASE_URL", "CHAINFRAME_TOKEN"];
  for (const { values, file } of sources) {
    const [address = null, token = null] = names.map((name) => values[name]);
    if (address === null && token === null) continue;
    if (file === null) return { address, token, names, file };
    notifyLine(`chainframe: address and token come from ${file}`);
    return { address, token, names: names.map((name) => `${name} in ${file}`), file };
  }
  return { address: null, token: null, names, file: null };
}

/**
 * Returns the folder that `CHAINFRAME_CACHE` names, or "" if no cache is used. A folder from a `.env` file is used only
 * with address and token from the same file. Otherwise, a foreign `.env` file could supply false responses of the
 * user's own service.
 */
function cacheFolder(
  sources: readonly Variables[],
  { address, token, file: from }: Credentials,
  isOffline: boolean,
): string {
  const found = sources.find(({ values }) => values.CHAINFRAME_CACHE !== undefined);
  const { CHAINFRAME_CACHE: dir = "" } = found?.values ?? {};
  if (found === undefined || found.file === null) return dir;
  const { file, folder } = found;
  if (file !== from && !(isOffline && address === null && token === null)) {
    notifyLine(
      `chainframe: CHAINFRAME_CACHE in ${file} is not used, because address and token do not come from this file`,
    );
    return "";
  }
  // A relative folder does not depend on the current folder. A foreign folder can have a link to a file of the user, so
  // the folder starts at the file that the link leads to.
  const path = isAbsolute(dir) ? dir : join(folder, dir);
  notifyLine(`chainframe: the cache folder ${path} comes from ${file}`);
  return path;
}

/**
 * Returns the service that is set by the options, the environment or the `.env` file. By default, returns the embedded
 * service. In offline mode, the default is the service whose responses are in the cache.
 *
 * @throws {ConfigurationError} when only one of address and token is given, or when the address or the token is
 * invalid.
 * @throws {CacheError} when, in offline mode, no address is given and the cache folder cannot be read.
 */
function targetOf(
  { address, token, names: [addressName, tokenName], file }: Credentials,
  cache: CacheSettings | null,
  given: CheckedOptions["fetch"],
): TargetSettings {
  const fetch = given === globalThis.fetch ? null : given;
  const tokenFrom = tokenName === "token"
    ? "the option token"
    : file === null
    ? `${tokenName} of the environment`
    : tokenName!;
  if (cache?.mode === "offline") {
    const baseUrl = address === null
      ? cachedService(cache.dir) ?? EMBEDDED_URL
      : baseUrlOf(address);
    return serviceAt(baseUrl, token === null ? "" : checkToken(token), { fetch, tokenFrom });
  }
  if (address === null && token === null) {
    if (given !== null) {
      throw new ConfigurationError("fetch: requires baseUrl and token; got neither");
    }
    const service = serviceAt(EMBEDDED_URL, "none", { fetch: embeddedFetch, tokenFrom });
    return { ...service, target: "sample", redact: (text) => text };
  }
  if (address === null || token === null) {
    const [set, missing] = address === null ? [tokenName, addressName] : [addressName, tokenName];
    // A wrong address is reported before a missing token.
    if (address !== null) baseUrlOf(address);
    throw new ConfigurationError(
      `${set} is set but ${missing} is not. Set both in one place, or neither for sample data.`,
    );
  }
  const baseUrl = baseUrlOf(address);
  if (fetch === null) refuseProxy(new URL(baseUrl), "token", refuseUrl);
  return serviceAt(baseUrl, checkToken(token), { fetch, tokenFrom });
}

const REQUESTS_PER_MINUTE = 60;

/** Returns the default number of requests per minute. The embedded service and loopback addresses have no limit. */
function defaultPace({ target, baseUrl }: TargetSettings): number {
  return target === "sample" || isLoopback(new URL(baseUrl)) ? Infinity : REQUESTS_PER_MINUTE;
}

/**
 * A connection to a service, made by {@linkcode connect}. Printing a connection never shows the token.
 *
 * @category Connection
 */
export interface Connection {
  /** The address of the service. */
  readonly baseUrl: string;
  /** The kind of service: `"service"` is a live service, and `"sample"` is the embedded service with sample data. */
  readonly target: "service" | "sample";
  /** How missing entities are reported. */
  readonly onMissing: "warn" | "throw" | "ignore";
  /** Returns a text without the token, in case that the service sent the token back: `[token]` replaces it. */
  redact(text: string): string;
}

const settingsBy = new WeakMap<Connection, ConnectionSettings>();

/** Creates a connection whose settings are private. */
export function connectionOf(settings: ConnectionSettings): Connection {
  const { baseUrl, target, onMissing, redact } = settings;
  const members = { baseUrl, target, onMissing, redact };
  // Printing a connection does not show the function.
  Object.defineProperty(members, "redact", { enumerable: false });
  const connection = Object.freeze(members);
  settingsBy.set(connection, settings);
  return connection;
}

/** Returns the settings of a connection. */
export function settingsOf(connection: Connection): ConnectionSettings {
  const found = settingsBy.get(connection);
  if (found === undefined) {
    throw new TypeError("connection: must be the result of connect()");
  }
  return found;
}

/** Concurrent requests to the embedded service, which computes those that arrive together by one statement. */
const TOGETHER = 1_000;

/** Creates a connection with a given clock. */
export function openConnection(options: ConnectOptions, clock: Clock): Connection {
  const {
    baseUrl,
    token,
    fetch,
    envFile,
    cache: given,
    requestsPerMinute,
    allowSample,
    lock,
    ...checked
  } = checkedOptions(options);
  const sources = environmentOf(envFile);
  const credentials = credentialsOf({ baseUrl, token }, sources);
  const cache = checkedCache(
    given,
    (isOffline) => cacheFolder(sources, credentials, isOffline),
  );
  const target = targetOf(credentials, cache, fetch);
  const isEmbedded = target.target === "sample";
  const kept = isEmbedded && !allowSample ? null : cache;
  return connectionOf({
    ...checked,
    ...target,
    requestsPerMinute: requestsPerMinute ?? defaultPace(target),
    ...isEmbedded && kept === null && { concurrency: TOGETHER },
    cache: kept,
    fileCache: cache,
    lock: checkedLock(lock),
    clock,
    warn: createWarn(),
  });
}

/** The lock files of the connections of this process that have their own, by file. */
const locks = new Map<string, LockSettings>();

/** Returns the lock files of this process: that of the environment, and those of connections. */
export function locksOfProcess(): LockSettings[] {
  const own = checkedLock(null);
  return [...own === null ? [] : [own], ...locks.values()];
}

/**
 * Creates a connection to a metrics service. Sends no request.
 *
 * If `baseUrl` and `token` are omitted, both are read from the environment variables `CHAINFRAME_BASE_URL` and
 * `CHAINFRAME_TOKEN`. If these variables are not set, both are read from a `.env` file (see `envFile`). If the file
 * does not set these variables either, the connection uses the embedded service with sample data. With cache mode
 * `"offline"`, the connection uses only the cache.
 *
 * @throws {ConfigurationError} when only one of address and token is given, when the token would be sent over
 * plain http to another machine, or when an option is wrong. No message shows the token.
 * @category Connection
 */
export function connect(options: ConnectOptions = {}): Connection {
  const connection = openConnection(options, systemClock);
  const { lock } = settingsOf(connection);
  if (options.lock !== undefined && lock !== null) locks.set(lock.file, lock);
  return connection;
}

let made: { readonly key: string; readonly connection: Connection } | null = null;

/**
 * Returns the default connection, which `connect()` creates without options. The connection is created again only if
 * the variables in the environment or in the `.env` file change.
 */
export function defaultConnection(): Connection {
  const key = JSON.stringify([environmentOf(".env"), checkedLock(null)]);
  if (made?.key !== key) made = { key, connection: connect() };
  return made.connection;
}
