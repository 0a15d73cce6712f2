import type { ServerResponse } from "node:http";
import { bytesOf } from "./send.ts";
import { piecesOf } from "./send_pieces.ts";

// As fast as it is read at the other end: each piece is gone before the next one is asked for. What breaks
// off here breaks the connection, so that nobody takes a part for the whole.
async function writePieces(
  pieces: AsyncIterable<Uint8Array>,
  outgoing: ServerResponse,
): Promise<void> {
  let wake = () => {};
  const gone = () => wake();
  outgoing.on("close", gone);
  try {
    for await (const piece of pieces) {
      if (outgoing.destroyed) return;
      const sent = Promise.withResolvers<void>();
      wake = sent.resolve;
      outgoing.write(piece, () => sent.resolve());
      await sent.promise;
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
  const pieces = piecesOf(response);
  if (pieces !== undefined) {
    outgoing.writeHead(response.status, headers);
    return await writePieces(pieces, outgoing);
  }
  const bytes = bytesOf(response) ?? new Uint8Array(await response.arrayBuffer());
  if (!bodiless) headers["content-length"] ??= String(bytes.length);
  outgoing.writeHead(response.status, headers);
  outgoing.end(bytes);
}
