import { type Connection, connectionOf, settingsOf } from "./connect.ts";
import { ResponseError } from "./errors.ts";
import { fetchAll, forget } from "./fetch_all.ts";
import type { ApiResponse } from "./response.ts";
import { type Redact, redactor } from "./redact.ts";
import { isLoopback } from "../platform/machine.ts";

const HIDDEN = "[hidden]";
/** Names of parameters whose values are secret. */
const SECRET =
  "(?:[\\w-]*(?:api|access|secret)[_-]?)?key|[\\w-]*token|secret|password|sig[\\w-]*|x-(?:amz|goog)-[\\w-]+";
const IS_SECRET = new RegExp(`^(?:${SECRET})$`, "i");
const IN_TEXT = new RegExp(`([?&;](?:${SECRET})=)[^&#\\s"'<>)]*`, "gi");

/** Returns the path and the query of an address with its secret values, and the query with hidden values. */
function masked({ pathname, search }: URL): { readonly path: string; readonly values: string[] } {
  const values: string[] = [];
  const pairs = search.slice(1).split("&").map((pair) => {
    const [name = ""] = pair.split("=");
    const [[decoded, value] = ["", ""]] = new URLSearchParams(pair);
    if (!IS_SECRET.test(decoded) || value === "") return pair;
    values.push(value, pair.slice(name.length + 1));
    return `${name}=${HIDDEN}`;
  });
  return { path: pathname + (search === "" ? "" : `?${pairs.join("&")}`), values };
}

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

/** A file that was fetched. */
interface FetchedFile
  extends Pick<ApiResponse, "url" | "retrieved_at" | "sha256" | "sample" | "redact"> {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Removes the file from the cache, because it cannot be read. */
  readonly forget: () => Promise<void>;
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
  { maxBytes }: { readonly maxBytes: number },
  connection: Connection,
): Promise<FetchedFile> {
  const url = addressOf(text);
  const settings = settingsOf(connection);
  const { path, values } = masked(url);
  const redactAll = (secrets: readonly string[]): Redact => {
    const redacts = [settings.redact, ...secrets.map(redactor)];
    return (text) => redacts.reduce((safe, redact) => redact(safe), text);
  };
  const redact = redactAll(values);
  const isSample = settings.target === "sample";
  const limit = settings.requestsPerMinute;
  const direct = connectionOf({
    ...settings,
    target: "service",
    baseUrl: url.origin,
    token: () => "",
    redact: (text) => redact(text.replace(IN_TEXT, `$1${HIDDEN}`)),
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
    file: { address: url.href, maxBytes },
  } as const;
  const [response] = await fetchAll([request], direct) as [ApiResponse];
  const bytes = response.data as Uint8Array<ArrayBuffer>;
  if (bytes.length > maxBytes) {
    const expected = `at most ${maxBytes} bytes`;
    throw new ResponseError(`openFrame: expected ${expected}; got ${bytes.length}`, {
      operation: "openFrame",
      url: response.url,
      expected,
    });
  }
  return { ...response, bytes, forget: () => forget([response]) };
}
