import { ok, strictEqual } from "node:assert/strict";
import { connect } from "../../lib/http/connect.ts";
import type { ConnectOptions } from "../../lib/http/settings.ts";
import { blockchainComparison } from "../../lib/operations/blockchain_comparison.ts";
import { metricAggregations } from "../../lib/operations/metric_aggregations.ts";
import { metricBreakdown } from "../../lib/operations/metric_breakdown.ts";
import { project } from "../../lib/operations/project.ts";
import { errorsOf } from "../../lib/table/track/provenance.ts";
import type { DataFrame } from "../../lib/table/columns/polars.ts";
import { provenanceOf } from "../../lib/table/track/provenance.ts";
import { answer, type Fault, faultServer, head, reset, send } from "../http/fault_server.ts";
import { hearing } from "../http/hearing.ts";
import { inFolder } from "../in_folder.ts";

const TOKEN = 'pl4nted"/&t0ken';
// A part that every encoding of it contains.
const PLANTED = /pl4nted|t0ken/;
const SPELLINGS = [
  TOKEN,
  encodeURIComponent(TOKEN),
  JSON.stringify(TOKEN),
  TOKEN.replace("&", "&amp;"),
  TOKEN.replaceAll("&", "&amp;").replaceAll('"', "&quot;"),
].join(" ");
const JSON_MESSAGE = JSON.stringify({ message: `no such token: ${TOKEN} ${SPELLINGS}` });
// JSON may spell any letter as a number.
const UNICODE = JSON_MESSAGE.replaceAll("4", "\\u0034");
const LONG = `${"x".repeat(190)}${TOKEN}`;

/** Every text that can be reached from a value, however hidden. */
function* texts(value: unknown, seen = new Set<unknown>()): Generator<string> {
  if (typeof value === "string") yield value;
  if (typeof value === "symbol") yield String(value);
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return;
  if (seen.has(value)) return;
  seen.add(value);
  yield Deno.inspect(value, { showHidden: true, depth: 20, strAbbreviateSize: Infinity });
  for (const key of Reflect.ownKeys(value)) {
    yield String(key);
    yield* texts(Reflect.get(value, key), seen);
  }
}

function assertClean(value: unknown, where: string): void {
  for (const text of texts(value)) ok(!PLANTED.test(text), `${where}: ${text}`);
}

function throwing(error: unknown): NonNullable<ConnectOptions["fetch"]> {
  return () => Promise.reject(error);
}

function nested(): Error {
  const inner = new Error(`inner ${TOKEN}`);
  inner.name = `Name ${TOKEN}`;
  const error = new TypeError(`outer ${TOKEN}`, { cause: inner });
  return Object.assign(error, { request: { headers: { authorization: `Bearer ${TOKEN}` } } });
}

const FAULTS: [string, Fault][] = [
  ...[400, 401, 402, 403, 404, 418, 429, 500, 503, 203].flatMap((status): [string, Fault][] => [
    [`${status} with JSON`, answer(status, JSON_MESSAGE)],
    [`${status} with escapes`, answer(status, UNICODE)],
    [`${status} with text`, answer(status, `<html>${SPELLINGS}</html>`)],
    [`${status} with a token across the cut`, answer(status, LONG)],
    [
      `${status} with an errors list`,
      answer(status, JSON.stringify({ errors: [{ message: TOKEN }] })),
    ],
  ]),
  ["429 with a long wait", answer(429, JSON_MESSAGE, { "retry-after": "9999" })],
  ["200 with HTML", answer(200, `<html>${SPELLINGS}`)],
  ["200 with a token across the cut", answer(200, LONG)],
  ["200 with an error object", answer(200, JSON_MESSAGE)],
  ["200 with escapes", answer(200, UNICODE)],
  ["200 with errors that are no list", answer(200, JSON.stringify({ data: [], errors: TOKEN }))],
  [
    "200 with an entity error of a wrong shape",
    answer(200, JSON.stringify({ data: [], errors: [TOKEN] })),
  ],
  ["200 with data of a wrong type", answer(200, JSON.stringify({ data: TOKEN }))],
  ["200 with a row of a wrong type", answer(200, JSON.stringify({ data: [TOKEN] }))],
  [
    "200 with a field of a wrong type",
    answer(
      200,
      JSON.stringify({
        data: [{ chain_id: [TOKEN], project_id: [TOKEN], data_id: [TOKEN], name: [TOKEN] }],
      }),
    ),
  ],
  [
    "200 that is not UTF-8",
    answer(200, new Uint8Array([0xff, ...new TextEncoder().encode(TOKEN)])),
  ],
  ["200 with a lying encoding", answer(200, SPELLINGS, { "content-encoding": "gzip" })],
  ["200 that is cut short", send(head(200, { "content-length": "9999" }) + SPELLINGS)],
  ["200 that is reset", reset(head(200, { "content-length": "9999" }) + SPELLINGS)],
  ["no HTTP", send(`${TOKEN}\r\n\r\n`)],
  [
    "a redirect elsewhere",
    answer(302, "", { location: `https://${encodeURIComponent("pl4nted")}.example/${TOKEN}` }),
  ],
  ["a redirect to no URL", answer(302, "", { location: `http://[${TOKEN}` })],
  [
    "a redirect in a circle",
    answer(302, "", { location: `/login?token=${encodeURIComponent(TOKEN)}` }),
  ],
];

