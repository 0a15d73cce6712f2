import assert from "node:assert/strict";
import { ask } from "./ask.ts";
import type { ConnectOptions } from "../../lib/http/settings.ts";
import { ChainframeError } from "../../lib/http/errors.ts";
import { openConnection } from "../../lib/http/connect.ts";
import {
  answer,
  drip,
  type Fault,
  type FaultServer,
  faultServer,
  flood,
  head,
  reset,
  send,
  stall,
} from "./fault_server.ts";
import { hurriedClock } from "./hurried_clock.ts";
import { BREAKDOWN, QUESTION } from "./question.ts";

const GOOD = answer(200, '{"data":[{"chain_id":"alder"}]}');
const MESSAGE = '{"message":"because"}';
const [ONE, HALF_MINUTE] = [{ "retry-after": "1" }, { timeout: 30_000, retries: 1 }];
const GZIP = { "content-encoding": "gzip" };
const LENGTH = { "content-length": "99" };
const FULL = '{"data":[{"chain_id":"alder","ecosystem_fees_30d_sum":12.5},';

function httpDate(seconds: number): string {
  return new Date(Date.parse("2026-01-01T00:00:00Z") + seconds * 1_000).toUTCString();
}

/** Fault; what is played, connection by connection; what the user gets; how often it was sent. */
const TABLE: [string, [Fault, ...Fault[]], string | RegExp, number, ConnectOptions?][] = [
  // A transient fault: only the number of attempts shows it.
  ["reset before headers, once", [reset(""), GOOD], "alder", 2],
  ["closed before headers, once", [send(""), GOOD], "alder", 2],
  ["reset in the body, once", [reset(head(200, LENGTH) + FULL), GOOD], "alder", 2],
  ["body shorter than its length, once", [send(head(200, LENGTH) + FULL), GOOD], "alder", 2],
  ["stalled headers, once", [stall(""), GOOD], "alder", 2, { timeout: 60_000 }],
  ["stalled body, once", [stall(head(200) + FULL), GOOD], "alder", 2, { timeout: 60_000 }],
  ["500, once", [answer(500, MESSAGE), GOOD], "alder", 2],
  ["502, twice", [answer(502, ""), answer(502, ""), GOOD], "alder", 3],
  ["503 with seconds, once", [answer(503, "", ONE), GOOD], "alder", 2],
  [
    "504, four times",
    [answer(504, ""), answer(504, ""), answer(504, ""), answer(504, ""), GOOD],
    "alder",
    5,
  ],
  ["429 with seconds", [answer(429, MESSAGE, { "retry-after": "2" }), GOOD], "alder", 2],
  [
    "429 with a date",
    [answer(429, MESSAGE, { date: httpDate(0), "retry-after": httpDate(3) }), GOOD],
    "alder",
    2,
  ],
  ["429 with nonsense", [answer(429, MESSAGE, { "retry-after": "soon, 5" }), GOOD], "alder", 2],
  ["429 with nothing", [answer(429, MESSAGE), GOOD], "alder", 2],

  // A fault that stays.
  [
    "reset before headers",
    [reset("")],
    /^NetworkError: .*no connection to http:\/\/127\.0\.0\.1:\d+: /,
    5,
  ],
  [
    "no HTTP",
    [send("SSH-2.0-OpenSSH_9.2\r\n")],
    /^NetworkError: .*no connection to http:\/\/127\.0\.0\.1:\d+: /,
    5,
  ],
  [
    "reset in the body",
    [reset(head(200, LENGTH) + FULL)],
    /^NetworkError: .*broke after \d+ bytes of the response/,
    5,
  ],
  [
    "body shorter than its length",
    [send(head(200, LENGTH) + FULL)],
    /^NetworkError: .*broke after 60 bytes of the response: .*; the response begins with: \{"data":\[\{"chain_id":"alder"/,
    5,
  ],
  [
    "a chunked body without its end",
    [send(`${head(200, { "transfer-encoding": "chunked" })}5\r\n{"dat\r\n`)],
    /^NetworkError: .*broke after 5 bytes of the response/,
    5,
  ],
  [
    "stalled headers",
    [stall("")],
    /^NetworkError: .*no response within 30000 ms, raise timeout: http/,
    2,
    HALF_MINUTE,
  ],
  [
    "stalled body",
    [stall(head(200) + FULL)],
    /^NetworkError: .*no complete response within 30000 ms/,
    2,
    HALF_MINUTE,
  ],
  [
    "slow drip",
    [drip(head(200))],
    /^NetworkError: .*no complete response within 30000 ms/,
    2,
    HALF_MINUTE,
  ],
  [
    "deadline before the retries end",
    [stall("")],
    /^NetworkError: .*no successful response before the deadline of 50000 ms/,
    1,
    { deadline: 50_000 },
  ],
  [
    "429 with too many seconds",
    [answer(429, MESSAGE, { "retry-after": "61" })],
    /^HttpError: .*429: because; Retry-After is 61000 ms, above maxRetryAfter of 60000 ms/,
    1,
  ],
  [
    "429 with too far a date",
    [answer(429, MESSAGE, { date: httpDate(0), "retry-after": httpDate(3_600) })],
    /^HttpError: .*Retry-After is 3600000 ms/,
    1,
  ],
  [
    "429 that stays",
    [answer(429, MESSAGE, ONE)],
    /^HttpError: .*the service answered 429: because$/,
    5,
  ],
  ["500", [answer(500, MESSAGE)], /^HttpError: .*the service answered 500: because$/, 5],
  ["502", [answer(502, "<h1>Bad Gateway</h1>")], /^HttpError: .*502: <h1>Bad Gateway<\/h1>$/, 5],
  ["503", [answer(503, "")], /^HttpError: .*503: \(no message\)$/, 5],
  [
    "503 with too many seconds",
    [answer(503, "", { "retry-after": "999" })],
    /^HttpError: .*503: .*Retry-After is 999000 ms/,
    1,
  ],
  ["504", [answer(504, MESSAGE)], /^HttpError: .*504/, 5],
  ["500, no retries wanted", [answer(500, MESSAGE)], /^HttpError: .*500/, 1, { retries: 0 }],

  // A fault that would not pass: it is never sent again.
  ...[501, 400, 401, 402, 403, 405, 408, 409, 413, 415, 422, 451].map((
    status,
  ): [string, [Fault], RegExp, number] => [
    `${status}`,
    [answer(status, MESSAGE)],
    new RegExp(`^HttpError: .*${status}: because$`),
    1,
  ]),
  ["404", [answer(404, MESSAGE)], /^NotFoundError: .*404: because$/, 1],
  ["204", [send(head(204))], /^ResponseError: .*204/, 1],
  ["304 that nobody asked for", [send(head(304))], /^ResponseError: .*304/, 1],
  [
    "200 with HTML from a proxy",
    [answer(200, `<html>${"x".repeat(999)}`, { "content-type": "text/html" })],
    /^ResponseError: \w+: expected JSON; the response begins with: <html>x{194}$/,
    5,
  ],
  [
    "200 with an error object",
    [answer(200, '{"error":"down"}')],
    /^ResponseError: .*expected a JSON object with data; the response begins with: \{"error":"down"\}$/,
    1,
  ],
  [
    "200 with a truncated array",
    [answer(200, FULL)],
    /^ResponseError: .*expected JSON; the response begins with: \{"data":\[\{"chain_id"/,
    5,
  ],
  // Without a length, Deno cannot distinguish a broken connection from one that ended.
  [
    "reset in a body without a length",
    [reset(head(200) + FULL)],
    /^ResponseError: .*expected JSON; the response begins with: \{"data":\[\{"chain_id"/,
    5,
  ],
  [
    "200 with nothing",
    [answer(200, "")],
    /^ResponseError: .*expected JSON; the response begins with: \(nothing\)$/,
    5,
  ],
  [
    "200 with part of a body, then with a page of a proxy, then whole",
    [answer(200, FULL), answer(200, "<html>"), answer(200, '{"data":[{"chain_id":"alder"}]}')],
    "alder",
    3,
  ],
  [
    "200 with part of a body, without retries",
    [answer(200, FULL)],
    /^ResponseError: .*expected JSON; the response begins with: \{"data":\[\{"chain_id"/,
    1,
    { retries: 0 },
  ],
  [
    "200 of a wrong content type",
    [answer(200, '{"data":[{"chain_id":"alder"}]}', { "content-type": "text/html" })],
    "alder",
    1,
  ],
  [
    "gzip that lies",
    [answer(200, FULL, GZIP)],
    /^ResponseError: .*expected gzip as in its content-encoding: .*; the response begins with: \(nothing\)$/,
    1,
  ],
  [
    "gzip that ends too soon",
    [answer(200, new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]), GZIP)],
    /^ResponseError: .*expected gzip/,
    1,
  ],
  [
    "a redirect in a circle",
    [answer(308, "", { location: "/v2/around" })],
    /^ResponseError: .*expected at most 5 redirects; got \/v2\/around, /,
    6,
  ],
  [
    "a redirect to another origin",
    [answer(302, "", { location: "https://elsewhere.example/v2" })],
    /^ResponseError: .*\(302\).*within the origin of baseUrl.*; got https:\/\/elsewhere.example$/,
    1,
  ],
  [
    "a redirect to another port",
    [answer(307, "", { location: "http://127.0.0.1:1/v2" })],
    /^ResponseError: .*within the origin/,
    1,
  ],
  [
    "a redirect to a blob of the same origin",
    [
      async (connection) => {
        const { port } = connection.localAddr as Deno.NetAddr;
        await answer(302, "", { location: `blob:http://127.0.0.1:${port}/x` })(connection);
      },
    ],
    /^ResponseError: .*within the origin of baseUrl.*; got blob:http:\/\/127\.0\.0\.1:\d+\/x$/,
    1,
  ],
  [
    "a redirect to 100 000 characters",
    [answer(302, "", { location: `/${"x".repeat(100_000)}` })],
    /^ResponseError: .*expected a URL of at most 8192 characters; got \/x{198}…$/,
    1,
  ],
  [
    "a redirect to nowhere",
    [answer(301, "")],
    /^ResponseError: .*expected a URL; got \(no location\)$/,
    1,
  ],
  [
    "a redirect to no URL",
    [answer(301, "", { location: "http://" })],
    /^ResponseError: .*expected a URL; got http:\/\/$/,
    1,
  ],
];

async function outcome(server: FaultServer, options: ConnectOptions, post: boolean) {
  const connection = openConnection(
    {
      baseUrl: server.url,
      token: "s3cret-token",
      timeout: 1_000_000,
      deadline: Infinity,
      ...options,
    },
    hurriedClock(),
  );
  const question = post ? BREAKDOWN : QUESTION;
  try {
    const [first] = await ask(question, connection);
    const [row] = first?.data as { chain_id: string }[];
    return { got: row?.chain_id ?? "", attempts: first?.attempts };
  } catch (error) {
    assert.ok(error instanceof ChainframeError, String(error));
    assert.equal(error.operation, question.operation);
    assert.equal(error.url, server.url + question.path);
    assert.ok(!Deno.inspect(error, { showHidden: true }).includes("s3cret"));
    return { got: `${error.name}: ${error.message}`, attempts: error.attempts };
  }
}

for (const [fault, played, expected, sent, options = {}] of TABLE) {
  for (const method of ["GET", "POST"]) {
    Deno.test(`${fault}: ${method}`, async () => {
      await using server = faultServer(...played);
      const { got, attempts } = await outcome(server, options, method === "POST");
      if (typeof expected === "string") assert.equal(got, expected);
      else assert.match(got, expected);
      assert.equal(server.count(), sent);
      assert.equal(attempts, fault === "a redirect in a circle" ? 1 : sent);
    });
  }
}

Deno.test("connection refused", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const refusing = { url: `http://127.0.0.1:${port}`, count: () => 0, received: [] };
  const { got, attempts } = await outcome(refusing as unknown as FaultServer, {}, false);
  assert.match(
    got,
    /^NetworkError: .*no connection to http:\/\/127\.0\.0\.1:\d+: .*refused/i,
  );
  assert.equal(attempts, 5);
});

Deno.test("a response of 300 MB, with its length and without", async () => {
  const size = 300 * 1024 * 1024;
  for (const length of [{ "content-length": `${size}` }, {}]) {
    await using server = faultServer(flood(head(200, length) + FULL, size));
    const { got, attempts } = await outcome(server, { timeout: Infinity }, false);
    assert.match(
      got,
      /^ResponseError: \w+: expected at most 256 MB; the response begins with: \{"data"/,
    );
    assert.equal(attempts, 1);
  }
});
