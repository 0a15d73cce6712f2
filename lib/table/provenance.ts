import type { Operation } from "../schema/operation.ts";

/** Where an answer came from: a live service, the cache, or the embedded service's sample data. */
export type Source = "service" | "cache" | "sample";

/** A request for one path that the service answered under another. */
export interface Rename {
  /** The path or identifier that was asked for. */
  readonly from: string;
  /** The path or identifier that answered. */
  readonly to: string;
}

/** Where a frame came from. It holds no token. */
export interface Provenance {
  /** The operation that was asked. */
  readonly operation: Operation;
  /** Who answered: `"service"`, `"cache"` or `"sample"`. */
  readonly source: Source;
  /** The URL that was asked; of several, the first. */
  readonly url: string;
  /** The query as it was given. */
  readonly query: Readonly<Record<string, unknown>>;
  /** When the answer arrived; of several, when the last one did. */
  readonly retrieved_at: Date;
  /** How many answers were merged into the frame. */
  readonly requests: number;
  /** What the service answered under another name. */
  readonly renamed: readonly Rename[];
  /** SHA-256 of the answer's bytes, in hex; of several, of their digests in order. */
  readonly sha256: string;
}
