import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { createService } from "../../lib/service/mod.ts";
import { TOKEN } from "./call_service.ts";
import { REQUEST_CORPUS, sentOf } from "./request_corpus.ts";
import { requestTo } from "./sent_request.ts";
import { serveLocally } from "./serve_locally.ts";

const local = await serveLocally(await createService({ tokens: [TOKEN] }));
Deno.test.afterAll(async () => await local[Symbol.asyncDispose]());

/** Also used by tests/slow. */
export const document = await (await fetch(`${local.url}/openapi.json`)).json();

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

const CODES: Readonly<Record<number, string>> = {
  400: "INVALID_PARAMETER",
  401: "MISSING_TOKEN",
  403: "UNKNOWN_TOKEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_ALLOWED",
  415: "UNSUPPORTED_MEDIA_TYPE",
};

Deno.test("every request of the corpus has its status, and a failed one a named reason", async () => {
  for (const request of REQUEST_CORPUS) {
    const response = await fetch(requestTo(local.url, sentOf(request)), { redirect: "manual" });
    const text = await response.text();
    equal([request, response.status], [request, request.status]);
    if (response.status < 400) continue;
    const { message, errors: [error] } = JSON.parse(text);
    ok(message.length > 10, message);
    equal([request, error.code], [request, request.code ?? CODES[request.status]]);
    equal(Object.keys(error), ["code", "field", "value"]);
  }
});
