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

/** A response in the cache. */
interface CachedResponse {
  readonly bytes: Uint8Array<ArrayBuffer>;
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

function respond(c: Ctx, { bytes, headers, rows }: CachedResponse): void {
  c.env.rows = rows;
  // The body is a stream, because `Response` copies a body of bytes.
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  c.res = new Response(body, { headers });
}

/** Reads the body of a short response and caches the response. */
async function keep(c: Ctx, key: string): Promise<void> {
  const bytes = new Uint8Array(await c.res.arrayBuffer());
  const headers = { ...Object.fromEntries(c.res.headers), "content-length": String(bytes.length) };
  const cached = { bytes, headers, rows: c.env.rows };
  if (key.length <= MAX_KEY_LENGTH) cacheOf(c.env.snapshot).set(key, cached);
  respond(c, cached);
}

/**
 * Returns middleware for responses that depend only on the data and the request. The middleware selects the format,
 * caches short responses in memory, and adds an ETag to responses to GET. If the client already has the response, the
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
    const gzip = !head && acceptsGzip(c);
    const found = cacheOf(c.env.snapshot).get(`${gzip} ${key}`);
    if (found !== undefined) return respond(c, found);
    if (body !== null) setBody(c, body);
    await next();
    if (c.res.status !== 200) return;
    for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
    if (c.get("whole")) return await keep(c, `${gzip} ${key}`);
    if (!head) return;
    await c.res.body?.cancel();
    const { headers: sent } = c.res;
    c.res = undefined;
    c.res = new Response(null, { headers: sent });
  };
}
