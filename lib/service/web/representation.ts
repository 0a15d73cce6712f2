import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";

/** The media type of each form that a response can have. */
export const MEDIA_TYPES = { json: "application/json", csv: "text/csv" } as const;

/** One of the forms that a response can have. */
export type Format = keyof typeof MEDIA_TYPES;

/** What HTTP says of a response that is whole, whatever its bytes. */
export interface Description {
  /** The media type, with its parameters. */
  readonly type: string;
  /** What tells it from other responses to the same request. */
  readonly etag: string;
  /** What headers of its own say about it. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a response holds as bytes, with what HTTP says of them: ready to be sent, and sent again. */
export interface Representation extends Description {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** How many rows its data holds; null when it holds none. */
  readonly rows: number | null;
  /** The same bytes compressed; made when first asked for. */
  gzip(): Uint8Array<ArrayBuffer>;
}

/** The ETag of what follows from some texts or bytes: weak, as it may go out compressed. */
export function etagFrom(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return `W/"${hash.digest("base64url").slice(0, 27)}"`;
}

/** The representation of bytes. */
export function bytesRepresentation(
  bytes: Uint8Array<ArrayBuffer>,
  description: Description,
  rows: number | null = null,
): Representation {
  let packed: Uint8Array<ArrayBuffer> | undefined;
  return {
    ...description,
    bytes,
    rows,
    gzip: () => packed ??= new Uint8Array(gzipSync(bytes)),
  };
}

/** The representation of bytes that nothing but themselves tells from others. */
export function fixedRepresentation(
  bytes: Uint8Array<ArrayBuffer>,
  type: string,
): Representation {
  return bytesRepresentation(bytes, { type, etag: etagFrom(bytes) });
}
