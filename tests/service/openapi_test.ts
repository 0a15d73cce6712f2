import { deepStrictEqual as equal } from "node:assert/strict";
import { createService } from "../../lib/service/mod.ts";
import { TOKEN } from "./call_service.ts";
import { type CorpusRequest, REQUEST_CORPUS } from "./request_corpus.ts";
import { serveLocally } from "./serve_locally.ts";

/** Also checked in tests/slow, together with the requests that were sent. */
export const service = await createService({ tokens: [TOKEN] });
export const local = await serveLocally(service);
Deno.test.afterAll(async () => await local[Symbol.asyncDispose]());

export const document = await (await fetch(`${local.url}/openapi.json`)).json();

function send(base: string, request: CorpusRequest): Promise<Response> {
  const { method, path, body, authorization = `Bearer ${TOKEN}` } = request;
  const headers = new Headers();
  if (authorization !== null) headers.set("authorization", authorization);
  const init: RequestInit = { method, headers, redirect: "manual" };
  if (body !== undefined) {
    headers.set("content-type", request.type ?? "application/json");
    init.body = JSON.stringify(body);
  }
  return fetch(base + path, init);
}

Deno.test("openapi.json names the six operations with their parameters", () => {
  const operations = Object.entries(document.paths as Record<string, Record<string, unknown>>)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
  equal(operations.sort(), [
    "get /v2/datasets/blockchain_comparison",
    "get /v2/datasets/cohort_analysis",
    "get /v2/datasets/project_contracts",
    "get /v2/metric-aggregations",
    "get /v2/projects/{project_id}",
    "post /v2/metric-breakdown",
  ]);
  const { parameters } = document.paths["/v2/datasets/project_contracts"].get;
  equal(parameters.map(({ name }: { name: string }) => name), [
    "project_ids",
    "chain_ids",
    "market_sector_ids",
    "order_by",
    "order_direction",
    "limit",
  ]);
  equal(parameters.at(-1).schema.maximum, 999_999_999);
});

Deno.test("every request of the corpus has its status", async () => {
  for (const request of REQUEST_CORPUS) {
    const response = await send(local.url, request);
    await response.body?.cancel();
    equal([request, response.status], [request, request.status]);
  }
});
