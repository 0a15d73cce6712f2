/** The part of a body that has been read. */
export interface Reading {
  readonly chunks: Uint8Array<ArrayBuffer>[];
  length: number;
}

/** Maximum number of bytes of a refused body that are kept for a message. */
const BEGINNING = 4_096;

/** Creates an empty reading. */
export function newReading(): Reading {
  return { chunks: [], length: 0 };
}

/** Returns the first bytes of a list of chunks. */
function joined(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    const part = chunk.subarray(0, length - at);
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Returns the first characters of a body, for a message. */
export function beginningOf({ chunks, length }: Reading): string {
  return new TextDecoder().decode(joined(chunks, Math.min(length, BEGINNING)));
}

/**
 * Reads the body of a response; returns null if it is longer than the limit. Never buffers more than the limit. After
 * an error, `reading` has the bytes that were read before the error.
 */
export async function readBody(
  response: Response,
  limit: number,
  reading: Reading,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const { chunks } = reading;
  // Leaving the loop early cancels the body.
  for await (const chunk of response.body ?? []) {
    const isTooLong = reading.length + chunk.length > limit;
    const kept = isTooLong ? chunk.subarray(0, Math.max(0, BEGINNING - reading.length)) : chunk;
    // A chunk can be a small part of a large buffer.
    chunks.push(kept.buffer.byteLength === kept.length ? kept : kept.slice());
    reading.length += kept.length;
    if (isTooLong) return null;
  }
  // A body in a single chunk, as from a service in this process, is not copied.
  return chunks.length === 1 ? chunks[0]! : joined(chunks, reading.length);
}
