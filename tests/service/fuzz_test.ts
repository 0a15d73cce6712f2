import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { buildData, createService } from "../../lib/service/mod.ts";
import { TOKEN } from "./call_service.ts";
import { writeFacts } from "./facts_model.ts";
import { serveLocally } from "./serve_locally.ts";
import { tinyFacts } from "./tiny_facts.ts";

const SEED = 20_260_617;

/** A small generator of random numbers from a seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const WORDS = [
  "c1",
  "p1",
  "x1",
  "s1",
  "nowhere",
  "all",
  "",
  " ",
  ",",
  ",,",
  "fees",
  "active_users",
  "tvl",
  "chain_id",
  "month_0",
  "ecosystem_fees_30d_sum",
  "asc",
  "desc",
  "1",
  "0",
  "-1",
  "50",
  "51",
  "1e9",
  "NaN",
  "null",
  "undefined",
  "true",
  "[]",
  "{}",
  "'",
  '"',
  "';DROP TABLE data.chain;--",
  "$1",
  "$project_ids",
  "%",
  "%2",
  "%00",
  "%2C",
  "%E0%A4%A",
  "../",
  "..%2f",
  "\u0000",
  "\uFFFD",
  "💥",
  "é",
  "2026-01-31",
  "2026-02-30",
  "9999-12-31",
  "0000-00-00",
  "30d",
  "24h",
  "ytd",
  "max",
  "chains",
  "projects",
  "chain-product",
  "market-sector",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "x".repeat(300),
  "9".repeat(40),
  "Bearer",
  "*",
  'W/"x"',
  "gzip",
  "br",
  "application/json",
];
const OPERATIONS = [
  "/v2/metric-breakdown",
  "/v2/metric-aggregations",
  "/v2/projects/p1",
  "/v2/datasets/blockchain_comparison",
  "/v2/datasets/project_contracts",
  "/v2/datasets/cohort_analysis",
];
const PATHS = [
  "/healthz",
  "/openapi.json",
  "/reference/start.js",
  "/",
  "//",
  "/v2",
  "/v3/metric-breakdown",
  "/v2/datasets",
  "/v2/datasets/",
  "/v2/projects/",
];
const PARAMETERS = [
  "chain_ids",
  "project_ids",
  "market_sector_ids",
  "product_ids",
  "metric_ids",
  "order_by",
  "order_direction",
  "limit",
  "start",
  "__proto__",
  "constructor",
  "ORDER_BY",
  "",
];
const METHODS = [
  "GET",
  "GET",
  "GET",
  "POST",
  "POST",
  "POST",
  "HEAD",
  "PUT",
  "DELETE",
  "OPTIONS",
  "PATCH",
];
const HEADERS = [
  "accept-encoding",
  "if-none-match",
  "content-type",
  "origin",
  "range",
  "x-any",
  "accept",
];
const KEYS = [
  "metric_ids",
  "interval",
  "group_by",
  "project_ids",
  "product_ids",
  "chain_ids",
  "market_sector_ids",
  "start",
  "end",
  "__proto__",
  "x",
];

function requests(random: () => number) {
  const below = (n: number) => Math.floor(random() * n);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;
  const chance = (p: number) => random() < p;
  const some = <T>(make: () => T, max: number): T[] => Array.from({ length: below(max + 1) }, make);
  const word = () =>
    chance(0.9) ? pick(WORDS) : String.fromCodePoint(...some(() => below(0xd7ff), 6));
  const value = (depth = 0): unknown => {
    const kind = below(depth > 3 ? 4 : 7);
    if (kind === 0) return word();
    if (kind === 1) return below(1e6) - 5e5;
    if (kind === 2) return pick([null, true, false, 1e308, -0.5]);
    if (kind === 3) return pick(["fees", "c1", "p1", "30d", "chains"]);
    if (kind === 4) return Object.fromEntries(some(() => [word(), value(depth + 1)], 3));
    return some(() => value(depth + 1), 4);
  };
  const body = (): string => {
    if (chance(0.1)) return some(word, 20).join(pick(["", ",", "{", "["]));
    if (chance(0.05)) return "[".repeat(below(20_000));
    const right: [string, unknown][] = [
      ["metric_ids", [pick(["fees", "tvl", "active_users", "nothing"])]],
      ["interval", pick(["24h", "30d", "ytd", "max"])],
      ["group_by", pick(["chains", "projects", "chain-product", "market-sector"])],
      ...some((): [string, unknown] => [pick(KEYS), chance(0.5) ? [word()] : value()], 3),
    ];
    if (chance(0.1)) right.splice(below(3), 1);
    return JSON.stringify(Object.fromEntries(right));
  };
  return (): Request => {
    let path = chance(0.9) ? pick(OPERATIONS) : pick(PATHS);
    const fits = path === OPERATIONS[0] ? "POST" : "GET";
    if (chance(0.05)) path += encodeURI(word()).replaceAll("?", "");
    if (chance(0.03)) path = "/" + some(() => encodeURIComponent(word()), 4).join("/");
    const query = some(() => {
      const text = chance(0.5) ? encodeURIComponent(some(word, 3).join(",")) : pick(WORDS);
      return `${chance(0.97) ? pick(PARAMETERS) : encodeURIComponent(word())}=${text}`;
    }, 3).join("&");
    const headers = new Headers();
    if (chance(0.9)) headers.set("authorization", `Bearer ${TOKEN}`);
    else if (chance(0.5)) {
      headers.set("authorization", pick(["Bearer", "Bearer x", "Basic eA==", "x"]));
    }
    for (const name of some(() => pick(HEADERS), 2)) {
      headers.set(name, pick(WORDS).replace(/[^\x20-\x7e]/g, ""));
    }
    const method = chance(0.85) ? fits : pick(METHODS);
    const bare = method === "GET" || method === "HEAD";
    if (!bare && chance(0.95)) headers.set("content-type", "application/json");
    return new Request(`http://localhost${path}${query === "" ? "" : `?${query}`}`, {
      method,
      headers,
      ...(bare ? {} : { body: body() }),
    });
  };
}

/** What the process holds once what nobody needs is collected, in MB. */
async function memory(): Promise<{ heap: number; resident: number }> {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  await turn();
  const { heapUsed, rss } = Deno.memoryUsage();
  return { heap: heapUsed / 1e6, resident: rss / 1e6 };
}

