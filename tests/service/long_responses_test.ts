import { deepStrictEqual as equal, ok, rejects } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { gunzipSync } from "node:zlib";
import { buildData, createService, listen } from "../../lib/service/mod.ts";
import { sendRows } from "../../lib/service/web/send.ts";
import type { Snapshot } from "../../lib/service/snapshot.ts";
import { type Ctx, type Env, OpenAPIHono } from "../../lib/service/web/hono.ts";
import { TOKEN } from "./call_service.ts";
import { type Facts, writeFacts } from "./facts_model.ts";
import { serveLocally } from "./serve_locally.ts";
import { tinyFacts } from "./tiny_facts.ts";
import { inFolder } from "../in_folder.ts";

const PROJECTS = 300;
const ALL = "/v2/metric-aggregations?project_ids=all";
const bearer = { authorization: `Bearer ${TOKEN}` };

/** Facts of so many projects that all their aggregations are 11 MB, under names that are hard to write. */
function manyProjects(): Facts {
  const facts = tinyFacts();
  const names = ['"quoted" \\ slash/', "tab\t new\n\u0001", "Ünïcode 💥 \u2028", "plain"];
  const others = Array.from({ length: PROJECTS }, (_, index) => ({
    project_id: `q${index}`,
    project_name: `${names[index % names.length]} ${index} ${"long ".repeat(6)}`,
    market_sector_id: "s1",
    symbol: null,
  }));
  const [x1, x2] = facts.products;
  facts.products = [{ ...x1!, project_id: "q7" }, { ...x2!, project_id: "q8" }];
  const days = others.slice(0, 20).map(({ project_id }, index) => ({
    day: "2026-01-31",
    project_id,
    market_cap_fd_usd: 1e-9 * 7 ** index,
    market_cap_circ_usd: 1e9 / (index + 3),
    core_developers: index,
  }));
  return { ...facts, projects: others, project_daily: days };
}

const folder = await Deno.makeTempDir();
await writeFacts(`${folder}/facts`, manyProjects());
await buildData({ facts: `${folder}/facts`, out: `${folder}/data.duckdb` });
const data = `${folder}/data.duckdb`;
const local = await serveLocally(await createService({ tokens: [TOKEN], data }));
Deno.test.afterAll(async () => {
  await local[Symbol.asyncDispose]();
  await Deno.remove(folder, { recursive: true });
});

/** The same projects by id, whose response is not stored. */
const NAMED = `/v2/metric-aggregations?project_ids=${
  Array.from({ length: PROJECTS }, (_, index) => `q${index}`).join(",")
}`;

async function raw(
  method: string,
  headers = "",
  path = ALL,
): Promise<{ head: string; body: Uint8Array }> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: local.port });
  await connection.write(new TextEncoder().encode(
    `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n` +
      `Authorization: Bearer ${TOKEN}\r\n${headers}\r\n`,
  ));
  const bytes = new Uint8Array(await new Response(connection.readable).arrayBuffer());
  const end = new TextDecoder("latin1").decode(bytes.subarray(0, 2_000)).indexOf("\r\n\r\n");
  const head = new TextDecoder().decode(bytes.subarray(0, end)).toLowerCase();
  return { head, body: bytes.subarray(end + 4) };
}

Deno.test("all aggregations have the same bytes as the same projects by id", async () => {
  const all = await (await fetch(local.url + ALL, { headers: bearer })).text();
  const named = await fetch(local.url + NAMED, { headers: bearer });
  ok(all.length > 8_500_000);
  ok(all === await named.text());
  equal(JSON.parse(all).data[0].project_name.slice(0, 17), '"quoted" \\ slash/');
});

