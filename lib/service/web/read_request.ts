import { failure } from "./failure.ts";
import { type Ctx, parseAccept } from "./hono.ts";

/** The media type of each format of a response. */
export const MEDIA_TYPES = { json: "application/json", csv: "text/csv" } as const;

/** A format of a response. */
export type Format = keyof typeof MEDIA_TYPES;

/** Returns the quality `q` of each entry of a header such as `Accept`. A client refuses entries with `q=0`. */
function qualitiesOf(header: string): Map<string, number> {
  return new Map(parseAccept(header).map(({ type, q }) => [type.toLowerCase(), q]));
}

/** Returns whether the client accepts gzip. */
export function acceptsGzip(c: Ctx): boolean {
  const qualities = qualitiesOf(c.req.header("accept-encoding") ?? "");
  return (qualities.get("gzip") ?? qualities.get("*") ?? 0) > 0;
}

/**
 * Returns the format that the client prefers, or the first format if the client has no preference.
 *
 * @throws {Failure} 406 when the client accepts none of the formats.
 */
export function negotiate(c: Ctx, formats: readonly Format[]): Format {
  const header = c.req.header("accept");
  if (header === undefined || header.trim() === "") return formats[0]!;
  const qualities = qualitiesOf(header);
  const wanted = formats.map((format) => {
    const type = MEDIA_TYPES[format];
    // Uses the most specific entry of the header.
    return [type, type.replace(/\/.*/, "/*"), "*/*"].map((range) => qualities.get(range))
      .find((quality) => quality !== undefined) ?? 0;
  });
  const most = Math.max(...wanted);
  if (most > 0) return formats[wanted.indexOf(most)]!;
  const types = formats.map((format) => MEDIA_TYPES[format]).join(" or ");
  throw failure("NOT_ACCEPTABLE", `The response is ${types}, which Accept excludes.`, {
    field: "Accept",
    value: header,
  });
}

/**
 * Returns the path and the query of the URL without decoding them.
 *
 * @throws {Failure} 400 when the path or the query is not UTF-8.
 */
export function requestTarget(c: Ctx): string {
  const target = c.req.url.slice(c.req.url.indexOf("/", 8));
  if (!target.includes("%")) return target;
  try {
    decodeURIComponent(target);
    return target;
  } catch {
    throw failure("INVALID_ENCODING", "The path and the query must be UTF-8, with % escapes.", {
      field: "url",
      value: target,
    });
  }
}

/** Maximum size of a request body, in bytes. */
const MAX_BODY_BYTES = 1_000_000;

// Closes the connection, because the rest of the body is not read.
function tooLarge(): never {
  throw failure("PAYLOAD_TOO_LARGE", `The body is larger than ${MAX_BODY_BYTES} bytes.`, {
    headers: { Connection: "close" },
  });
}

/** Reads the body. Hono's middleware `bodyLimit` cannot copy the adapter's request, which is not a real Request. */
async function bodyBytes({ req: { raw } }: Ctx): Promise<ArrayBuffer> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let left = MAX_BODY_BYTES;
  if (Number(raw.headers.get("content-length")) > left) tooLarge();
  try {
    for await (const piece of raw.body ?? []) {
      pieces.push(piece);
      left -= piece.length;
      if (left < 0) break;
    }
  } catch {
    throw failure("BODY_INTERRUPTED", "The body is incomplete.");
  }
  return left < 0 ? tooLarge() : await new Blob(pieces).arrayBuffer();
}

const JSON_TYPE = /^application\/([a-z.+-]+\+)?json *(;|$)/i;

/**
 * Returns the text of a JSON body.
 *
 * @throws {Failure} 415 for a media type that is not JSON, 413 for a body that is too large, 400 for a body that is
 * incomplete or not UTF-8.
 */
export async function bodyText(c: Ctx): Promise<string> {
  const type = c.req.header("content-type") ?? "";
  if (!JSON_TYPE.test(type)) {
    throw failure("UNSUPPORTED_MEDIA_TYPE", "The body must be application/json.", {
      field: "Content-Type",
      value: type,
    });
  }
  const bytes = await bodyBytes(c);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw failure("INVALID_ENCODING", "The body must be UTF-8.", { field: "body" });
  }
}

/**
 * Passes the text of a body to the validation.
 *
 * @throws {Failure} 400 when the text is not JSON.
 */
export function setBody(c: Ctx, text: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw failure("INVALID_JSON", `The body is not JSON: ${reason}.`, {
      field: "body",
      value: text,
    });
  }
  const headers = { "content-type": "application/json" };
  c.req.raw = new Request(c.req.raw.url, { method: "POST", headers, body: text });
}
