import type { Redirection } from "./response.ts";
import { type ApiRequest, requestUrl } from "./request.ts";
import { CACHE_VERSION, membersIn } from "./cache_files.ts";

/** A stored response. */
export interface CacheEntry {
  /** 200, or 404 for a project. */
  readonly status: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** SHA-256 of the bytes, in hex. */
  readonly sha256: string;
  /** The ETag of the response; null if it had none. */
  readonly etag: string | null;
  readonly renamed: readonly Redirection[];
  readonly retrieved_at: Date;
  /** When the service last confirmed these bytes. */
  readonly checked_at: Date;
  /** The last day of the service's data; null if not stated. */
  readonly data_through: Date | null;
  /** The first day of the service's data; null if not stated. */
  readonly data_since: Date | null;
  /** Whether the service stated that these are sample data. */
  readonly sample: boolean;
}

/** The header of an entry: all members except the bytes, plus their length. */
export type EntryHeader = Omit<CacheEntry, "bytes"> & { readonly bytes: number };

/** A confirmation of an entry by the service (304): one line of `STEM.confirmed.jsonl`. */
export type Confirmation = Pick<
  CacheEntry,
  "sha256" | "checked_at" | "etag" | "data_through" | "data_since"
>;

function dayText(day: Date | null): string | null {
  return day === null ? null : day.toISOString().slice(0, 10);
}

/** Returns the header of an entry as indented JSON, with the name of the body file. */
export function headerText(
  request: ApiRequest,
  entry: EntryHeader,
  { baseUrl, answer }: { readonly baseUrl: string; readonly answer: string },
): string {
  return JSON.stringify(
    {
      chainframe_cache: CACHE_VERSION,
      operation: request.operation,
      base_url: baseUrl,
      method: request.method,
      url: requestUrl(baseUrl, request),
      body: request.body,
      status: entry.status,
      retrieved_at: entry.retrieved_at,
      checked_at: entry.checked_at,
      data_through: dayText(entry.data_through),
      data_since: dayText(entry.data_since),
      ...(entry.sample ? { data_sample: true } : {}),
      etag: isEtag(entry.etag) ? entry.etag : null,
      renamed: entry.renamed,
      answer,
      bytes: entry.bytes,
      sha256: entry.sha256,
    },
    null,
    2,
  ) + "\n";
}

function dateOf(value: unknown): Date | null {
  const date = typeof value === "string" ? new Date(value) : null;
  return date === null || Number.isNaN(date.getTime()) ? null : date;
}

function isRedirection(value: unknown): value is Redirection {
  const { from, to } = (value ?? {}) as Record<string, unknown>;
  return typeof from === "string" && typeof to === "string";
}

/** Whether a value can be sent as an ETag. */
function isEtag(value: unknown): value is string {
  return typeof value === "string" && /^[\x20-\x7e\x80-\xff]{1,1024}$/.test(value);
}

/** Parses a header. Returns null if it is damaged, has another format, or belongs to another request. */
export function headerOf(text: string, request: ApiRequest, baseUrl: string): EntryHeader | null {
  const header = membersIn(text);
  if (header === null) return null;
  const { method, url, body, status, etag, renamed, bytes, sha256 } = header;
  const asked = [request.method, requestUrl(baseUrl, request), request.body];
  if (JSON.stringify([method, url, body]) !== JSON.stringify(asked)) return null;
  const retrieved_at = dateOf(header.retrieved_at);
  const checked_at = dateOf(header.checked_at);
  if (retrieved_at === null || checked_at === null) return null;
  if (status !== 200 && status !== 404) return null;
  if (!(etag === null || isEtag(etag)) || !Number.isSafeInteger(bytes)) return null;
  if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256)) return null;
  if (!Array.isArray(renamed) || !renamed.every(isRedirection)) return null;
  return {
    status,
    retrieved_at,
    checked_at,
    // Both days are missing in headers of version 0.1.0, and if the service does not state them.
    data_through: dateOf(header.data_through),
    data_since: dateOf(header.data_since),
    sample: header.data_sample === true,
    etag,
    renamed,
    bytes: bytes as number,
    sha256,
  };
}

/** Returns a confirmation as a line of its file. */
export function confirmationLine({ sha256, etag, ...confirmation }: Confirmation): string {
  return JSON.stringify({
    chainframe_cache: CACHE_VERSION,
    sha256,
    checked_at: confirmation.checked_at,
    data_through: dayText(confirmation.data_through),
    data_since: dayText(confirmation.data_since),
    etag: isEtag(etag) ? etag : null,
  }) + "\n";
}

/** Parses confirmations, and skips damaged lines. */
export function confirmationsIn(text: string): Confirmation[] {
  return text.split("\n").flatMap((line) => {
    const members = line === "" ? null : membersIn(line);
    const checked_at = dateOf(members?.checked_at);
    if (members === null || checked_at === null || typeof members.sha256 !== "string") return [];
    return [{
      sha256: members.sha256,
      checked_at,
      data_through: dateOf(members.data_through),
      data_since: dateOf(members.data_since),
      etag: isEtag(members.etag) ? members.etag : null,
    }];
  });
}
