import type { Operation } from "../schema/vocabulary.ts";

/** A request to a service. It contains neither the address of the service nor the token. */
export interface ApiRequest {
  /** The operation, or `openFrame` for a file at any address. */
  readonly operation: Operation | "openFrame";
  readonly method: "GET" | "POST";
  /** The path below the base address, with encoded segments. */
  readonly path: string;
  /** The query parameters. The ids of a list are sent separated by commas. */
  readonly params: Readonly<Record<string, string | readonly string[]>>;
  /** The JSON body of a POST; null for a GET. */
  readonly body: Readonly<Record<string, unknown>> | null;
  /**
   * The day, in days since 1970, from which on the response is final. If the service sent or confirmed a cached
   * response after this day, and its data include this day, the response is used at any age. Other cached responses are
   * used only within `maxAge`. If the day is undefined, only `maxAge` decides.
   */
  readonly settlesOn?: number;
  /** Set for a file at any address. `path` is then masked, and only this address is sent. */
  readonly file?: {
    readonly address: string;
    /** Maximum size of the file, in bytes, after it is unpacked. */
    readonly maxBytes: number;
    /** The digest of the stored file to read, whatever values the address hides. */
    readonly sha256?: string;
  };
}

/** A path that the service redirected, and the new path. */
export interface Redirection {
  readonly from: string;
  readonly to: string;
}

/** Returns the URL of a request. The ids of a list are percent-encoded, but the commas between the ids are not. */
export function requestUrl(baseUrl: string, { path, params }: ApiRequest): string {
  const pairs = Object.entries(params).map(([name, value]) => {
    const values = typeof value === "string" ? [value] : value;
    return `${encodeURIComponent(name)}=${values.map(encodeURIComponent).join(",")}`;
  });
  return `${baseUrl}${path}${pairs.length === 0 ? "" : `?${pairs.join("&")}`}`;
}

/** Returns the key of a request: method, URL and body, never the token. */
export function requestKey(baseUrl: string, request: ApiRequest): string {
  const { method, body, file } = request;
  return JSON.stringify([method, file?.address ?? requestUrl(baseUrl, request), body]);
}

function lengthOf(id: string): number {
  // The length includes the comma before the id.
  return encodeURIComponent(id).length + 1;
}

function lengthOfAll(ids: readonly string[]): number {
  return ids.reduce((sum, id) => sum + lengthOf(id), -1);
}

/** Cuts a list into pieces of at most `most` encoded characters. A longer id becomes a piece of its own. */
function cut(ids: readonly string[], most: number): string[][] {
  const pieces: string[][] = [];
  let left = 0;
  for (const id of ids) {
    const length = lengthOf(id);
    if (length > left || pieces.length === 0) {
      pieces.push([]);
      left = most + 1;
    }
    pieces.at(-1)!.push(id);
    left -= length;
  }
  return pieces;
}

/**
 * Splits a request into requests whose URLs have at most `maxUrlLength` characters, if possible. The longest list is
 * cut first. If several lists have to be cut, every piece of one list is combined with every piece of each other list,
 * because a result must match all parameters.
 */
export function splitRequest(
  request: ApiRequest,
  baseUrl: string,
  maxUrlLength: number,
): ApiRequest[] {
  const excess = requestUrl(baseUrl, request).length - maxUrlLength;
  if (excess <= 0) return [request];
  const lists = Object.entries(request.params)
    .filter((pair): pair is [string, readonly string[]] => typeof pair[1] !== "string")
    .map(([name, ids]) => ({ name, ids, length: lengthOfAll(ids) }));
  const [longest] = lists.filter(({ ids }) => ids.length > 1).sort((a, b) => b.length - a.length);
  if (longest === undefined) return [request];
  const { name, ids, length } = longest;
  const room = lists.reduce((sum, list) => sum + list.length, -excess);
  const beside = room - (lists.reduce((sum, list) => sum + list.length, 0) - length);
  // If the other lists use more than half of the available length, the other lists are cut as well.
  const most = beside >= room / 2 ? beside : Math.min(room / 2, length / 2);
  return cut(ids, Math.max(1, Math.floor(most))).flatMap((piece) =>
    splitRequest(
      { ...request, params: { ...request.params, [name]: piece } },
      baseUrl,
      maxUrlLength,
    )
  );
}
