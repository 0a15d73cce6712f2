import { Failure, failure } from "./failure.ts";
import type { Ctx } from "./hono.ts";

/**
 * The path and the query of a URL, as they were sent.
 *
 * @throws {Failure} 400 when they hold what stands for no text.
 */
export function requestTarget(url: string): string {
  const target = url.slice(url.indexOf("/", 8));
  if (!target.includes("%")) return target;
  try {
    decodeURIComponent(target);
    return target;
  } catch {
    throw failure(
      400,
      "INVALID_ENCODING",
      "The path and the query must be UTF-8, with % escapes.",
      {
        field: "url",
        value: target,
      },
    );
  }
}

/** The largest body that is read, in bytes. */
const MAX_BODY_BYTES = 1_000_000;

// What has not been read yet never will be: the connection cannot be used again.
function tooLarge(): Failure {
  return failure(413, "PAYLOAD_TOO_LARGE", `The body is larger than ${MAX_BODY_BYTES} bytes.`, {
    headers: { Connection: "close" },
  });
}

async function readChunks(request: Request): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early cancels the stream.
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return chunks;
}

/**
 * Reads the body of a request, and stops as soon as it is too large.
 *
 * @throws {Failure} 413 when it is, 400 when it breaks off.
 */
async function readBody(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const length = request.headers.get("content-length");
  if (Number(length ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  try {
    // A body whose length is told is not longer than that, and read quicker in one piece.
    const bytes = length === null
      ? new Uint8Array(await new Blob(await readChunks(request) as BlobPart[]).arrayBuffer())
      : new Uint8Array(await request.arrayBuffer());
    if (bytes.length > MAX_BODY_BYTES) throw tooLarge();
    return bytes;
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw failure(400, "BODY_INTERRUPTED", "The body broke off before its end.");
  }
}

const JSON_TYPE = /^application\/([a-z.+-]+\+)?json *(;|$)/i;

const STRICT = { fatal: true } as const;

/**
 * The text of a body that says it is JSON.
 *
 * @throws {Failure} 415 for another type, 413 when it is too large, 400 when it is not UTF-8.
 */
export async function bodyText(c: Ctx): Promise<string> {
  const type = c.req.header("content-type") ?? "";
  if (!JSON_TYPE.test(type)) {
    throw failure(415, "UNSUPPORTED_MEDIA_TYPE", "The body must be application/json.", {
      field: "Content-Type",
      value: type,
    });
  }
  const bytes = await readBody(c.req.raw);
  try {
    return new TextDecoder("utf-8", STRICT).decode(bytes);
  } catch {
    throw failure(400, "INVALID_ENCODING", "The body must be UTF-8.", { field: "body" });
  }
}

/**
 * Hands the text of a body on to the validation.
 *
 * @throws {Failure} 400 when it is not JSON.
 */
export function passOn(c: Ctx, text: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw failure(400, "INVALID_JSON", `The body is not JSON: ${reason}.`, {
      field: "body",
      value: text,
    });
  }
  const headers = { "content-type": "application/json" };
  c.req.raw = new Request(c.req.raw.url, { method: "POST", headers, body: text });
}
