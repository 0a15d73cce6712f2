/** The part of a body that has been read. */
export interface Reading {
  /** A buffer that can be larger than the bytes read. */
  buffer: ArrayBuffer;
  length: number;
}

const FIRST_ROOM = 65_536;

/** Creates an empty reading. */
export function newReading(): Reading {
  return { buffer: new ArrayBuffer(0), length: 0 };
}

/** Returns the first characters of a body, for a message. */
export function beginningOf({ buffer, length }: Reading): string {
  return new TextDecoder().decode(new Uint8Array(buffer, 0, Math.min(length, 4_096)));
}

// Copies each chunk at once, because a chunk can reference a much larger buffer.
function append(reading: Reading, piece: Uint8Array, room: number): void {
  const length = reading.length + piece.length;
  if (length > reading.buffer.byteLength) {
    reading.buffer = reading.buffer.transfer(Math.max(length, Math.min(2 * length, room)));
  }
  new Uint8Array(reading.buffer).set(piece, reading.length);
  reading.length = length;
}

/** Whether a chunk is a complete body of this length in its own buffer. */
function isWhole(piece: Uint8Array, declared: number): piece is Uint8Array<ArrayBuffer> {
  const { buffer, length } = piece;
  return length === declared && buffer.byteLength === length && buffer instanceof ArrayBuffer;
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
  if (response.body === null) return new Uint8Array();
  const reader = response.body.getReader();
  const declared = Number(response.headers.get("content-length") ?? 0);
  let next = await reader.read();
  // A body in a single chunk, as from a service in this process, is not copied.
  if (!next.done && declared <= limit && isWhole(next.value, declared)) {
    const whole = next.value;
    Object.assign(reading, { buffer: whole.buffer, length: declared });
    next = await reader.read();
    if (next.done) return whole;
    reading.buffer = reading.buffer.slice();
  } else {
    reading.buffer = reading.buffer.transfer(Math.min(Math.max(declared, FIRST_ROOM), limit));
  }
  while (!next.done) {
    const { value } = next;
    if (reading.length + value.length > limit) {
      append(reading, value.subarray(0, Math.max(0, 4_096 - reading.length)), 0);
      await reader.cancel();
      return null;
    }
    append(reading, value, limit);
    next = await reader.read();
  }
  return new Uint8Array(reading.buffer.transfer(reading.length));
}