const OPTIONS: [string, ConnectOptions][] = [
  ["a fetch that throws", { fetch: throwing(nested()) }],
  ["a fetch that throws a text", { fetch: throwing(`text ${TOKEN}`) }],
  ["a fetch that throws an object", { fetch: throwing({ authorization: `Bearer ${TOKEN}` }) }],
  ["a fetch that may not", { fetch: throwing(new Deno.errors.NotCapable(`no ${TOKEN}`)) }],
  ["a body that throws", {
    fetch: () =>
      Promise.resolve(new Response(new ReadableStream({ pull: (c) => c.error(nested()) }))),
  }],
];

const CALLS: [string, (connection: ReturnType<typeof connect>) => Promise<DataFrame>][] = [
  ["GET", (connection) => blockchainComparison({}, connection)],
  [
    "POST",
    (connection) =>
      metricBreakdown({ metric_ids: ["fees"], interval: "30d", group_by: "chains" }, connection),
  ],
  ["project", (connection) => project({ project_id: "alder" }, connection)],
  ["entity errors", (connection) => metricAggregations({ project_ids: ["alder"] }, connection)],
];

async function outcome(
  options: ConnectOptions,
  call: (connection: ReturnType<typeof connect>) => Promise<DataFrame>,
  where: string,
): Promise<string> {
  const connection = connect({ token: TOKEN, retries: 0, ...options });
  assertClean(connection, where);
  try {
    const frame = await call(connection);
    assertClean(provenanceOf(frame), where);
    return "answered";
  } catch (error) {
    // The redirect elsewhere names the other origin, which is not a secret.
    if (where.includes("redirect elsewhere")) {
      ok(!`${Deno.inspect(error)}${(error as Error).stack}`.includes("t0ken"), where);
    } else assertClean(error, where);
    return "failed";
  }
}

Deno.test("the token appears in no error, log line, cache file or provenance", async () => {
  const dir = await Deno.makeTempDir();
  let failures = 0;
  let calls = 0;
  try {
    const lines = await hearing(async () => {
      for (const [name, call] of CALLS) {
        for (const [fault, played] of FAULTS) {
          await using server = faultServer(played);
          const options = { baseUrl: server.url, cache: { dir } };
          calls++;
          if (await outcome(options, call, `${fault}, ${name}`) === "failed") failures++;
        }
        for (const [fault, options] of OPTIONS) {
          const all = { baseUrl: "http://127.0.0.1:9", cache: { dir }, ...options };
          calls++;
          if (await outcome(all, call, `${fault}, ${name}`) === "failed") failures++;
        }
      }
    });
    assertClean(lines, "stderr");
    for (const { name } of Deno.readDirSync(dir)) {
      assertClean([name, Deno.readTextFileSync(`${dir}/${name}`)], "cache");
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
  ok(calls > 200);
  ok(failures > 0.95 * calls, `${failures} of ${calls} failed: the test plants too little`);
});

Deno.test("the token appears in no provenance or cache file of a response that echoes it", () =>
  inFolder(async (dir) => {
    const lines = await hearing(async () => {
      const missing = { code: "NOT_FOUND", field: "project_ids", value: "ghost" };
      const body = JSON.stringify({ data: [], errors: [missing], token: TOKEN });
      const moved = answer(308, "", { location: `/v2/x?token=${encodeURIComponent(TOKEN)}` });
      await using server = faultServer(
        moved,
        answer(200, body, { etag: `"${encodeURIComponent(TOKEN)}"` }),
      );
      const connection = connect({
        baseUrl: server.url,
        token: TOKEN,
        cache: { dir },
        onProgress: () => {
          throw nested();
        },
        maxUrlLength: 1,
      });
      const frame = await metricAggregations({ project_ids: ["a", "b"] }, connection);
      strictEqual(provenanceOf(frame).renamed?.length, 1);
      assertClean(provenanceOf(frame), "provenance");
      assertClean(errorsOf(frame).toRecords(), "errors");
    });
    ok(lines.length >= 3, lines.join("\n"));
    assertClean(lines, "stderr");
    for (const { name } of Deno.readDirSync(dir)) {
      assertClean([name, Deno.readTextFileSync(`${dir}/${name}`)], "cache");
    }
  }));

Deno.test("the search of this test finds a token in every place", () => {
  const hidden = new Error("fine", {
    cause: Object.defineProperty({}, "deep", { value: [TOKEN] }),
  });
  let found = 0;
  for (const text of texts(hidden)) if (PLANTED.test(text)) found++;
  ok(found > 0);
});
