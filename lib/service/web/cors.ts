/** Who may call from a browser page of another origin: origins, or `"*"` for all of them. */
export type CorsOrigins = "*" | readonly string[];

const PREFLIGHT = {
  "access-control-allow-methods": "GET, HEAD, POST",
  "access-control-allow-headers": "Authorization, Content-Type, If-None-Match",
  "access-control-max-age": "600",
};
const EXPOSED =
  "Data-Since, Data-Through, Entity-Errors, Entity-Errors-Count, ETag, Retry-After, RateLimit-Limit, " +
  "RateLimit-Remaining, RateLimit-Reset";

/** Adds to responses what browsers ask for before they hand them to a page of another origin. */
interface Cors {
  /** The response to a preflight; null when the request is none. */
  preflight(request: Request): Response | null;
  /** Lets the page of the request read the response. */
  allow(request: Request, response: Response): void;
}

/** Makes the rules of some origins; a page of any other gets no permission. */
export function cors(origins: CorsOrigins): Cors {
  const allowed = (request: Request) => {
    const origin = request.headers.get("origin");
    return origin !== null && (origins === "*" || origins.includes(origin)) ? origin : null;
  };
  const allow = (request: Request, response: Response) => {
    if (origins !== "*") response.headers.append("vary", "Origin");
    const origin = allowed(request);
    if (origin === null) return;
    response.headers.set("access-control-allow-origin", origins === "*" ? "*" : origin);
    response.headers.set("access-control-expose-headers", EXPOSED);
  };
  return {
    allow,
    preflight(request) {
      const asks = request.method === "OPTIONS" &&
        request.headers.has("access-control-request-method");
      return asks && allowed(request) !== null
        ? new Response(null, { status: 204, headers: PREFLIGHT })
        : null;
    },
  };
}
