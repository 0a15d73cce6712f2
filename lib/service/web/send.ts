import type { EntityError } from "../query/entity_list.ts";
import { acceptsGzip } from "./accept.ts";
import type { Table } from "./csv.ts";
import { csvRepresentation, jsonRepresentation, type Representation } from "./representation.ts";
import type { Ctx } from "./hono.ts";
import { responseCacheOf } from "./response_cache.ts";

const MIN_GZIP_BYTES = 1_000;
// A Response copies the bytes it is given, which takes longer than to send them; a stream does not.
const MIN_STREAM_BYTES = 16_000;

function unchanged(asked: string, etag: string): boolean {
  const strong = etag.replace(/^W\//, "");
  return asked === "*" || asked.split(",").some((tag) => tag.trim().replace(/^W\//, "") === strong);
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
  const { etag, type, rows, headers: said = {} } = representation;
  c.env.rows = rows;
  const headers: Record<string, string> = {
    "content-type": type,
    "cache-control": "private, no-cache",
    "vary": "Accept-Encoding, Accept, Authorization",
    ...said,
    ...more,
  };
  if (c.req.method !== "POST") {
    headers.etag = etag;
    const asked = c.req.header("if-none-match");
    if (asked !== undefined && unchanged(asked, etag)) {
      return new Response(null, { status: 304, headers });
    }
  }
  let body = representation.bytes;
  if (body.length > MIN_GZIP_BYTES && acceptsGzip(c.req.header("accept-encoding") ?? "")) {
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

/** What an operation found. */
interface Found {
  readonly payload: unknown;
  readonly rows: number;
  /** The same as a table, and what the table does not say, where it can be sent as CSV. */
  readonly table?: { readonly table: Table; readonly errors: readonly EntityError[] };
}

/** Sends what was found, in the form that is asked for, and remembers it for requests like this one. */
export function sendNew(c: Ctx, { payload, rows, table }: Found): Response {
  const representation = c.get("format") === "csv" && table !== undefined
    ? csvRepresentation(table.table, table.errors)
    : jsonRepresentation(payload, rows);
  responseCacheOf(c.env.snapshot).set(c.get("key"), representation);
  return send(c, representation);
}
