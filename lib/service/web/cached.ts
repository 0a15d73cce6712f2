// deno-lint-ignore-file no-import-prefix
// Import maps apply only to the root config. Projects that import this file by path have another root config.
import { LRUCache } from "npm:lru-cache@11.2.2";
import config from "../../../deno.json" with { type: "json" };
import { createHash } from "node:crypto";
import type { Snapshot } from "../snapshot.ts";
import type { Ctx, Env, MiddlewareHandler } from "./hono.ts";
import {
  acceptsGzip,
  bodyText,
  type Format,
  negotiate,
  requestTarget,
  setBody,
} from "./read_request.ts";
import { inPieces, inUnpackedPieces, packedIfCrowded } from "./send.ts";

/** A response in the cache. */
interface CachedResponse {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether the bytes are compressed in memory only. */
  readonly isPacked?: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly rows: number | null;
}

const MAX_BYTES = 32_000_000;
const MAX_KEY_LENGTH = 4_096;

/** Creates a cache for responses. A full cache evicts the least recently used response. */
export function createResponseCache(maxSize: number = MAX_BYTES): LRUCache<string, CachedResponse> {
  return new LRUCache<string, CachedResponse>({
    maxSize,
    // A response that is larger than a quarter of the cache would evict too many other responses.
    maxEntrySize: Math.floor(maxSize / 4),
    sizeCalculation: ({ bytes }, key) => 2 * key.length + bytes.length,
  });
}

// The cache of a snapshot is released with the snapshot.
const caches = new WeakMap<Snapshot, LRUCache<string, CachedResponse>>();

function cacheOf(snapshot: Snapshot): LRUCache<string, CachedResponse> {
  let cache = caches.get(snapshot);
  if (cache === undefined) caches.set(snapshot, cache = createResponseCache());
  return cache;
}

// Returns a weak ETag, because a response can be sent compressed or uncompressed. The ETag is a hash of the request and
// the digest of the data, so computing it reads no data.
function etagOf({ digest }: Snapshot, key: string): string {
  // The version is included, because other versions of chainframe may send other bytes.
  const hash = createHash("sha256").update(`${digest} ${config.version} ${key}`);
  return `W/"${hash.digest("base64url").slice(0, 27)}"`;
}

function isNamed(header: string, etag: string): boolean {
  return header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag.slice(2));
}

function respond(c: Ctx, { bytes, headers, rows, isPacked = false }: CachedResponse): void {
  c.env.rows = rows;
  // The body is a stream, because `Response` copies a body of bytes.
  const body = isPacked ? inUnpackedPieces(bytes) : inPieces(bytes);
  c.res = new Response(body, { headers });
}

/** Reads the body of a short response and caches the response. */
async function keep(c: Ctx, key: string): Promise<CachedResponse> {
  // A compressed body has no stated length.
  const isPlain = c.res.headers.has("content-length");
  if (isPlain) await c.res.body?.cancel();
  const bytes = isPlain ? c.get("bytes")! : new Uint8Array(await c.res.arrayBuffer());
  // The context lives until the client has read the response.
  c.set("bytes", undefined);
  const headers = { ...Object.fromEntries(c.res.headers), "content-length": String(bytes.length) };
  const packed = isPlain ? await packedIfCrowded(bytes) : null;
  const cached = { bytes: packed ?? bytes, isPacked: packed !== null, headers, rows: c.env.rows };
  if (key.length <= MAX_KEY_LENGTH) cacheOf(c.env.snapshot).set(key, cached);
  return cached;
}

/** A response that is being computed, for one or several requests. */
interface Computing {
  /** The response; null if it is not kept. */
  readonly response: Promise<CachedResponse | null>;
  /** Stops the computation when no client waits for it any longer. */
  readonly stop: AbortController;
  clients: number;
}

const computing = new WeakMap<Snapshot, Map<string, Computing>>();

function computingOf(snapshot: Snapshot): Map<string, Computing> {
  let all = computing.get(snapshot);
  if (all === undefined) computing.set(snapshot, all = new Map());
  return all;
}

