import { bearerCheck } from "./bearer.ts";
import type { Env } from "./env.ts";
import { bodyText, passOn } from "./json_body.ts";
import type { MiddlewareHandler } from "./openapi_hono.ts";
import { type RateLimit, rateLimiter } from "./rate_limit.ts";
import { send } from "./send.ts";

/** How the guard lets requests in. */
export interface GuardOptions {
  readonly tokens: readonly string[];
  /** @default no limit */
  readonly rateLimit?: RateLimit | undefined;
  /** @default Date.now */
  readonly now?: (() => number) | undefined;
}

/**
 * What stands before every operation: the token, the rate limit, and whether the answer to this
 * very request is known already.
 */
export function guard(options: GuardOptions): MiddlewareHandler<Env> {
  const { tokens, rateLimit, now = Date.now } = options;
  const check = bearerCheck(tokens);
  const limiter = rateLimit === undefined ? null : rateLimiter(rateLimit, now);
  return async (c, next) => {
    const token = check(c.req.header("authorization") ?? null);
    const limits = limiter?.(token);
    const { url, method } = c.req;
    const key = method === "POST" ? await bodyText(c) : url.slice(url.indexOf("/", 8));
    c.set("key", key);
    const answer = c.env.snapshot.answers.get(key);
    if (answer !== undefined) c.res = send(c, answer);
    else {
      if (method === "POST") passOn(c, key);
      await next();
    }
    for (const [name, value] of Object.entries(limits ?? {})) c.res.headers.set(name, value);
  };
}
