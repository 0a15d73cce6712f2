import { deepStrictEqual as equal, ok, rejects } from "node:assert/strict";
import { buildData, createService } from "../../lib/service/mod.ts";
import { TOKEN } from "./call_service.ts";
import { writeFacts } from "./facts_model.ts";
import { serveLocally } from "./serve_locally.ts";
import { tinyFacts } from "./tiny_facts.ts";
import { inFolder } from "../in_folder.ts";

const local = await serveLocally(await createService({ tokens: [TOKEN] }));
Deno.test.afterAll(async () => await local[Symbol.asyncDispose]());

const HEAD = `HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${TOKEN}\r\n`;
const COMPARISON = "/v2/datasets/blockchain_comparison";
const BREAKDOWN = { metric_ids: ["fees"], interval: "7d", group_by: "chains" };

interface Reply {
  status: number;
  text: string;
  // deno-lint-ignore no-explicit-any
  body: any;
}

/** Sends bytes, one for each character, and reads the response. */
async function raw(text: string): Promise<Reply> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: local.port });
  const writer = connection.writable.getWriter();
  void writer.write(Uint8Array.from(text, (letter) => letter.charCodeAt(0))).catch(() => {});
  const answer = await new Response(connection.readable).text();
  const body = answer.slice(answer.indexOf("\r\n\r\n") + 4);
  const json = /^content-type: application\/json/im.test(answer) ? JSON.parse(body) : null;
  return { status: Number(answer.slice(9, 12)), text: body, body: json };
}

function get(path: string): Promise<Reply> {
  return raw(`GET ${path} ${HEAD}\r\n`);
}

