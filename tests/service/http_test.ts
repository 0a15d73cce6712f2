import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { createService, type ServiceOptions } from "../../lib/service/mod.ts";
import { TOKEN } from "./call_service.ts";
import { serveLocally } from "./serve_locally.ts";

const bearer = { authorization: `Bearer ${TOKEN}` };
const DATASETS = ["blockchain_comparison", "project_contracts", "cohort_analysis"];

const logged: Parameters<NonNullable<ServiceOptions["log"]>>[0][] = [];
let clock = Date.UTC(2026, 0, 1);
const service = await createService({ tokens: [TOKEN], log: (entry) => logged.push(entry) });
const plain = await serveLocally(service);
const limited = await serveLocally(
  await createService({
    tokens: [TOKEN, "other"],
    rateLimit: { requests: 2, seconds: 60 },
    now: () => clock,
  }),
);
Deno.test.afterAll(async () => {
  await plain[Symbol.asyncDispose]();
  await limited[Symbol.asyncDispose]();
});

/** Sends bytes as they are and reads the response up to the end of the connection. */
async function raw(text: string): Promise<string> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: plain.port });
  await connection.write(new TextEncoder().encode(text));
  const answer = await new Response(connection.readable).text();
  return answer;
}

Deno.test("datasets have an ETag and answer 304 to If-None-Match", async () => {
  for (const name of DATASETS) {
    const url = `${plain.url}/v2/datasets/${name}`;
    const first = await fetch(url, { headers: bearer });
    const etag = first.headers.get("etag")!;
    ok(/^W\/"[\w-]{27}"$/.test(etag), etag);
    ok((await first.text()).length > 1000);
    for (const tag of [etag, `"x", ${etag}`, etag.slice(2)]) {
      const again = await fetch(url, { headers: { ...bearer, "if-none-match": tag } });
      equal([again.status, await again.text(), again.headers.get("etag")], [304, "", etag]);
    }
    const other = await fetch(url, { headers: { ...bearer, "if-none-match": '"else"' } });
    equal(other.status, 200);
    await other.body?.cancel();
  }
});

Deno.test("responses are compressed only for clients that accept gzip", async () => {
  const head =
    `GET /v2/datasets/cohort_analysis HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n` +
    `Authorization: Bearer ${TOKEN}\r\n`;
  const bytesOf = async (accept: string) => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: plain.port });
    await connection.write(new TextEncoder().encode(`${head}${accept}\r\n`));
    const bytes = new Uint8Array(await new Response(connection.readable).arrayBuffer());
    const end = new TextDecoder("latin1").decode(bytes).indexOf("\r\n\r\n");
    const headers = new TextDecoder().decode(bytes.slice(0, end)).toLowerCase();
    return { headers, body: bytes.slice(end + 4) };
  };
  const whole = await bytesOf("");
  equal(whole.headers.includes("content-encoding"), false);
  for (const accept of ["gzip", "br, gzip;q=0.5", "*", "GZIP"]) {
    const packed = await bytesOf(`Accept-Encoding: ${accept}\r\n`);
    ok(packed.headers.includes("content-encoding: gzip"), accept);
    ok(packed.headers.includes("vary: accept-encoding"));
    ok(packed.body.length < whole.body.length / 4);
    equal(new Uint8Array(gunzipSync(packed.body)), whole.body);
  }
  for (const accept of ["gzip;q=0", "br", "identity", "gzip; q=0.0"]) {
    const refused = await bytesOf(`Accept-Encoding: ${accept}\r\n`);
    equal([accept, refused.headers.includes("content-encoding")], [accept, false]);
  }
});

Deno.test("a long response has a length, over a socket and from memory", async () => {
  const head = `GET /v2/datasets/cohort_analysis HTTP/1.1\r\nHost: localhost\r\n` +
    `Connection: close\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`;
  const first = await raw(head);
  const headers = first.slice(0, first.indexOf("\r\n\r\n")).toLowerCase();
  const body = first.slice(headers.length + 4);
  ok(body.length > 100_000);
  ok(headers.includes(`\r\ncontent-length: ${new TextEncoder().encode(body).length}`), headers);
  equal(headers.includes("transfer-encoding"), false);
  for (let again = 0; again < 3; again++) equal((await raw(head)).endsWith(body), true);
});

