import { momentIn } from "../schema/grammar.ts";
import { type ApiRequest, type Redirection, requestUrl } from "./request.ts";

/** The format version of the header lines. */
const CACHE_VERSION = 2;

/** The header of a stored response: all but its body. */
export interface EntryHeader {
  /** The HTTP status: 200, or 404 for a project that does not exist. */
  readonly status: number;
  /** The time at which the body was first received from the service. */
  readonly retrieved_at: Date;
  /** The time at which the service last sent or confirmed the body. */
  readonly checked_at: Date;
  /** The last day of the service's data; null if the service did not state this day. */
  readonly data_through: Date | null;
  /** The first day of the service's data; null if the service did not state this day. */
  readonly data_since: Date | null;
  /** Whether the service stated that the response contains sample data. */
  readonly data_sample: boolean;
  /** The ETag of the response; null if the response had no ETag. */
  readonly etag: string | null;
  readonly renamed: readonly Redirection[];
  /** SHA-256 of the body, in hex. */
  readonly sha256: string;
  /** Whether a header `Link` leads to a next page. */
  readonly next_page: boolean;
  /** Whether the response is malformed, so that it is requested again. */
  readonly removed?: boolean;
}

/** A stored response. */
export type CacheEntry = EntryHeader & { readonly bytes: Uint8Array<ArrayBuffer> };

type Members = Readonly<Record<string, unknown>>;

/** Parses lines of headers, and skips damaged lines. */
export function membersIn(text: string): Members[] {
  return text.split("\n").flatMap((line) => {
    try {
      const members = JSON.parse(line);
      return members?.chainframe_cache === CACHE_VERSION ? [members] : [];
    } catch {
      return [];
    }
  });
}

function dateIn(value: unknown): Date | null {
  const moment = typeof value === "string" ? momentIn(value) : null;
  return moment === null ? null : new Date(moment.time);
}

function isRedirection(value: unknown): value is Redirection {
  const { from, to } = (value ?? {}) as Members;
  return typeof from === "string" && typeof to === "string";
}

function headersFrom(members: Members): EntryHeader[] {
  const { status, sha256, etag, renamed, data_sample, next_page, removed } = members;
  const [retrieved_at, checked_at] = [dateIn(members.retrieved_at), dateIn(members.checked_at)];
  const isWhole = (status === 200 || status === 404) && /^[0-9a-f]{64}$/.test(String(sha256)) &&
    Array.isArray(renamed) && renamed.every(isRedirection);
  if (!isWhole || retrieved_at === null || checked_at === null) return [];
  return [{
    status,
    retrieved_at,
    checked_at,
    data_through: dateIn(members.data_through),
    data_since: dateIn(members.data_since),
    data_sample: data_sample === true,
    next_page: next_page === true,
    // A value that cannot be sent as an ETag is left out.
    etag: /^[\x20-\x7e\x80-\xff]{1,1024}$/.test(String(etag ?? "")) ? String(etag) : null,
    renamed,
    sha256: String(sha256),
    removed: removed === true,
  }];
}

/** Parses the headers of a request, oldest first. Skips lines that are damaged, or that belong to another request. */
export function headersIn(text: string, request: ApiRequest, baseUrl: string): EntryHeader[] {
  const asked = JSON.stringify([request.method, requestUrl(baseUrl, request), request.body]);
  return membersIn(text)
    .filter(({ method, url, body }) => JSON.stringify([method, url, body]) === asked)
    .flatMap(headersFrom);
}

/** Returns a header as one line of JSON. The line break before it ends a line that a killed process left. */
export function headerLine(
  request: ApiRequest,
  { bytes: _, next_page, ...header }: EntryHeader & { readonly bytes?: unknown },
  baseUrl: string,
): string {
  const { operation, method, body } = request;
  const url = requestUrl(baseUrl, request);
  const about = { chainframe_cache: CACHE_VERSION, operation, base_url: baseUrl };
  return `\n${
    JSON.stringify({ ...about, method, url, body, ...header, ...next_page && { next_page } })
  }\n`;
}
