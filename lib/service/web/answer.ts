import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";

/** An answer as bytes, ready to be sent, and sent again. */
export interface Answer {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
  /** How many rows its data holds; null when it holds none. */
  readonly rows: number | null;
  /** The same bytes compressed; made when first asked for. */
  gzip(): Uint8Array<ArrayBuffer>;
}

/** An answer of bytes of a type. */
export function bytesAnswer(
  bytes: Uint8Array<ArrayBuffer>,
  type: string,
  rows: number | null = null,
): Answer {
  let packed: Uint8Array<ArrayBuffer> | undefined;
  return {
    bytes,
    type,
    // Weak, as the same answer may go out compressed.
    etag: `W/"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"`,
    rows,
    gzip: () => packed ??= new Uint8Array(gzipSync(bytes)),
  };
}

/** An answer of a payload as JSON. */
export function jsonAnswer(payload: unknown, rows: number | null = null): Answer {
  const bytes = new TextEncoder().encode(JSON.stringify(payload));
  return bytesAnswer(bytes, "application/json", rows);
}
