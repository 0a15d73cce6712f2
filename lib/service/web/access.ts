import { createHash, timingSafeEqual } from "node:crypto";
import { checkOptions, integer, number, required, string } from "../../platform/check_options.ts";
import { type Failure, failure, failureResponse } from "./failure.ts";
import { bearerAuth, type Ctx, type Env, type MiddlewareHandler } from "./hono.ts";

/** The accepted tokens, and the limits for requests. */
export interface AccessOptions {
  readonly tokens: readonly string[];
  /**
   * Limits on wrong tokens per minute: `perAddress` for each client address, and `total` for all clients. A request
   * with a wrong token gets a 403, or a 429 beyond a limit.
   * @default 60 per client address, and 600 in total
   */
  readonly wrongTokens?: {
    readonly perAddress?: number;
    readonly total?: number;
    readonly addressHeader?: string;
  } | undefined;
  /**
   * The rate limit of each token: at most `requests` requests within `seconds` seconds.
   * @default no limit
   */
  readonly rateLimit?: { readonly requests: number; readonly seconds?: number } | undefined;
  readonly now: () => number;
}

/** Returns counters, one per key. Every `ms` milliseconds, all counters restart at 0. */
function fixedWindow(ms: number, now: () => number) {
  const counts = new Map<unknown, number>();
  let ends = -Infinity;
  return {
    /** Returns the count of a key, and the seconds until all counters restart. */
    look(key: unknown): { count: number; reset: number } {
      const time = now();
      if (time >= ends) {
        ends = time + ms;
        counts.clear();
      }
      return { count: counts.get(key) ?? 0, reset: Math.ceil((ends - time) / 1000) };
    },
    add: (key: unknown) => void counts.set(key, (counts.get(key) ?? 0) + 1),
  };
}

/** Maximum length of a client address, which is more than any address needs. Longer text is cut off. */
const MAX_ADDRESS_LENGTH = 64;

// Uses the last entry of the header, which the reverse proxy wrote. Clients can forge the other entries. A request
// without the header did not come through the proxy.
function addressOf(c: Ctx, addressHeader: string | undefined): string | null {
  const header = addressHeader === undefined ? undefined : c.req.header(addressHeader);
  const named = header?.split(",").at(-1)?.trim() ?? "";
  return named === "" ? c.env.address ?? null : named.slice(0, MAX_ADDRESS_LENGTH);
}

/**
 * Returns a function that creates the failure of a request with an unknown token. The status of the failure is 403, or
 * 429 after too many unknown tokens.
 */
function wrongTokenCheck({ wrongTokens = {}, now }: AccessOptions): (c: Ctx) => Failure {
  const rules = { perAddress: integer(1), total: integer(1), addressHeader: string };
  const { perAddress = 60, total = 600, addressHeader } = checkOptions(
    wrongTokens,
    rules,
    "createService: wrongTokens",
  );
  const counts = fixedWindow(60_000, now);
  const ALL = Symbol();
  return (c) => {
    const address = addressOf(c, addressHeader);
    const { count: all, reset } = counts.look(ALL);
    const few = address === null || counts.look(address).count < perAddress;
    if (all >= total || !few) {
      return failure(
        "TOO_MANY_WRONG_TOKENS",
        `Too many wrong tokens: try again in ${reset} s.`,
        { field: "Authorization", headers: { "Retry-After": String(reset) } },
      );
    }
    // Counts only `total` wrong tokens of all addresses in a minute, so at most `total` addresses are in memory.
    counts.add(ALL);
    if (address !== null) counts.add(address);
    return failure("UNKNOWN_TOKEN", "Unknown token.", {
      field: "Authorization",
    });
  };
}

function digestOf(token: string): Uint8Array {
  return createHash("sha256").update(token).digest();
}

/** Checks the bearer token. A missing or malformed token gets a 401, and an unknown token gets a 403 or a 429. */
function authenticate(options: AccessOptions): MiddlewareHandler<Env> {
  const known = options.tokens.map(digestOf);
  const wrongToken = wrongTokenCheck(options);
  const unauthorized = (code: "MISSING_TOKEN" | "MALFORMED_TOKEN", message: string) => ({
    wwwAuthenticateHeader: 'Bearer realm="chainframe"',
    message: () => failureResponse(failure(code, message, { field: "Authorization" })),
  });
  return bearerAuth({
    verifyToken(token, c) {
      const sent = digestOf(token);
      // Always compares all known tokens, so that the duration does not reveal a token.
      const found = known.map((other) => timingSafeEqual(sent, other)).indexOf(true);
      c.set("token", found);
      return found >= 0;
    },
    noAuthenticationHeader: unauthorized(
      "MISSING_TOKEN",
      'The header "Authorization: Bearer <token>" is missing.',
    ),
    invalidAuthenticationHeader: unauthorized(
      "MALFORMED_TOKEN",
      'The header "Authorization" is not of the form "Bearer <token>".',
    ),
    invalidToken: { message: (c) => failureResponse(wrongToken(c)) },
  });
}

/** Limits the requests of each token. Requests beyond the limit get a 429 with the header `Retry-After`. */
function limitRate({ rateLimit, now }: AccessOptions): MiddlewareHandler<Env> {
  if (rateLimit === undefined) return (_c, next) => next();
  const rules = { requests: required(integer(1)), seconds: number(0.001) };
  const { requests, seconds = 60 } = checkOptions(rateLimit, rules, "createService: rateLimit");
  const counts = fixedWindow(seconds * 1000, now);
  return async (c, next) => {
    const { count, reset } = counts.look(c.get("token"));
    const headers = {
      "RateLimit-Limit": String(requests),
      "RateLimit-Remaining": String(Math.max(0, requests - count - 1)),
      "RateLimit-Reset": String(reset),
    };
    if (count >= requests) {
      throw failure(
        "RATE_LIMITED",
        `More than ${requests} requests in ${seconds} s: try again in ${reset} s.`,
        { headers: { ...headers, "Retry-After": String(reset) } },
      );
    }
    counts.add(c.get("token"));
    await next();
    for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
  };
}

/**
 * Returns the middleware of every operation: first the token check, then the rate limit.
 *
 * @throws {RangeError} for an invalid limit, such as 0 requests.
 */
export function access(options: AccessOptions): MiddlewareHandler<Env>[] {
  return [authenticate(options), limitRate(options)];
}
