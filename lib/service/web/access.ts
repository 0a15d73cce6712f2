import { createHash, timingSafeEqual } from "node:crypto";
import { checkOptions, integer, number, required } from "../../platform/check_options.ts";
import { failure, failureResponse } from "./failure.ts";
import { bearerAuth, type Env, type MiddlewareHandler } from "./hono.ts";

/** The accepted tokens, and the limit for requests. */
export interface AccessOptions {
  readonly tokens: readonly string[];
  /**
   * The rate limit of each token: at most `requests` requests within `seconds` seconds.
   * @default no limit
   */
  readonly rateLimit?: { readonly requests: number; readonly seconds?: number } | undefined;
  readonly now: () => number;
}

function digestOf(token: string): Uint8Array {
  return createHash("sha256").update(token).digest();
}

/** Checks the bearer token. A missing or malformed token gets a 401, and an unknown token gets a 403. */
function authenticate({ tokens }: AccessOptions): MiddlewareHandler<Env> {
  const known = tokens.map(digestOf);
  const refused = (
    code: "MISSING_TOKEN" | "MALFORMED_TOKEN" | "UNKNOWN_TOKEN",
    message: string,
  ) => ({
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
    noAuthenticationHeader: refused(
      "MISSING_TOKEN",
      'The header "Authorization: Bearer <token>" is missing.',
    ),
    invalidAuthenticationHeader: refused(
      "MALFORMED_TOKEN",
      'The header "Authorization" is not of the form "Bearer <token>".',
    ),
    invalidToken: refused("UNKNOWN_TOKEN", "Unknown token."),
  });
}

/** Limits the requests of each token. Requests beyond the limit get a 429 with the header `Retry-After`. */
function limitRate({ rateLimit, now }: AccessOptions): MiddlewareHandler<Env> {
  if (rateLimit === undefined) return (_c, next) => next();
  const rules = { requests: required(integer(1)), seconds: number(0.001) };
  const { requests, seconds = 60 } = checkOptions(rateLimit, rules, "createService: rateLimit");
  const counts = new Map<number, number>();
  let ends = -Infinity;
  return async (c, next) => {
    const time = now();
    if (time >= ends) {
      ends = time + seconds * 1_000;
      counts.clear();
    }
    const count = counts.get(c.get("token")) ?? 0;
    const reset = Math.ceil((ends - time) / 1_000);
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
    counts.set(c.get("token"), count + 1);
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
