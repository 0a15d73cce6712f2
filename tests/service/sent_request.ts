/** A request as a test sends it. */
export interface SentRequest {
  readonly method: string;
  /** The path and the query, as they are sent. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Creates a request to `origin`. */
export function requestTo(origin: string, { method, path, headers, body }: SentRequest): Request {
  return new Request(origin + path, { method, headers, body });
}
