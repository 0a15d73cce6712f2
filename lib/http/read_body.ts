/** The part of a body that has been read. */
export interface BodyReading {
  readonly chunks: Uint8Array<ArrayBuffer>[];
  length: number;
}

/** Maximum number of bytes of a refused body that are kept for the error message. */
const BEGINNING = 4_096;

/** Creates the state before the first byte of a body is read. */
export function newReading(): BodyReading {
  return { chunks: [], length: 0 };
}

/** Joins chunks into one array of `length` bytes. Any further bytes are left out. */
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

/** Returns the first characters of a body, for the error message. */
export function beginningOf({ chunks, length }: BodyReading): string {
  return new TextDecoder().decode(joined(chunks, Math.min(length, BEGINNING)));
}

/**
 * Reads the body of a response. Returns null if the body is longer than `limit` bytes. Never buffers more than `limit`
 * bytes. After an error, `reading` contains the bytes that were read before the error.
 */
export async function readBody(
  response: Response,
  limit: number,
  reading: BodyReading,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const { chunks } = reading;
  // Leaving the loop early cancels the body.
  for await (const chunk of response.body ?? []) {
    const isTooLong = reading.length + chunk.length > limit;
    const kept = isTooLong ? chunk.subarray(0, Math.max(0, BEGINNING - reading.length)) : chunk;
    // A chunk can be a small part of a large buffer, which would stay in memory.
    chunks.push(kept.buffer.byteLength === kept.length ? kept : kept.slice());
    reading.length += kept.length;
    if (isTooLong) return null;
  }
  // A body of a single chunk is not copied. The embedded service sends such bodies.
  return chunks.length === 1 ? chunks[0]! : joined(chunks, reading.length);
}
