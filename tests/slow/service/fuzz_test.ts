import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { buildData } from "../../../lib/service/mod.ts";
import { TOKEN } from "../../service/call_service.ts";
import { writeFacts } from "../../service/facts_model.ts";
import { randomRequests } from "./random_requests.ts";
import type { SentRequest } from "../../service/sent_request.ts";
import { seededRandom } from "../../service/seeded_random.ts";
import { type ServiceProcess, startServiceProcess } from "./service_process.ts";
import { tinyFacts } from "../../service/tiny_facts.ts";
import { askAt, PROXY_AVAILABLE, startValidatingProxy } from "./validating_proxy.ts";

const SEED = 20_260_617;
const AT_ONCE = 16;
/** Maximum time of one response, in milliseconds. */
const PATIENCE_MS = 30_000;
/** And so long may all of them take. */
const BOUND_MS = 300_000;

/** The body as text: `fetch` does not decode a response to a request with its own Accept-Encoding. */
async function textOf(response: Response): Promise<string> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (isGzip) equal(response.headers.get("content-encoding"), "gzip");
  return new TextDecoder().decode(isGzip ? gunzipSync(bytes) : bytes);
}

/** Gives a test a service in a process of its own, which must end well and complain of nothing. */
async function withTinyService(use: (service: ServiceProcess) => Promise<void>) {
  const folder = await Deno.makeTempDir();
  await writeFacts(`${folder}/facts`, tinyFacts());
  await buildData({ facts: `${folder}/facts`, out: `${folder}/data.duckdb` });
  const service = await startServiceProcess(`${folder}/data.duckdb`);
  let ended;
  try {
    await use(service);
  } finally {
    ended = await service.stop();
    await Deno.remove(folder, { recursive: true });
  }
  equal(ended, { code: 0, stderr: "" });
}

Deno.test("20 000 random requests give no 5xx, no hang, no crash, and leave the memory as it was", () =>
  withTinyService(async ({ url, memory }) => {
    const next = randomRequests(seededRandom(SEED), url);
    const statuses = new Map<number, number>();
    const until = performance.now() + BOUND_MS;
    const one = async () => {
      const request = next();
      const told = `${request.method} ${request.url}`;
      const response = await fetch(request, {
        redirect: "manual",
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      ok(response.status < 500, `${response.status} for ${told}`);
      const text = await textOf(response);
      if (response.status >= 400 && request.method !== "HEAD") {
        const { message, errors } = JSON.parse(text);
        ok(typeof message === "string" && errors.length > 0, told);
        ok(!text.includes(TOKEN), told);
      }
    };
    const run = async (count: number) => {
      let left = count;
      await Promise.all(Array.from({ length: AT_ONCE }, async () => {
        while (left-- > 0) {
          ok(performance.now() < until, `${left + 1} requests were left after ${BOUND_MS} ms`);
          await one();
        }
      }));
    };
    // Once every kind of request was seen, code is compiled and pools are made.
    await run(8_000);
    const before = await memory();
    await run(20_000);
    const after = await memory();
    equal([...statuses.values()].reduce((a, b) => a + b), 28_000);
    // The random requests get every kind of response.
    for (const status of [200, 400, 401, 403, 404, 405, 415]) ok(statuses.has(status), `${status}`);
    const told = JSON.stringify({ before, after });
    // At the end more responses are cached, up to a limit.
    ok(after.heap - before.heap < 4, told);
    ok(after.resident - before.resident < 32, told);
    const chain = await fetch(`${url}/v2/datasets/blockchain_comparison`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    equal((await chain.json()).data.length, 1);
  }));

Deno.test("2 000 broken HTTP requests over sockets leave the service answering", () =>
  withTinyService(async ({ port, url }) => {
    const random = seededRandom(SEED + 1);
    const good =
      `POST /v2/metric-breakdown?a=b HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}` +
      '\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{"interval":';
    const one = async () => {
      const bytes = new TextEncoder().encode(good);
      for (let changes = Math.floor(random() * 8); changes >= 0; changes--) {
        bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
      }
      const connection = await Deno.connect({ hostname: "127.0.0.1", port });
      try {
        await connection.write(bytes.slice(0, Math.ceil(random() * bytes.length)));
        await connection.closeWrite();
        const answer = await new Response(connection.readable).text();
        ok(!/^HTTP\/1\.[01] 5/.test(answer), answer.slice(0, 200));
      } catch (error) {
        // A connection may be cut; it must not hang.
        ok(
          error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.BrokenPipe ||
            error instanceof Deno.errors.NotConnected,
          String(error),
        );
      }
    };
    for (let batch = 0; batch < 100; batch++) await Promise.all(Array.from({ length: 20 }, one));
    equal((await (await fetch(`${url}/healthz`)).json()).status, "ok");
  }));

Deno.test({
  name: "a validating proxy agrees with the service on random requests",
  ignore: !PROXY_AVAILABLE,
  fn: () =>
    withTinyService(async ({ url }) => {
      const next = randomRequests(seededRandom(SEED + 2), url);
      const sent: SentRequest[] = [];
      for (let count = 0; count < 1_000; count++) {
        const { method, url, headers, body } = next();
        sent.push({
          method,
          path: url.slice(url.indexOf("/", 8)),
          headers: Object.fromEntries(headers),
          body: body === null ? null : await new Response(body).text(),
        });
      }
      const ask = askAt(url);
      await using proxy = await startValidatingProxy(ask);
      // The proxy changes these on the way.
      const whole = sent.filter(({ path }) =>
        !path.includes("__proto__") && !/%(?![0-9a-f]{2})|%E0%A4%A(?![0-9a-f])/i.test(path)
      );
      const looked = await proxy.agreesOn(whole, ask);
      ok(looked > 400, `${looked} requests`);
    }),
});