// The reason that the adapter gives is a text, which no handler of errors would get.
const left = () => new DOMException("The client has closed its connection.", "AbortError");

/** Counts the client of a request, until the client closes its connection. */
function join(each: Computing, { raw: { signal } }: Ctx["req"]): void {
  each.clients++;
  const leave = () => {
    if (--each.clients === 0) each.stop.abort(left());
  };
  if (signal.aborted) leave();
  else signal.addEventListener("abort", leave, { once: true });
}

/** Returns a response that another request computes. Rejects when the client of this request leaves. */
function joined(each: Computing, c: Ctx): Promise<CachedResponse | null> {
  const { signal } = c.req.raw;
  c.set("signal", signal);
  join(each, c.req);
  return new Promise((resolve, reject) => {
    const leave = () => reject(left());
    if (signal.aborted) return leave();
    signal.addEventListener("abort", leave, { once: true });
    each.response.then(resolve, () => resolve(null))
      .finally(() => signal.removeEventListener("abort", leave));
  });
}

/** Computes a response once for all equal requests that arrive meanwhile. */
async function compute(
  c: Ctx,
  key: string,
  work: () => Promise<CachedResponse | null>,
): Promise<CachedResponse | null> {
  const all = computingOf(c.env.snapshot);
  const { promise: response, resolve } = Promise.withResolvers<CachedResponse | null>();
  const own: Computing = { response, stop: new AbortController(), clients: 0 };
  join(own, c.req);
  c.set("signal", own.stop.signal);
  all.set(key, own);
  let made: CachedResponse | null = null;
  try {
    return made = await work();
  } finally {
    if (all.get(key) === own) all.delete(key);
    resolve(made);
  }
}

/**
 * Returns middleware for responses that depend only on the data and the request. The middleware selects the format,
 * caches short responses in memory, computes equal requests once, and adds an ETag to responses to GET. If the client already has the response, the
 * middleware sends a 304.
 *
 * @param formats the formats of the route; empty for a page, which is sent whatever `Accept` is
 */
export function cached(formats: readonly Format[]): MiddlewareHandler<Env> {
  return async (c, next) => {
    const form = formats.length === 0 ? "page" : negotiate(c, formats);
    if (form !== "page") c.set("format", form);
    const target = requestTarget(c);
    const body = c.req.method === "POST" ? await bodyText(c) : null;
    const head = c.req.method === "HEAD";
    const key = body === null ? `GET ${form} ${target}` : `POST ${target}\n${body}`;
    const headers: Record<string, string> = {
      "cache-control": "private, no-cache",
      "vary": "Accept-Encoding, Accept, Authorization",
      ...body === null ? { etag: etagOf(c.env.snapshot, key) } : {},
    };
    const match = body === null ? c.req.header("if-none-match") : undefined;
    if (match !== undefined && isNamed(match, headers.etag!)) {
      return new Response(null, { status: 304, headers });
    }
    // A HEAD request is never compressed, unless its response is stored compressed.
    const kept = `${head ? "HEAD " : ""}${acceptsGzip(c) ? "gzip" : "plain"} ${key}`;
    const found = cacheOf(c.env.snapshot).get(kept);
    if (found !== undefined) return respond(c, found);
    const other = computingOf(c.env.snapshot).get(kept);
    const shared = other === undefined || other.stop.signal.aborted ? null : await joined(other, c);
    if (shared !== null) return respond(c, shared);
    if (body !== null) setBody(c, body);
    const made = await compute(c, kept, async () => {
      await next();
      if (c.res.status !== 200) return null;
      for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
      return c.get("bytes") === undefined ? null : await keep(c, kept);
    });
    if (made !== null) return respond(c, made);
    if (!head || c.res.status !== 200) return;
    await c.res.body?.cancel();
    const { headers: sent } = c.res;
    c.res = undefined;
    c.res = new Response(null, { headers: sent });
  };
}
