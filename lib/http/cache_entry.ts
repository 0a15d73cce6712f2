import type { Redirection } from "./envelope.ts";
import { type Question, questionUrl } from "./question.ts";
import { CACHE_VERSION, membersIn } from "./cache_folder.ts";

/** An answer as the cache keeps it. */
export interface Entry {
  /** 200, or 404 of a thing that has a path of its own. */
  readonly status: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** SHA-256 of the bytes, in hex. */
  readonly sha256: string;
  /** The service's name for this version of the answer; null where it gave none. */
  readonly etag: string | null;
  readonly renamed: readonly Redirection[];
  readonly retrieved_at: Date;
  /** When the service last said that the answer still holds. */
  readonly checked_at: Date;
  /** The last day of the service's data; null where it did not say. */
  readonly data_through: Date | null;
  /** The first day of the service's data; null where it did not say. */
  readonly data_since: Date | null;
}

/** What the header of an entry says, beside what makes up the question: the answer only by its length. */
export type EntryHeader = Omit<Entry, "bytes"> & { readonly bytes: number };

function dayText(day: Date | null): string | null {
  return day === null ? null : day.toISOString().slice(0, 10);
}

/** The header of an entry: JSON that a person can read, and that says which file holds the answer. */
export function headerText(
  question: Question,
  entry: EntryHeader,
  { baseUrl, answer }: { readonly baseUrl: string; readonly answer: string },
): string {
  return JSON.stringify(
    {
      chainframe_cache: CACHE_VERSION,
      operation: question.operation,
      base_url: baseUrl,
      method: question.method,
      url: questionUrl(baseUrl, question),
      body: question.body,
      status: entry.status,
      retrieved_at: entry.retrieved_at,
      checked_at: entry.checked_at,
      data_through: dayText(entry.data_through),
      data_since: dayText(entry.data_since),
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

/** Whether a value can be sent as the ETag that it is said to be. */
function isEtag(value: unknown): value is string {
  return typeof value === "string" && /^[\x20-\x7e\x80-\xff]{1,1024}$/.test(value);
}

/** Reads a header; null when it is damaged, foreign, or the header of another question. */
export function headerOf(text: string, question: Question, baseUrl: string): EntryHeader | null {
  const header = membersIn(text);
  if (header === null) return null;
  const { method, url, body, status, etag, renamed, bytes, sha256 } = header;
  const asked = [question.method, questionUrl(baseUrl, question), question.body];
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
    // Headers written before there were these have neither, which is what a silent service leaves.
    data_through: dateOf(header.data_through),
    data_since: dateOf(header.data_since),
    etag,
    renamed,
    bytes: bytes as number,
    sha256,
  };
}