// Without a turn of the event loop, as between requests over a socket, no buffer is given back.
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

async function withTinyService(
  use: (service: Awaited<ReturnType<typeof createService>>) => Promise<void>,
) {
  const folder = await Deno.makeTempDir();
  const facts = tinyFacts();
  await writeFacts(`${folder}/facts`, facts);
  await buildData({ facts: `${folder}/facts`, out: `${folder}/data.duckdb` });
  const errors: unknown[] = [];
  const service = await createService({
    tokens: [TOKEN],
    data: `${folder}/data.duckdb`,
    onError: (error) => errors.push(error),
  });
  await use(service);
  equal(errors, []);
  await service.close();
  await Deno.remove(folder, { recursive: true });
}

Deno.test("20 000 random requests give no 5xx, no hang, no crash, and leave the memory as it was", () =>
  withTinyService(async (service) => {
    const next = requests(generator(SEED));
    const statuses = new Map<number, number>();
    const one = async () => {
      const request = next();
      const told = `${request.method} ${request.url}`;
      const response = await service.fetch(request);
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      ok(response.status < 500, `${response.status} for ${told}`);
      const text = await response.text();
      if (response.status >= 400 && request.method !== "HEAD") {
        const { message, errors } = JSON.parse(text);
        ok(typeof message === "string" && errors.length > 0, told);
        ok(!text.includes(TOKEN), told);
      }
    };
    const run = async (count: number) => {
      let left = count;
      await Promise.all(Array.from({ length: 16 }, async () => {
        while (left-- > 0) {
          await one();
          if (left % 50 === 0) await turn();
        }
      }));
    };
    await run(2_000);
    const before = await memory();
    await run(18_000);
    const after = await memory();
    equal([...statuses.values()].reduce((a, b) => a + b), 20_000);
    // The random requests reach every kind of answer.
    for (const status of [200, 400, 401, 403, 404, 405, 415]) ok(statuses.has(status), `${status}`);
    // What grows is the cache of answers, which is bounded.
    ok(after.heap - before.heap < 32, `the heap grew from ${before.heap} MB to ${after.heap} MB`);
    const grown = after.resident - before.resident;
    ok(grown < 160, `the process grew by ${grown} MB from ${before.resident} MB`);
    const chain = await service.fetch(
      new Request("http://localhost/v2/datasets/blockchain_comparison", {
        headers: { authorization: `Bearer ${TOKEN}` },
      }),
    );
    equal((await chain.json()).data.length, 1);
  }));

Deno.test("2 000 broken HTTP requests over sockets leave the service answering", () =>
  withTinyService(async (service) => {
    const { port, url, [Symbol.asyncDispose]: close } = serveLocally(service);
    const random = generator(SEED + 1);
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
    await close();
  }));