Deno.test("a stored long response has a length, compressed or not, and a computed one has none", async () => {
  const { head, body } = await raw("GET");
  const plain = await (await fetch(local.url + ALL, { headers: bearer })).bytes();
  equal(body, plain);
  ok(head.includes(`content-length: ${plain.length}\r\n`) && !head.includes("chunked"), head);
  const made = await raw("GET", "", NAMED);
  ok(made.head.includes("transfer-encoding: chunked"), made.head);
  ok(!made.head.includes("content-length"), made.head);
  const service = await createService({ tokens: [TOKEN], data });
  const asked = new Request(`http://x${ALL}`, {
    headers: { ...bearer, "accept-encoding": "gzip" },
  });
  const answer = await service.fetch(asked);
  equal(answer.headers.get("content-encoding"), "gzip");
  const packed = await answer.bytes();
  equal(answer.headers.get("content-length"), String(packed.length));
  ok(gunzipSync(packed).equals(plain));
  await service.close();
  const gzip = "Accept-Encoding: gzip\r\n";
  const sent = await raw("GET", gzip);
  ok(sent.head.includes(`content-length: ${packed.length}\r\n`), sent.head);
  equal(sent.body, packed);
  const madePacked = await raw("GET", gzip, NAMED);
  ok(madePacked.head.includes("transfer-encoding: chunked"), madePacked.head);
  for (const path of [ALL, NAMED]) {
    for (const [headers, length] of [["", plain.length], [gzip, packed.length]] as const) {
      const nothing = await raw("HEAD", headers, path);
      ok(nothing.head.startsWith("http/1.1 200 ok"), nothing.head);
      const packed = headers === gzip && path === ALL;
      equal(nothing.head.includes("content-encoding: gzip"), packed);
      const said = /content-length: (\d+)/.exec(nothing.head)?.[1];
      equal(said, path === ALL ? String(length) : undefined);
      equal(nothing.body.length, 0);
    }
  }
});

Deno.test("all aggregations reach slow and concurrent readers completely", async () => {
  const whole = await (await fetch(local.url + ALL, { headers: bearer })).bytes();
  const received = async (pause: number) => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: local.port });
    await connection.write(new TextEncoder().encode(
      `GET ${ALL} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`,
    ));
    const bytes = new Uint8Array(whole.length + 10_000);
    let size = 0;
    for (let turn = 0;; turn++) {
      const read = await connection.read(bytes.subarray(size));
      if (read === null) break;
      size += read;
      if (turn % 8 === 0) await new Promise((resolve) => setTimeout(resolve, pause));
    }
    connection.close();
    return bytes.subarray(size - whole.length, size);
  };
  const all = await Promise.all([0, 0, 1, 2, 3, 5, 8].map(received));
  ok(all.every((bytes) => Buffer.from(bytes).equals(whole)));
  // Chunks that a reader still holds are not overwritten either.
  const service = await createService({ tokens: [TOKEN], data });
  const { body } = await service.fetch(new Request(`http://x${ALL}`, { headers: bearer }));
  const held = await Array.fromAsync(body!);
  ok(held.length > 2 && Buffer.concat(held).equals(whole), `${held.length} chunks`);
  await service.close();
});

Deno.test("a client that disconnects releases the data, and closing the service closes its file", async () => {
  const names: string[] = [];
  const service = await createService({
    tokens: [TOKEN],
    data,
    log: ({ path }) => names.push(path),
  });
  const { port, close } = await listen(service, { port: 0 });
  const openNow = async () => {
    if (Deno.build.os !== "linux") return 0;
    const links = await Array.fromAsync(Deno.readDir("/proc/self/fd"), async ({ name }) => {
      return await Deno.readLink(`/proc/self/fd/${name}`).catch(() => "");
    });
    return links.filter((link) => link.startsWith(data)).length;
  };
  // Other services of these tests have the file open, too.
  const before = await openNow();
  for (let client = 0; client < 5; client++) {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(new TextEncoder().encode(
      `GET ${ALL} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`,
    ));
    ok(await connection.read(new Uint8Array(4_000)) !== null);
    connection.close();
  }
  const unread = await service.fetch(new Request(`http://x${ALL}`, { headers: bearer }));
  await unread.body!.cancel();
  while (names.length < 6) await new Promise((resolve) => setTimeout(resolve, 10));
  await close(0);
  await service.close();
  equal(before - await openNow(), Deno.build.os === "linux" ? 1 : 0);
});

Deno.test("a running response keeps its data if the file is replaced", async () => {
  const path = `${folder}/swapped.duckdb`;
  await Deno.copyFile(data, path);
  let time = 0;
  const log: string[] = [];
  const service = await createService({
    tokens: [TOKEN],
    data: path,
    now: () => time += 1_000,
    onError: (error) => log.push(String(error)),
  });
  // This response is read from the file while it is sent.
  const ask = () => service.fetch(new Request(`http://x${NAMED}`, { headers: bearer }));
  const before = await (await ask()).text();
  const underWay = await ask();
  const reader = underWay.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader.read()).value!;
  const facts = manyProjects();
  for (const project of facts.projects) project.project_name = "Anew";
  await writeFacts(`${folder}/other`, facts);
  await buildData({ facts: `${folder}/other`, out: path });
  let after = before;
  while (after === before) {
    // A response from memory leaves no time for opening the new file.
    await new Promise((resolve) => setTimeout(resolve));
    after = await (await ask()).text();
  }
  for (let read = await reader.read(); !read.done; read = await reader.read()) text += read.value;
  ok(text === before);
  ok(JSON.parse(after).data.every((item: Record<string, string>) => item.project_name === "Anew"));
  await service.close();
  equal(log, []);
});

