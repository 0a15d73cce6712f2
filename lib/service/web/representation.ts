import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { EntityError } from "../query/entity_list.ts";
import { csvText, entityErrorHeaders, type Table } from "./csv.ts";

/** The media type of each form that a response can have. */
export const MEDIA_TYPES = { json: "application/json", csv: "text/csv" } as const;

/** One of the forms that a response can have. */
export type Format = keyof typeof MEDIA_TYPES;

/** What a response holds as bytes, with what HTTP says of them: ready to be sent, and sent again. */
export interface Representation {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
  /** How many rows its data holds; null when it holds none. */
  readonly rows: number | null;
  /** What headers of its own say about it. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The same bytes compressed; made when first asked for. */
  gzip(): Uint8Array<ArrayBuffer>;
}

/** The representation of bytes of a type. */
export function bytesRepresentation(
  bytes: Uint8Array<ArrayBuffer>,
  type: string,
  rows: number | null = null,
): Representation {
  let packed: Uint8Array<ArrayBuffer> | undefined;
  return {
    bytes,
    type,
    // Weak, as the same bytes may go out compressed.
    etag: `W/"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"`,
    rows,
    gzip: () => packed ??= new Uint8Array(gzipSync(bytes)),
  };
}

/** The representation of a payload as JSON. */
export function jsonRepresentation(payload: unknown, rows: number | null = null): Representation {
  const bytes = new TextEncoder().encode(JSON.stringify(payload));
  return bytesRepresentation(bytes, "application/json", rows);
}

/** The representation of a table as CSV, with what the table does not say in its headers. */
export function csvRepresentation(table: Table, errors: readonly EntityError[]): Representation {
  const bytes = new TextEncoder().encode(csvText(table));
  const headers = entityErrorHeaders(errors);
  const type = "text/csv; charset=utf-8; header=present";
  return { ...bytesRepresentation(bytes, type, table.rows.length), headers };
}
