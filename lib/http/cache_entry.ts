import { type ApiRequest, type Redirection, requestUrl } from "./request.ts";

/** The format version of the header files. */
const CACHE_VERSION = 1;

function momentIn(value: unknown): Date | undefined {
  const moment = typeof value === "string" ? new Date(value) : null;
  return moment === null || Number.isNaN(moment.getTime()) ? undefined : moment;
}

// A service can omit the days.
function dayIn(value: unknown): Date | null {
  return momentIn(value) ?? null;
}

/** Returns whether a value can be sent as an ETag. */
function isEtag(value: unknown): value is string {
  return typeof value === "string" && /^[\x20-\x7e\x80-\xff]{1,1024}$/.test(value);
}

function isRedirection(value: unknown): value is Redirection {
  const { from, to } = (value ?? {}) as Record<string, unknown>;
  return typeof from === "string" && typeof to === "string";
}

/**
 * The members of a header, with the functions that read them from JSON. A function returns undefined for an invalid
 * value.
 */
const MEMBERS = {
  /** The HTTP status: 200, or 404 for a project that does not exist. */
  status: (value: unknown): number | undefined =>
    value === 200 || value === 404 ? value : undefined,
  /** The time at which the body was received from the service. */
  retrieved_at: momentIn,
  /** The time at which the service last sent or confirmed the body. */
  checked_at: momentIn,
  /** The last day of the service's data; null if the service did not state this day. */
  data_through: dayIn,
  /** The first day of the service's data; null if the service did not state this day. */
  data_since: dayIn,
  /** Whether the service stated that the response contains sample data. */
  data_sample: (value: unknown) => value === true,
  /** The ETag of the response; null if the response had no ETag. */
  etag: (value: unknown) => value === null || isEtag(value) ? value : undefined,
  renamed: (value: unknown): readonly Redirection[] | undefined =>
    Array.isArray(value) && value.every(isRedirection) ? value : undefined,
  /** The number of bytes of the body. */
  bytes: (value: unknown) => Number.isSafeInteger(value) ? Number(value) : undefined,
  /** SHA-256 of the body, in hex. */
  sha256: (value: unknown) =>
    typeof value === "string" && /^[0-9a-f]{64}$/.test(value) ? value : undefined,
};

type Name = keyof typeof MEMBERS;
type Members<Names extends Name> = {
  readonly [Each in Names]: Exclude<ReturnType<typeof MEMBERS[Each]>, undefined>;
};

/** The header of an entry: all its members except the body, and the length of the body. */
export type EntryHeader = Members<Name>;

/** A stored response. */
export type CacheEntry = Omit<EntryHeader, "bytes"> & { readonly bytes: Uint8Array<ArrayBuffer> };

const CONFIRMED = ["sha256", "checked_at", "data_through", "data_since", "etag"] as const;

/** A confirmation (304) of an entry by the service. It is stored as one line of `STEM.confirmed.jsonl`. */
export type Confirmation = Members<typeof CONFIRMED[number]>;

/** Parses a header of this format version. Returns null for any other text. */
export function membersIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const header = JSON.parse(text);
    return header?.chainframe_cache === CACHE_VERSION ? header : null;
  } catch {
    return null;
  }
}

/** Reads members from parsed JSON. Returns null if a member is invalid. */
function read<Names extends Name>(
  names: readonly Names[],
  header: Readonly<Record<string, unknown>> | null,
): Members<Names> | null {
  const members = names.map((name) => [name, MEMBERS[name](header?.[name])]);
  if (header === null || members.some(([, value]) => value === undefined)) return null;
  return Object.fromEntries(members);
}

function textOf(
  names: readonly Name[],
  members: Partial<EntryHeader>,
  { indent, ...rest }: Readonly<Record<string, unknown>> & { readonly indent?: number },
): string {
  const own = names.map((name) => [name, members[name]]);
  const json = (name: string, value: unknown) => {
    if (/^data_(through|since)$/.test(name)) return (value as string | null)?.slice(0, 10) ?? null;
    if (name === "etag") return isEtag(value) ? value : null;
    return name === "data_sample" ? value || undefined : value;
  };
  const header = { chainframe_cache: CACHE_VERSION, ...rest, ...Object.fromEntries(own) };
  return `${JSON.stringify(header, json, indent)}\n`;
}

/** Returns the header of an entry as indented JSON, with the name of the body file. */
export function headerText(
  request: ApiRequest,
  entry: EntryHeader,
  { baseUrl, answer }: { readonly baseUrl: string; readonly answer: string },
): string {
  const { operation, method, body } = request;
  const url = requestUrl(baseUrl, request);
  const about = { operation, base_url: baseUrl, method, url, body, answer };
  return textOf(Object.keys(MEMBERS) as Name[], entry, { ...about, indent: 2 });
}

/**
 * Parses a header. Returns null if the header is damaged, has another format version, or belongs to another request.
 */
export function headerOf(text: string, request: ApiRequest, baseUrl: string): EntryHeader | null {
  const header = membersIn(text);
  const { method, url, body } = header ?? {};
  const asked = [request.method, requestUrl(baseUrl, request), request.body];
  if (JSON.stringify([method, url, body]) !== JSON.stringify(asked)) return null;
  return read(Object.keys(MEMBERS) as Name[], header);
}

/** Returns a confirmation as one line of JSON. */
export function confirmationLine(confirmation: Confirmation): string {
  return textOf(CONFIRMED, confirmation, {});
}

/** Parses confirmations, and skips damaged lines. */
export function confirmationsIn(text: string): Confirmation[] {
  return text.split("\n").flatMap((line) => read(CONFIRMED, membersIn(line)) ?? []);
}