Deno.test("a long CSV has a line for each item", async () => {
  const answer = await fetch(local.url + ALL, { headers: { ...bearer, accept: "text/csv" } });
  const items = JSON.parse(await (await fetch(local.url + ALL, { headers: bearer })).text()).data;
  const text = await answer.text();
  ok(text.startsWith("project_name,project_id,metric_id,metric_aggregation_name,value\r\n"));
  equal(text.split("\r\n").length, items.length + 2);
});

Deno.test("an ETag depends on data, software and request, and is known before a read", async () => {
  const tagOf = async (headers = {}) => {
    const answer = await fetch(local.url + ALL, {
      method: "HEAD",
      headers: { ...bearer, ...headers },
    });
    await answer.body?.cancel();
    return answer.headers.get("etag")!;
  };
  const etag = await tagOf();
  equal((await raw("GET", `If-None-Match: ${etag}\r\n`)).head.slice(0, 12), "http/1.1 304");
  equal((await raw("GET", `If-None-Match: "a", ${etag}\r\n`)).head.slice(0, 12), "http/1.1 304");
  equal((await raw("GET", `If-None-Match: "a"\r\n`)).head.slice(0, 12), "http/1.1 200");
  ok(await tagOf({ accept: "text/csv" }) !== etag);
  // The same facts built anew are the same data; other facts are not.
  const tagOfFacts = async (facts: Facts) => {
    await writeFacts(`${folder}/again`, facts);
    await buildData({ facts: `${folder}/again`, out: `${folder}/again.duckdb` });
    const service = await createService({ tokens: [TOKEN], data: `${folder}/again.duckdb` });
    const answer = await service.fetch(
      new Request(`http://x${ALL}`, { method: "HEAD", headers: bearer }),
    );
    await service.close();
    return answer.headers.get("etag");
  };
  const facts = manyProjects();
  equal(await tagOfFacts(facts), etag);
  facts.project_daily[3]!.core_developers = 99;
  ok(await tagOfFacts(facts) !== etag);
});

Deno.test("a long response completes if the service is closed", async () => {
  const log: number[] = [];
  const service = await createService({
    tokens: [TOKEN],
    data,
    log: ({ rows }) => log.push(rows ?? -1),
  });
  const answer = await service.fetch(new Request(`http://x${ALL}`, { headers: bearer }));
  await service.close();
  equal(log, []);
  const { data: items } = await answer.json();
  equal(log, [items.length]);
});

Deno.test("a build that is aborted at its end leaves no files", () =>
  inFolder(async (empty) => {
    await writeFacts(`${empty}/facts`, tinyFacts());
    // Checked before the response is prepared, and with each of its chunks.
    let checks = 0;
    const throwIfAborted = () => {
      if (++checks === 2) throw new Error("stopped");
    };
    const building = buildData({
      facts: `${empty}/facts`,
      out: `${empty}/data.duckdb`,
      signal: { throwIfAborted } as AbortSignal,
    });
    await rejects(building, /stopped/);
    equal(checks, 2);
    equal(Array.from(Deno.readDirSync(empty), ({ name }) => name), ["facts"]);
  }));

Deno.test("sendRows breaks the connection if a read fails, so that no part looks complete", async () => {
  const batches = async function* () {
    for (let batch = 0; batch < 10; batch++) yield [{ text: "x".repeat(1_000_000) }];
    throw new Error("the disk is gone");
  };
  const env: Env["Bindings"] = { snapshot: { digest: "d" } as Snapshot, rows: null };
  const app = new OpenAPIHono<Env>();
  app.get("/", (c) => {
    c.set("format", "json");
    c.set("signal", new AbortController().signal);
    return sendRows(c as Ctx, { batches: batches(), columns: ["text"], errors: [] });
  });
  const service = { fetch: async (request: Request) => await app.fetch(request, env) };
  const listener = await listen(service, { port: 0 });
  const answer = await fetch(`http://127.0.0.1:${listener.port}/`);
  equal(answer.status, 200);
  await rejects(answer.text());
  await rejects(env.sending!, /the disk is gone/);
  await listener.close(0);
});