Deno.test("HEAD returns the headers of GET, without the body", async () => {
  for (const path of ["/v2/datasets/blockchain_comparison", "/healthz", "/openapi.json"]) {
    const get = await fetch(plain.url + path, { headers: bearer });
    const body = await get.bytes();
    const head = await fetch(plain.url + path, { method: "HEAD", headers: bearer });
    equal([head.status, await head.text()], [200, ""]);
    equal(head.headers.get("etag"), get.headers.get("etag"));
    const answer = await raw(
      `HEAD ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`,
    );
    ok(answer.startsWith("HTTP/1.1 200 OK"));
    equal(answer.slice(answer.indexOf("\r\n\r\n") + 4), "");
    if (path !== "/healthz") ok(answer.includes(`content-length: ${body.length}`), answer);
  }
});

Deno.test("the rate limit counts per token, sends Retry-After, and ends", async () => {
  const ask = async (token: string) => {
    const response = await fetch(`${limited.url}/v2/projects/tidewater`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await response.body?.cancel();
    return response;
  };
  const header = (response: Response) =>
    ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "retry-after"]
      .map((name) => response.headers.get(name));
  const first = await ask(TOKEN);
  equal([first.status, ...header(first)], [200, "2", "1", "60", null]);
  clock += 10_000;
  const second = await ask(TOKEN);
  equal([second.status, ...header(second)], [200, "2", "0", "50", null]);
  const third = await ask(TOKEN);
  equal([third.status, ...header(third)], [429, "2", "0", "50", "50"]);
  equal((await ask("other")).status, 200);
  clock += 50_000;
  equal((await ask(TOKEN)).status, 200);
});

Deno.test("one line is logged per request, and never the token", async () => {
  logged.length = 0;
  await (await fetch(`${plain.url}/v2/datasets/cohort_analysis?limit=3&project_ids=tidewater`, {
    headers: bearer,
  })).body?.cancel();
  await (await fetch(`${plain.url}/v2/nothing?token=${TOKEN}`)).body?.cancel();
  equal(logged.map(({ method, path, status, rows }) => ({ method, path, status, rows })), [
    { method: "GET", path: "/v2/datasets/cohort_analysis", status: 200, rows: 3 },
    { method: "GET", path: "/v2/nothing", status: 404, rows: null },
  ]);
  ok(logged.every(({ ms, time }) => ms >= 0 && !Number.isNaN(Date.parse(time))));
  equal(JSON.stringify(logged).includes(TOKEN), false);
});

Deno.test("healthz needs no token and returns the days of the data", async () => {
  const response = await fetch(`${plain.url}/healthz`);
  equal(await response.json(), {
    status: "ok",
    data: { first_day: "2024-01-01", last_day: "2026-06-17", sample: true },
  });
});

Deno.test("a body that is too large is refused during the read", async () => {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: plain.port });
  await connection.write(new TextEncoder().encode(
    `POST /v2/metric-breakdown HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\n` +
      "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
  ));
  const chunk = new TextEncoder().encode(`10000\r\n${" ".repeat(65_536)}\r\n`);
  let sent = 0;
  const sending = (async () => {
    // Without an end: only the service can stop it.
    for (; sent < 1e9; sent += 65_536) await connection.write(chunk);
  })().catch(() => {});
  const answer = new Uint8Array(200);
  await connection.read(answer);
  ok(new TextDecoder().decode(answer).startsWith("HTTP/1.1 413"));
  await sending;
  ok(sent < 50_000_000, `${sent} bytes were taken`);
  connection.close();
});

Deno.test("a renamed project is found by following the redirect", async () => {
  const response = await fetch(`${plain.url}/v2/projects/tidepool`, { headers: bearer });
  equal([response.status, response.redirected], [200, true]);
  equal((await response.json()).data.project_id, "tidewater");
});

Deno.test("the root and extra slashes redirect to the reference, except under /v2", async () => {
  const leads = async (path: string) => {
    const response = await fetch(plain.url + path, { headers: bearer, redirect: "manual" });
    await response.body?.cancel();
    const location = response.headers.get("location");
    const to = location === null ? null : new URL(location, plain.url + path).pathname;
    return [response.status, to];
  };
  equal(await leads("/"), [302, "/reference"]);
  equal(await leads("/reference/"), [308, "/reference"]);
  equal(await leads("/openapi.json/"), [308, "/openapi.json"]);
  equal(await leads("/v2/metric-aggregations/"), [404, null]);
  equal(await leads("/v2/projects/tidewater/"), [404, null]);
  const page = await fetch(plain.url);
  equal([page.url, (await page.text()).includes("chainframe: reference")], [
    `${plain.url}/reference`,
    true,
  ]);
});

Deno.test("requests that are not HTTP are closed without harm", async () => {
  ok(!(await raw("\0\0\0\r\n\r\n")).startsWith("HTTP/1.1 200"));
  ok(!(await raw("GET / HTTP/9.9\r\n\r\n")).startsWith("HTTP/1.1 200"));
  await (await fetch(`${plain.url}/healthz`)).json();
});
