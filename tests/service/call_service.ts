import type { Service } from "../../lib/service/mod.ts";

/** The parts of a response that a test reads. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}

/** The token that the tests use. */
export const TOKEN = "test-token";

/** Sends a GET with the token and reads the JSON of the response. */
export async function get(service: Service, path: string): Promise<Reply> {
  const response = await service.fetch(
    new Request(`http://localhost${path}`, { headers: { authorization: `Bearer ${TOKEN}` } }),
  );
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Posts a metric breakdown with the token and reads the JSON of the response. */
export async function breakdown(service: Service, body: unknown): Promise<Reply> {
  const response = await service.fetch(
    new Request("http://localhost/v2/metric-breakdown", {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  );
  return { status: response.status, headers: response.headers, body: await response.json() };
}
