/** A request as a test sent it. */
export interface SentRequest {
  readonly method: string;
  /** The path and the query, as they were sent. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

const MAX_BODY_BYTES = 100_000;
// Headers that a client sets itself.
const OF_THE_CONNECTION = new Set(["connection", "content-length", "host", "user-agent"]);

/** A request to `origin` like one that was sent. */
export function requestTo(origin: string, { method, path, headers, body }: SentRequest): Request {
  return new Request(origin + path, { method, headers, body });
}

/**
 * Reads a request that is about to be answered, and leaves it to be read. A body that is too large or
 * that breaks off is no request to send again: null.
 */
export async function sentRequest(request: Request): Promise<SentRequest | null> {
  const headers = Object.fromEntries(
    [...request.headers].filter(([name]) => !OF_THE_CONNECTION.has(name)),
  );
  const { method, url } = request;
  const sent = { method, path: url.slice(url.indexOf("/", 8)), headers };
  if (request.body === null) return { ...sent, body: null };
  const length = request.headers.get("content-length");
  if (length === null || Number(length) > MAX_BODY_BYTES) return null;
  return await request.clone().text().then((body) => ({ ...sent, body }), () => null);
}
