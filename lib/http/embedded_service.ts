import { notify } from "../host/terminal.ts";
import type { Fetch } from "./connect_options.ts";

/** What the client needs of the service: a request goes in, a response comes out. */
interface EmbeddedService {
  fetch(request: Request): Promise<Response>;
  readonly tokens: readonly string[];
}

let starting: Promise<EmbeddedService> | null = null;

async function start(): Promise<EmbeddedService> {
  // A computed specifier: whoever has a live service does not download the database.
  const specifier = new URL("../service/mod.ts", import.meta.url).href;
  const { createService } = await import(specifier);
  return await createService({});
}

/** The address of the embedded service: no request to it leaves this process. */
export const EMBEDDED_URL = "https://sample.chainframe.invalid";

/**
 * Answers from the embedded service, which starts at the first request and serves every connection
 * of this process. Says once that its data is sample data.
 */
export const embeddedFetch: Fetch = async (request) => {
  if (starting === null) {
    notify(
      "chainframe: answers come from the embedded service, on SAMPLE DATA with invented names. " +
        "For real data set CHAINFRAME_BASE_URL and CHAINFRAME_TOKEN.",
    );
    starting = start();
    starting.catch(() => starting = null);
  }
  const service = await starting;
  const headers = new Headers(request.headers);
  headers.set("authorization", `Bearer ${service.tokens[0]}`);
  return await service.fetch(new Request(request, { headers }));
};
