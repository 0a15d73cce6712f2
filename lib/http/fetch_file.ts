import { type Connection, connectionOf, settingsOf } from "./connect.ts";
import { ResponseError } from "./errors.ts";
import { fetchAll, keep } from "./fetch_all.ts";
import type { ApiResponse } from "./response.ts";
import { type Redact, redactor } from "./redact.ts";
import { parameterMask } from "./secret_parameters.ts";
import { isLoopback } from "../platform/machine.ts";

/** Checks an address: https, or http to loopback, without user name and password. The fragment is removed. */
function addressOf(text: string): URL {
  const url = URL.parse(text);
  const shown = url === null ? "a text that is not a URL" : url.origin;
  const refuse = (rule: string): never => {
    throw new RangeError(`openFrame: path: ${rule}; got ${shown}`);
  };
  if (url === null) return refuse("must be a URL");
  if (url.username + url.password !== "") refuse("must not contain a user name or a password");
  if (url.protocol !== "https:" && !isLoopback(url)) {
    refuse("must be https, or http on a loopback address");
  }
  url.hash = "";
  return url;
}

/** Minimum length of a secret that a body must not contain. Shorter values, such as `usdc`, are names in many bodies. */
const LONG = 16;

/** Requests per minute to one origin, if the connection has no limit. */
const REQUESTS_PER_MINUTE = 60;

/** A connection for one address, and the number of calls that use it. */
interface Direct {
  readonly connection: Connection;
  calls: number;
}

/** The connections for addresses in use, of each connection: equal calls at the same time share one request. */
const inUse = new WeakMap<Connection, Map<string, Direct>>();

/** Calls a function with the connection for an address, which equal calls at the same time share. */
async function withDirect<Result>(
  { key, make, connection }: {
    readonly key: string;
    readonly make: () => Connection;
    readonly connection: Connection;
  },
  work: (direct: Connection) => Promise<Result>,
): Promise<Result> {
  const known = inUse.get(connection) ?? new Map<string, Direct>();
  inUse.set(connection, known);
  const direct = known.get(key) ?? { connection: make(), calls: 0 };
  known.set(key, direct);
  direct.calls++;
  try {
    return await work(direct.connection);
  } finally {
    if (--direct.calls === 0) known.delete(key);
  }
}

/** A file that was fetched. */
interface FetchedFile extends
  Pick<
    ApiResponse,
    "url" | "retrieved_at" | "sha256" | "sample" | "source" | "next_page" | "redact"
  > {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Stores the file in the cache, because it could be read. */
  readonly keep: () => Promise<void>;
}

/** What to fetch from an address. */
interface FileOptions {
  readonly maxBytes: number;
  /** Further parameters of the address whose values are secret. */
  readonly secret?: readonly string[] | undefined;
  /**
   * The digest of a stored file. Of an address whose secrets are hidden, only this finds the file. If the cache does not
   * have it, it is fetched, or in offline mode an error.
   */
  readonly sha256?: string | undefined;
}

/**
 * Fetches a file from any address, with the retries, limits, cache and signal of a connection. The limit of requests per
 * minute holds for each origin. No token is sent. `url` is the address without secrets.
 *
 * @throws {RangeError} for an address that is not https, that is plain http to another machine, or that has a password.
 * @throws {ChainframeError} when the request fails.
 */
export async function fetchFile(
  text: string,
  { maxBytes, secret, sha256 }: FileOptions,
  connection: Connection,
): Promise<FetchedFile> {
  const url = addressOf(text);
  const settings = settingsOf(connection);
  const mask = parameterMask(secret);
  const { path, values } = mask.address(url);
  const redactAll = (secrets: readonly string[]): Redact => {
    const redacts = [settings.redact, ...secrets.map(redactor)];
    return (text) => redacts.reduce((safe, redact) => redact(safe), text);
  };
  const redact = redactAll(values);
  const isSample = settings.target === "sample";
  const limit = settings.requestsPerMinute;
  const make = () =>
    connectionOf({
      ...settings,
      target: "service",
      baseUrl: url.origin,
      token: () => "",
      redact: (text) => mask.text(redact(text)),
      redactBody: redactAll(values.filter(({ length }) => length >= LONG)),
      fetch: isSample ? (request) => globalThis.fetch(request) : settings.fetch,
      requestsPerMinute: limit === Infinity && !isLoopback(url) ? REQUESTS_PER_MINUTE : limit,
      cache: settings.fileCache,
    });
  const request = {
    operation: "openFrame",
    method: "GET",
    path,
    params: {},
    body: null,
    file: { address: url.href, maxBytes, ...sha256 === undefined ? {} : { sha256 } },
  } as const;
  const key = JSON.stringify([url.href, maxBytes, secret, sha256]);
  const [response] = await withDirect(
    { key, make, connection },
    (direct) => fetchAll([request], direct),
  ) as [ApiResponse];
  const bytes = response.data as Uint8Array<ArrayBuffer>;
  if (bytes.length > maxBytes) {
    const expected = `at most ${maxBytes} bytes`;
    throw new ResponseError(`openFrame: expected ${expected}; got ${bytes.length}`, {
      operation: "openFrame",
      url: response.url,
      expected,
    });
  }
  return { ...response, bytes, keep: () => keep([response]) };
}
