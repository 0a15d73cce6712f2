import { type Failure, failure } from "./failure.ts";

/** The largest body that is read, in bytes. */
export const MAX_BODY_BYTES = 1_000_000;

// What has not been read yet never will be: the connection cannot be used again.
function tooLarge(): Failure {
  return failure(413, "PAYLOAD_TOO_LARGE", `The body is larger than ${MAX_BODY_BYTES} bytes.`, {
    headers: { Connection: "close" },
  });
}

/**
 * Reads the body of a request, and stops as soon as it is too large.
 *
 * @throws {Failure} 413 when it is.
 */
export async function readBody(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early cancels the stream.
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
