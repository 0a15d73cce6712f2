import { timingSafeEqual } from "node:crypto";
import { negotiate } from "./accept.ts";
import type { Format } from "./representation.ts";
import { Failure, failure } from "./failure.ts";
import type { Ctx, Env, MiddlewareHandler } from "./hono.ts";
import { bodyText, passOn, requestTarget } from "./read_request.ts";
import { responseCacheOf } from "./response_cache.ts";
import { knownUnchanged, send } from "./send.ts";
import { clientAddress, wrongTokenCounter, type WrongTokens } from "./wrong_tokens.ts";

const CHALLENGE = { "WWW-Authenticate": 'Bearer realm="chainframe"' };
const FIELD = "Authorization";

const encoder = new TextEncoder();

/** The text in `width` bytes: zeros fill it up, what is longer is cut off. */
function padded(text: string, width: number): Uint8Array {
  const bytes = new Uint8Array(width);
  encoder.encodeInto(text, bytes);
  return bytes;
}

/**
 * A check of the header `Authorization`: it returns which of the tokens was sent. Texts of equal
 * length are compared, all of them each time, so that the time taken says nothing about a token.
 *
 * @throws {Failure} 401 without the header or when it is no bearer token, 403 for an unknown token.
 */
export function bearerCheck(tokens: readonly string[]): (header: string | null) => number {
  // One byte more than the longest, so that a longer one which starts like it differs.
  const width = Math.max(...tokens.map(({ length }) => length)) + 1;
  const known = tokens.map((token) => padded(token, width));
  return (header) => {
    if (header === null) {
      throw failure(
        401,
        "MISSING_TOKEN",
        'The header "Authorization: Bearer <token>" is missing.',
        {
          field: FIELD,
          headers: CHALLENGE,
        },
      );
    }
    const token = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(header)?.[1];
    if (token === undefined) {
      throw failure(
        401,
        "MALFORMED_TOKEN",
        'The header "Authorization" is not of the form "Bearer <token>".',
        { field: FIELD, headers: CHALLENGE },
      );
    }
    const sent = padded(token, width);
    let found = -1;
    known.forEach((other, index) => {
      if (timingSafeEqual(sent, other)) found = index;
    });
    if (found < 0) {
      throw failure(403, "UNKNOWN_TOKEN", "The token is not known here.", { field: FIELD });
    }
    return found;
  };
}

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

/** What the response says about the limit. */
type RateLimitHeaders = Readonly<Record<string, string>>;

/**
 * A counter of requests per token in windows of fixed length. It gives the headers of the response.
 *
 * @throws {RangeError} for a limit that lets nobody in, at once.
 * @throws {Failure} 429 with `Retry-After` when a token has none left.
 */
function rateLimiter(
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

/** How the guard lets requests in. */
export interface GuardOptions {
  readonly tokens: readonly string[];
  /** @default 60 a minute from an address, 600 in all */
  readonly wrongTokens?: WrongTokens | undefined;
  /** @default no limit */
  readonly rateLimit?: RateLimit | undefined;
  /** @default Date.now */
  readonly now?: (() => number) | undefined;
}

/**
 * What stands before every operation, which can respond in some forms: the token, the rate limit, and
 * whether the response to this very request is known already.
 */
export function guard(
  options: GuardOptions,
): (formats: readonly Format[]) => MiddlewareHandler<Env> {
  const { tokens, wrongTokens = {}, rateLimit, now = Date.now } = options;
  const check = bearerCheck(tokens);
  const tooMany = wrongTokenCounter(wrongTokens, now);
  const tokenOf = (c: Ctx): number => {
    try {
      return check(c.req.header("authorization") ?? null);
    } catch (error) {
      if (!(error instanceof Failure) || error.status !== 403) throw error;
      const { headers } = c.req.raw;
      throw tooMany(clientAddress(headers, c.env.address, wrongTokens.addressHeader)) ?? error;
    }
  };
  const limiter = rateLimit === undefined ? null : rateLimiter(rateLimit, now);
  return (formats) => async (c, next) => {
    const token = tokenOf(c);
    const limits = limiter?.(token);
    const format = negotiate(c.req.header("accept"), formats);
    c.set("format", format);
    const target = requestTarget(c.req.url);
    const body = c.req.method === "POST" ? await bodyText(c) : null;
    // What HEAD asks for is remembered as what GET asks for.
    const key = body === null ? `GET ${format} ${target}` : `POST ${target}\n${body}`;
    c.set("key", key);
    const remembered = responseCacheOf(c.env.snapshot).get(key);
    const unchanged = remembered === undefined ? knownUnchanged(c) : null;
    if (remembered !== undefined) c.res = send(c, remembered);
    else if (unchanged !== null) c.res = unchanged;
    else {
      if (body !== null) passOn(c, body);
      await next();
    }
    for (const [name, value] of Object.entries(limits ?? {})) c.res.headers.set(name, value);
  };
}
