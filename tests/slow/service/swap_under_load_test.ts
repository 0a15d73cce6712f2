import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { buildData } from "../../../lib/service/mod.ts";
import { type Facts, writeFacts } from "../../service/facts_model.ts";
import { keepAliveClient } from "../../service/keep_alive_client.ts";
import { scriptCommand, SERVE_TOKEN } from "../../service/run_script.ts";
import type { SentRequest } from "../../service/sent_request.ts";
import { tinyFacts } from "../../service/tiny_facts.ts";
import { askAt, PROXY_AVAILABLE, startValidatingProxy } from "./validating_proxy.ts";

const CONNECTIONS = 200;
const SECONDS = 20;
const WAIT_MS = 6_000;
/** So long at most: on a busy machine the builds take their time. */
const BOUND_SECONDS = 180;

const HEADERS = { authorization: `Bearer ${SERVE_TOKEN}` };

function get(path: string): SentRequest {
  return { method: "GET", path, headers: HEADERS, body: null };
}

const REQUESTS: readonly SentRequest[] = [
  get("/v2/datasets/blockchain_comparison"),
  get("/v2/datasets/project_contracts?order_by=gas_used_1d_sum"),
  get("/v2/datasets/cohort_analysis"),
  get("/v2/projects/p1"),
  get("/v2/metric-aggregations?project_ids=p1"),
  get("/v2/metric-aggregations"),
  {
    method: "POST",
    path: "/v2/metric-breakdown",
    headers: { ...HEADERS, "content-type": "application/json" },
    body: '{"metric_ids":["fees"],"interval":"max","group_by":"chains"}',
  },
];

function textOf({ method, path, headers, body }: SentRequest): string {
  const all = Object.entries({
    host: "localhost",
    "content-length": body?.length ?? 0,
    ...headers,
  });
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `${method} ${path} HTTP/1.1\r\n${lines}\r\n${body ?? ""}`;
}

const TEXTS = REQUESTS.map(textOf);

function named(chain_name: string): Facts {
  const facts = tinyFacts();
  facts.chains[0]!.chain_name = chain_name;
  return facts;
}

Deno.test("200 connections have no failed request in 20 s with two swaps of the data", async () => {
  const folder = await Deno.makeTempDir();
  const build = async (chain_name: string) => {
    await writeFacts(`${folder}/facts`, named(chain_name));
    await buildData({ facts: `${folder}/facts`, out: `${folder}/data.duckdb` });
  };
  await build("first");
  const serve = scriptCommand(
    "serve",
    [
      "--data",
      `${folder}/data.duckdb`,
      "--port",
      "0",
      "--quiet",
      "--max-connections",
      `${CONNECTIONS + 50}`,
    ],
    { permissions: ["--allow-net=127.0.0.1"] },
  ).spawn();
  void serve.stdout.cancel();
  const reader = serve.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let told = "";
  while (!told.includes("/reference)")) told += (await reader.read()).value ?? "";
  const complaints = (async () => {
    let text = "";
    for (let read = await reader.read(); !read.done; read = await reader.read()) text += read.value;
    return text;
  })();
  const port = Number(told.match(/:(\d+)\//)![1]);

  const started = performance.now();
  const failures: string[] = [];
  const names = new Set<string>();
  let answered = 0;
  const goesOn = () => {
    const seconds = (performance.now() - started) / 1000;
    return seconds < SECONDS || (names.size < 3 && seconds < BOUND_SECONDS);
  };
  const one = async (start: number) => {
    const client = await keepAliveClient(port);
    try {
      for (let turn = start; goesOn(); turn++) {
        const request = TEXTS[turn % TEXTS.length]!;
        const { status, body } = await client.send(request);
        answered++;
        if (status !== 200) failures.push(`${status}: ${body.slice(0, 200)}`);
        const name = /"chain_name":"(\w+)"/.exec(body)?.[1];
        if (name !== undefined) names.add(name);
      }
    } catch (error) {
      failures.push(String(error));
    } finally {
      client.close();
    }
  };
  const swaps = async () => {
    for (const name of ["second", "third"]) {
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
      await build(name);
    }
  };
  await Promise.all([
    ...Array.from({ length: CONNECTIONS }, (_, index) => one(index)),
    swaps(),
  ]);
  if (PROXY_AVAILABLE) {
    const ask = askAt(`http://127.0.0.1:${port}`);
    await using proxy = await startValidatingProxy(ask);
    equal(await proxy.agreesOn(REQUESTS, ask), REQUESTS.length);
  }
  serve.kill("SIGTERM");
  const { code } = await serve.status;
  equal(failures.slice(0, 5), []);
  equal([...names].sort(), ["first", "second", "third"]);
  equal(code, 0);
  equal((await complaints).split("\n").filter((line) => line.includes("serve.ts: ")), [
    "serve.ts: SIGTERM: stopping after running requests",
  ]);
  ok(answered > 1_000, `${answered} requests were answered`);
  await Deno.remove(folder, { recursive: true });
});
