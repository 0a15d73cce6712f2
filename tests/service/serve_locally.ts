import { listen, type Service } from "../../lib/service/mod.ts";

/** A service on a free port of loopback, until it is disposed of. */
export interface LocalServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** The number of requests that were sent to it so far. */
  readonly requests: () => number;
}

/** Serves a service on loopback; it is closed with the server. */
export async function serveLocally(
  service: Service,
  options: Parameters<typeof listen>[1] = {},
): Promise<LocalServer> {
  let requests = 0;
  const { port, close } = await listen({
    fetch(request) {
      requests++;
      return service.fetch(request);
    },
  }, { port: 0, ...options });
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      await close(1_000);
      await service.close();
    },
  };
}
