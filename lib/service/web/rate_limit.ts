import { failure } from "./failure.ts";

/** How many requests a token may make. */
export interface RateLimit {
  /** The requests that a token may make within `seconds`. */
  readonly requests: number;
  /**
   * The length of the time in which they are counted.
   * @default 60
   */
  readonly seconds?: number;
}

/** What the answer says about the limit. */
export type RateLimitHeaders = Readonly<Record<string, string>>;

/**
 * A counter of requests per token in windows of fixed length. It gives the headers of the answer.
 *
 * @throws {RangeError} for a limit that lets nobody in, at once.
 * @throws {Failure} 429 with `Retry-After` when a token has none left.
 */
export function rateLimiter(
  limit: RateLimit,
  now: () => number,
): (token: number) => RateLimitHeaders {
  const { requests, seconds = 60 } = limit;
  if (!Number.isInteger(requests) || requests < 1 || !(seconds > 0)) {
    throw new RangeError(
      `Cannot limit requests: requests must be a whole number from 1 on and seconds above 0; ` +
        `got ${requests} in ${seconds} s`,
    );
  }
  const windows = new Map<number, { ends: number; used: number }>();
  return (token) => {
    const time = now();
    let window = windows.get(token);
    if (window === undefined || time >= window.ends) {
      window = { ends: time + seconds * 1000, used: 0 };
      windows.set(token, window);
    }
    const reset = Math.ceil((window.ends - time) / 1000);
    const headers = {
      "RateLimit-Limit": String(requests),
      "RateLimit-Remaining": String(Math.max(0, requests - window.used - 1)),
      "RateLimit-Reset": String(reset),
    };
    if (window.used >= requests) {
      throw failure(
        429,
        "RATE_LIMITED",
        `More than ${requests} requests in ${seconds} s: try again in ${reset} s.`,
        { headers: { ...headers, "Retry-After": String(reset) } },
      );
    }
    window.used++;
    return headers;
  };
}
