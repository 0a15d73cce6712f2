import type { Snapshot } from "../snapshot.ts";
import { acceptsGzip } from "./accept.ts";
import {
  bytesRepresentation,
  type Description,
  etagFrom,
  MEDIA_TYPES,
  type Representation,
} from "./representation.ts";
import type { Ctx } from "./hono.ts";
import { responseCacheOf } from "./response_cache.ts";

const MIN_GZIP_BYTES = 1_000;
// A Response copies the bytes it is given, which takes longer than to send them; a stream does not.
const MIN_STREAM_BYTES = 16_000;

/** The version of the software, which may answer in other bytes than the one before. */
export const SOFTWARE = "0.2.0";

/**
 * The ETag of the response to a request: what it is made of is the data, the software and the request,
 * so that it is known before anything is read.
 *
 * @param key the form, the path and the query of the request
 */
export function etagOf({ digest }: Snapshot, key: string): string {
  return etagFrom(`${digest} ${SOFTWARE} ${key}`);
}

function hasTag(asked: string, etag: string): boolean {
  const strong = etag.replace(/^W\//, "");
  return asked.split(",").some((tag) => tag.trim().replace(/^W\//, "") === strong);
}

/** The headers of a response to a request that is right. */
export function headersOf(
  c: Ctx,
  { type, etag, headers = {} }: Description,
): Record<string, string> {
  return {
    "content-type": type,
    "cache-control": "private, no-cache",
    "vary": "Accept-Encoding, Accept, Authorization",
    ...headers,
    ...c.req.method === "POST" ? {} : { etag },
  };
}

/** Whether who asks takes a response compressed. */
export function takesGzip(c: Ctx): boolean {
  return acceptsGzip(c.req.header("accept-encoding") ?? "");
}

/** The response to who names the ETag of what is there already; null for everybody else. */
export function notModified(c: Ctx, description: Description): Response | null {
  const asked = c.req.method === "POST" ? undefined : c.req.header("if-none-match");
  if (asked === undefined || !(asked === "*" || hasTag(asked, description.etag))) return null;
  return new Response(null, { status: 304, headers: headersOf(c, description) });
}

/** The response to who names the ETag of a response that nobody has to make; null for everybody else. */
export function knownUnchanged(c: Ctx): Response | null {
  // Whether there is anything at all, as `*` asks, only reading tells.
  const asked = c.req.header("if-none-match");
  if (asked === undefined || asked === "*" || c.req.method === "POST") return null;
  const type = MEDIA_TYPES[c.get("format")];
  return notModified(c, { type, etag: etagOf(c.env.snapshot, c.get("key")) });
}

function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

const BYTES = new WeakMap<Response, Uint8Array>();

/** The bytes of the body of a response, if `send` made it: to be written without reading it. */
export function bytesOf(response: Response): Uint8Array | undefined {
  return BYTES.get(response);
}

/**
 * Sends a representation, with more headers if need be: compressed when that is accepted, and 304 when the
 * client has it already.
 */
export function send(
  c: Ctx,
  representation: Representation,
  more: Readonly<Record<string, string>> = {},
): Response {
  c.env.rows = representation.rows;
  const unchanged = notModified(c, representation);
  if (unchanged !== null) return unchanged;
  const headers: Record<string, string> = { ...headersOf(c, representation), ...more };
  let body = representation.bytes;
  if (body.length > MIN_GZIP_BYTES && takesGzip(c)) {
    body = representation.gzip();
    headers["content-encoding"] = "gzip";
  }
  headers["content-length"] = String(body.length);
  const response = new Response(body.length < MIN_STREAM_BYTES ? body : streamOf(body), {
    headers,
  });
  BYTES.set(response, body);
  return response;
}

/** Sends bytes that were made for a request, and remembers them for requests like this one. */
export function sendWhole(
  c: Ctx,
  bytes: Uint8Array<ArrayBuffer>,
  { rows, ...description }: Description & { readonly rows: number },
): Response {
  const representation = bytesRepresentation(bytes, description, rows);
  responseCacheOf(c.env.snapshot).set(c.get("key"), representation);
  return send(c, representation);
}

/** Sends a payload as JSON, and remembers it for requests like this one. */
export function sendJson(c: Ctx, payload: unknown, rows: number): Response {
  const bytes = new TextEncoder().encode(JSON.stringify(payload));
  const etag = etagOf(c.env.snapshot, c.get("key"));
  return sendWhole(c, bytes, { type: MEDIA_TYPES.json, etag, rows });
}
