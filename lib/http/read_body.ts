/** An answer as far as it has been read. */
export interface Reading {
  /** Has room for more than has been read. */
  buffer: ArrayBuffer;
  length: number;
}

const FIRST_ROOM = 65_536;

/** Makes room for an answer. */
export function newReading(): Reading {
  return { buffer: new ArrayBuffer(0), length: 0 };
}

/** The first characters of what has been read, for a message. */
export function beginningOf({ buffer, length }: Reading): string {
  return new TextDecoder().decode(new Uint8Array(buffer, 0, Math.min(length, 4_096)));
}

// What a stream hands out is kept no longer than it takes to copy it: each piece may hold on to a buffer
// many times its size.
function append(reading: Reading, piece: Uint8Array, room: number): void {
  const length = reading.length + piece.length;
  if (length > reading.buffer.byteLength) {
    reading.buffer = reading.buffer.transfer(Math.max(length, Math.min(2 * length, room)));
  }
  new Uint8Array(reading.buffer).set(piece, reading.length);
  reading.length = length;
}

/**
 * Reads the body of a response to its last byte; null when it is longer than the limit, of which no more
 * than the limit is ever held. What was read until an error stays in `reading`.
 */
export async function readBody(
  response: Response,
  limit: number,
  reading: Reading,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (response.body === null) return new Uint8Array();
  const reader = response.body.getReader();
  const declared = Number(response.headers.get("content-length") ?? 0);
  reading.buffer = reading.buffer.transfer(Math.min(Math.max(declared, FIRST_ROOM), limit));
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(reading.buffer.transfer(reading.length));
    if (reading.length + value.length > limit) {
      append(reading, value.subarray(0, Math.max(0, 4_096 - reading.length)), 0);
      await reader.cancel();
      return null;
    }
    append(reading, value, limit);
  }
}
