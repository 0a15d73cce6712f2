import type { ServerResponse } from "node:http";
import { bytesOf } from "./send.ts";
import { isStreamed } from "./send_pieces.ts";

// As fast as it is read at the other end. What breaks off here breaks the connection, so that nobody takes
// a part for the whole.
async function writePieces(body: ReadableStream, outgoing: ServerResponse): Promise<void> {
  const reader = body.getReader();
  let wake = () => {};
  const gone = () => {
    wake();
    reader.cancel().catch(() => {});
  };
  outgoing.on("close", gone);
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      if (outgoing.destroyed) return;
      const room = Promise.withResolvers<void>();
      wake = room.resolve;
      outgoing.once("drain", wake);
      if (!outgoing.write(value)) await room.promise;
      outgoing.off("drain", wake);
    }
    if (!outgoing.destroyed) outgoing.end();
  } catch {
    outgoing.destroy();
  } finally {
    outgoing.off("close", gone);
  }
}

/**
 * Writes a response to a socket, without the copies that reading its body would cost.
 *
 * @param last whether the connection ends with it
 */
export async function writeResponse(
  response: Response,
  outgoing: ServerResponse,
  last: boolean,
): Promise<void> {
  const headers: Record<string, string> = {};
  // Four times as fast as through their entries.
  response.headers.forEach((value, name) => headers[name] = value);
  if (last) headers.connection = "close";
  // To HEAD a response says the length that it has elsewhere, and these two have no body at all.
  const bodiless = outgoing.req.method === "HEAD" || [204, 304].includes(response.status);
  if (isStreamed(response) && response.body !== null) {
    outgoing.writeHead(response.status, headers);
    return await writePieces(response.body, outgoing);
  }
  const bytes = bytesOf(response) ?? new Uint8Array(await response.arrayBuffer());
  if (!bodiless) headers["content-length"] ??= String(bytes.length);
  outgoing.writeHead(response.status, headers);
  outgoing.end(bytes);
}
