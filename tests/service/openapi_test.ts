import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { createService } from "../../lib/service/mod.ts";
import { TOKEN } from "./call_service.ts";
import { type CorpusRequest, REQUEST_CORPUS } from "./request_corpus.ts";
import { serveLocally } from "./serve_locally.ts";
import { PROXY_AVAILABLE, startValidatingProxy } from "./validating_proxy.ts";

const REDOCLY = "npm:@redocly/cli@2.77.0";

const service = await createService({ tokens: [TOKEN] });
const local = await serveLocally(service);
Deno.test.afterAll(async () => await local[Symbol.asyncDispose]());

const document = await (await fetch(`${local.url}/openapi.json`)).json();

async function withDocument(use: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/openapi.json`, JSON.stringify(document));
    await use(`${folder}/openapi.json`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

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

Deno.test("a validator finds nothing wrong with openapi.json", () =>
  withDocument(async (path) => {
    const { code, stderr, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-lock", "--quiet", REDOCLY, "lint", path, "--format", "json"],
      env: { NO_COLOR: "1", REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    }).output();
    const told = new TextDecoder().decode(stdout);
    equal(code, 0, told + new TextDecoder().decode(stderr));
    const { totals } = JSON.parse(told.slice(told.indexOf("{")));
    equal([totals.errors, totals.warnings], [0, 0], told);
  }));

Deno.test({
  name: "a validating proxy made from openapi.json agrees with the service on the corpus",
  ignore: !PROXY_AVAILABLE,
  fn: async () => {
    for (const request of REQUEST_CORPUS) {
      const response = await send(local.url, request);
      await response.body?.cancel();
      equal([request, response.status], [request, request.status]);
    }
    await using proxy = await startValidatingProxy(service.fetch);
    ok(await proxy.agreesOn(await local.sent(), service.fetch) > 110);
  },
});
