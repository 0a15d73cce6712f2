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
  /** The whole answer, as text. */
  readonly body: string;
  /** The URL that was asked. */
  readonly url: string;
  readonly source: "service" | "cache" | "sample";
  readonly retrieved_at: Date;
  /** How many times the request was sent. */
  readonly attempts: number;
  readonly renamed: readonly Redirection[];
  /** SHA-256 of the answer's bytes, in hex. */
  readonly sha256: string;
}
