import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { createService } from "../../lib/service/mod.ts";
import { TOKEN } from "./call_service.ts";
import { type CorpusRequest, REQUEST_CORPUS } from "./request_corpus.ts";
import { serveLocally } from "./serve_locally.ts";

const REDOCLY = "npm:@redocly/cli@2.77.0";
const PRISM = "@stoplight/prism-cli@5.16.0";

const local = serveLocally(await createService({ tokens: [TOKEN] }));
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

// The program itself and not npx, which would be stopped without what it started.
async function prismPath(): Promise<string | null> {
  return await new Deno.Command("npx", {
    args: ["--yes", `--package=${PRISM}`, "--call", "command -v prism"],
    stderr: "null",
  }).output().then(
    ({ success, stdout }) => success ? new TextDecoder().decode(stdout).trim() : null,
    () => null,
  );
}

const prismProgram = await prismPath();

interface Violation {
  location: string[];
  message: string;
}

Deno.test({
  name: "a validating proxy made from openapi.json agrees with the service on every test request",
  ignore: prismProgram === null,
  fn: () =>
    withDocument(async (path) => {
      // A free port, let go of again: prism takes none by itself.
      const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
      const { port } = listener.addr as Deno.NetAddr;
      listener.close();
      const prism = new Deno.Command("node", {
        args: [prismProgram!, "proxy", path, local.url, "--port", `${port}`, "--host", "127.0.0.1"],
        stdout: "piped",
        stderr: "null",
        env: { NO_COLOR: "1", CI: "1" },
      }).spawn();
      try {
        const reader = prism.stdout.pipeThrough(new TextDecoderStream()).getReader();
        let told = "";
        while (!told.includes("Prism is listening")) {
          const { value, done } = await reader.read();
          if (done) throw new Error(`prism ended: ${told}`);
          told += value;
        }
        void (async () => {
          while (!(await reader.read()).done);
        })();
        const proxy = `http://127.0.0.1:${port}`;
        let agreed = 0;
        for (const request of REQUEST_CORPUS) {
          const about = `${request.method} ${request.path} ${JSON.stringify(request.body) ?? ""}`;
          const direct = await send(local.url, request);
          equal([about, direct.status], [about, request.status]);
          const proxied = await send(proxy, request);
          // The proxy follows a redirect by itself, to where the service pointed.
          equal([about, proxied.status], [about, request.status === 308 ? 200 : request.status]);
          const text = await direct.text();
          const same = await proxied.text();
          // What the document does not name, the proxy answers itself.
          if ([308, 405].includes(request.status) || request.path === "/v2/nothing") continue;
          equal(same.replaceAll(/\s/g, ""), text.replaceAll(/\s/g, ""), about);
          const violations: Violation[] = JSON.parse(proxied.headers.get("sl-violations") ?? "[]");
          const ofAnswer = violations.filter(({ location }) => location[0] === "response");
          equal([about, ofAnswer], [about, []]);
          const ofRequest = violations.filter(({ location }) => location[0] === "request");
          if (ofRequest.length > 0) {
            ok(request.status >= 400, `${about}: ${JSON.stringify(ofRequest)}`);
          }
          agreed++;
        }
        ok(agreed > 90, `${agreed} requests`);
      } finally {
        prism.kill("SIGTERM");
        await prism.status;
      }
    }),
});
