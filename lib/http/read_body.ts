/** An answer as far as it has been read. */
export interface Reading {
  readonly chunks: Uint8Array[];
  length: number;
}

/** The first characters of what has been read, for a message. */
export function beginningOf({ chunks }: Reading): string {
  const decoder = new TextDecoder();
  let text = "";
  for (const chunk of chunks) {
    if (text.length >= 4_096) break;
    text += decoder.decode(chunk.subarray(0, 4_096), { stream: true });
  }
  return text;
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
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    reading.chunks.push(value);
    reading.length += value.length;
    if (reading.length > limit) {
      await reader.cancel();
      return null;
    }
  }
  const bytes = new Uint8Array(reading.length);
  let offset = 0;
  for (const chunk of reading.chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
