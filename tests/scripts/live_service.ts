import { createService } from "../../lib/service/mod.ts";
import { TOKEN } from "./fake_service.ts";

/** The reference service on loopback, and the environment that leads to it. */
export interface LiveService {
  readonly env: { readonly CHAINFRAME_BASE_URL: string; readonly CHAINFRAME_TOKEN: string };
  close(): Promise<void>;
}

/** Starts the reference service on sample data. */
export async function liveService(): Promise<LiveService> {
  const service = await createService({ tokens: [TOKEN] });
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) => service.fetch(request),
  );
  return {
    env: {
      CHAINFRAME_BASE_URL: `http://127.0.0.1:${server.addr.port}`,
      CHAINFRAME_TOKEN: TOKEN,
    },
    close: async () => {
      await server.shutdown();
      await service.close();
    },
  };
}
