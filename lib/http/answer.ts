/** A path that a redirect led from, and the one that it led to. */
export interface Redirection {
  readonly from: string;
  readonly to: string;
}

/** One answer of the service, read. */
export interface Answer {
  /** `data` of the envelope. */
  readonly data: unknown;
  /** `errors` of the envelope; empty where it has none. */
  readonly errors: readonly unknown[];
  /** The whole answer, as text, for an error to keep: where it held the token, that is taken out. */
  readonly body: string;
  /** The URL that was asked. */
  readonly url: string;
  readonly source: "service" | "cache" | "sample";
  /** When the bytes came from the service, for a cached answer too. */
  readonly retrieved_at: Date;
  /** How many times the request was sent; 0 where the cache answered and nobody was asked. */
  readonly attempts: number;
  readonly renamed: readonly Redirection[];
  /** SHA-256 of the answer's bytes, in hex. */
  readonly sha256: string;
}
