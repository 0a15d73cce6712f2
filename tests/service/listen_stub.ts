import type { Service } from "../../lib/service/mod.ts";

/** A body that no buffer of a connection holds. */
export const LARGE = new Uint8Array(64_000_000);

/** Answers at once what is small or large, and a POST once its body is there. */
export const STUB: Pick<Service, "fetch"> = {
  async fetch(request) {
    if (request.url.endsWith("/large")) return new Response(LARGE);
    const text = request.method === "POST" ? await request.text().catch(String) : "small";
    return new Response(text, { headers: { "content-length": String(text.length) } });
  },
};

/** A request whose response is `small`. */
export const SMALL = "GET /small HTTP/1.1\r\nHost: x\r\n\r\n";
