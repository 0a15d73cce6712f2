import { listen, type Service } from "../../lib/service/mod.ts";
import { type SentRequest, sentRequest } from "./sent_request.ts";

/** A service on a free port of loopback, until it is disposed of. */
export interface LocalServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** The requests that were sent to it so far, each once. */
  readonly sent: () => Promise<readonly SentRequest[]>;
}

/** A service reached over loopback. */
export type LoopbackService = Service & Pick<LocalServer, "sent">;

/** Serves a service on loopback; it is closed with the server. */
export async function serveLocally(
  service: Service,
  options: Parameters<typeof listen>[1] = {},
): Promise<LocalServer> {
  const recorded: Promise<SentRequest | null>[] = [];
  const { port, close } = await listen({
    fetch(request, from) {
      recorded.push(sentRequest(request));
      return service.fetch(request, from);
    },
  }, { port: 0, ...options });
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async sent() {
      const all = (await Promise.all(recorded)).filter((request) => request !== null);
      return [...new Map(all.map((request) => [JSON.stringify(request), request])).values()];
    },
    async [Symbol.asyncDispose]() {
      await close(1_000);
      await service.close();
    },
  };
}

/** The same service, with every request going over real HTTP on loopback; a redirect is not followed. */
export async function overLoopback(service: Service): Promise<LoopbackService> {
  const local = await serveLocally(service);
  return {
    tokens: service.tokens,
    sent: local.sent,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = method === "GET" || method === "HEAD" ? null : await request.bytes();
      return await fetch(local.url + pathname + search, {
        method,
        headers,
        body,
        redirect: "manual",
      });
    },
    close: async () => await local[Symbol.asyncDispose](),
  };
}