function post(body: string, query = ""): Promise<Reply> {
  return raw(
    `POST /v2/metric-breakdown${query} ${HEAD}Content-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  );
}

function chainsOf({ body }: Reply): string[] {
  return body.data.map(({ chain_id }: { chain_id: string }) => chain_id);
}

Deno.test("a POST is never answered with the response of a GET of the same text", async () => {
  const known = await get("/v2/projects/tidewater");
  equal([known.status, known.body.data.project_id], [200, "tidewater"]);
  for (const text of ["/v2/projects/tidewater", "GET /v2/projects/tidewater"]) {
    const { status, body } = await post(text);
    equal([status, body.errors[0].code], [400, "INVALID_JSON"]);
  }
});

Deno.test("a failed request lists at most 20 problems, and counts the others", async () => {
  const unknown = Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [`key${i}`, 1]));
  const many = JSON.stringify({ ...BREAKDOWN, ...unknown }).slice(0, 980_000);
  const { status, text, body } = await post(many.replace(/,"[^,]*$/, "}"));
  equal([status, body.errors.length], [400, 20]);
  ok(text.length < 5_000, `${text.length} bytes`);
  ok(/ There are \d{5} more problems\.$/.test(body.message), body.message);
  const one = await get(
    `${COMPARISON}?${Array.from({ length: 21 }, (_, i) => `k${i}=1`).join("&")}`,
  );
  ok(one.body.message.endsWith(" There is 1 more problem."), one.body.message);
  const long = await post(
    JSON.stringify({ ...BREAKDOWN, ["k".repeat(900_000)]: "v".repeat(9_000) }),
  );
  ok(long.status === 400 && long.text.length < 2_000, `${long.text.length} bytes`);
});

Deno.test("a repeated parameter adds ids", async () => {
  equal(chainsOf(await get(`${COMPARISON}?chain_ids=basalt,alder&chain_ids=fjord`)), [
    "alder",
    "basalt",
    "fjord",
  ]);
  const { body } = await get(
    "/v2/metric-aggregations?project_ids=tidewater&project_ids=a,b&metric_ids=fees",
  );
  equal(body.errors.map(({ value }: { value: string }) => value), ["a", "b"]);
  const once = await get(`${COMPARISON}?limit=1&limit=2`);
  equal([once.status, once.body.message], [400, 'limit: must be given once; got ["1","2"].']);
});

Deno.test("all selects every entity of a dataset, as it does in the aggregations", async () => {
  equal(chainsOf(await get(`${COMPARISON}?chain_ids=all`)).length, 24);
  const contracts = "/v2/datasets/project_contracts";
  const all = await get(`${contracts}?project_ids=all&chain_ids=all&market_sector_ids=all`);
  equal(all.body, (await get(contracts)).body);
  equal(all.body.data.length, 505);
});

Deno.test("null for an optional field of the body is not given", async () => {
  const lists = { project_ids: null, product_ids: null, chain_ids: null, market_sector_ids: null };
  const given = await post(JSON.stringify({ ...BREAKDOWN, ...lists, start: null, end: null }));
  equal([given.status, given.body], [200, (await post(JSON.stringify(BREAKDOWN))).body]);
  equal(given.body.data.length, 24);
  for (const field of ["metric_ids", "interval", "group_by"]) {
    equal((await post(JSON.stringify({ ...BREAKDOWN, [field]: null }))).status, 400);
  }
});

Deno.test("a text in place of a list is refused", async () => {
  const { status, body } = await post(JSON.stringify({ ...BREAKDOWN, metric_ids: "fees" }));
  equal([status, body.message], [400, 'metric_ids: must be of the type array; got "fees".']);
});

Deno.test("query parameters of the breakdown are refused, also for a stored body", async () => {
  equal((await post(JSON.stringify(BREAKDOWN))).status, 200);
  const { status, body } = await post(JSON.stringify(BREAKDOWN), "?interval=30d");
  equal([status, body.errors], [400, [
    { code: "UNKNOWN_PARAMETER", field: "interval", value: "30d" },
  ]]);
});

Deno.test("ids with blanks at an end are refused, not looked for", async () => {
  const told = "must not contain an empty id, or an id with blanks at an end";
  for (const id of ["%20alder", "alder%20", "alder,%20basalt", "alder%09", "+alder", "a,", ",a"]) {
    const { status, body } = await get(`${COMPARISON}?chain_ids=${id}`);
    equal(status, 400, id);
    ok(body.message.startsWith(`chain_ids: ${told}; got`), body.message);
  }
  equal((await get("/v2/projects/tidewater%20")).status, 400);
  for (const id of [" alder", "alder\n", ""]) {
    equal((await post(JSON.stringify({ ...BREAKDOWN, chain_ids: [id] }))).status, 400);
  }
});

Deno.test("broken escapes and invalid UTF-8 are refused", async () => {
  for (const id of ["%", "%z", "%zz", "%ff", "%C3", "a%E0%A4%A", "%ED%A0%80"]) {
    for (const path of [`${COMPARISON}?chain_ids=${id}`, `/v2/projects/${id}`]) {
      const { status, body } = await get(path);
      equal([path, status, body.errors[0].code], [path, 400, "INVALID_ENCODING"]);
    }
  }
  // Bytes that are not escaped at all.
  for (const id of ["\xff", "\xc3\xa9"]) {
    equal((await get(`${COMPARISON}?chain_ids=${id}`)).status, 400);
    equal((await get(`/v2/projects/${id}`)).status, 400);
  }
  const body = JSON.stringify({ ...BREAKDOWN, chain_ids: ["\xff\xfe"] });
  const { status, body: failed } = await post(body);
  equal([status, failed.errors[0].code], [400, "INVALID_ENCODING"]);
  // Cut off in the middle of a letter.
  equal((await post('{"metric_ids":["fees\xc3"]}')).status, 400);
});

Deno.test("facts refuse ids that no request can contain", () =>
  inFolder(async (folder) => {
    for (
      const id of ["a,b", "all", ".", "..", " a", "a\t", "a\u00a0", "\ufeffa", "a\v", "a\u2003"]
    ) {
      const facts = tinyFacts();
      facts.chains[0]!.chain_id = id;
      await writeFacts(folder, facts);
      await rejects(
        buildData({ facts: folder, out: `${folder}/data.duckdb` }),
        /chains\.\w+, row 1: chain_id is not a valid id/,
        JSON.stringify(id),
      );
    }
  }));
