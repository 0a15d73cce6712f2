import assert from "node:assert/strict";
import { ask } from "./ask.ts";
import { connect } from "../../lib/http/connect.ts";
import type { ConnectOptions } from "../../lib/http/settings.ts";
import { answer, faultServer, head, stall } from "./fault_server.ts";
import { data, failed, type Play, playing } from "./playing.ts";
import { chains, QUESTION } from "./question.ts";

const REASON = { why: "the reader went home" };

/** Asks, aborts as soon as the call waits for what the case is about, and gives what it rejects with. */
async function aborted(
  play: (waiting: () => void) => Play,
  options: ConnectOptions = {},
): Promise<{ reason: unknown; elapsed: number; sleeping: number; sent: number }> {
  const controller = new AbortController();
  const there = Promise.withResolvers<void>();
  const { connection, clock, sent } = playing(play(there.resolve), {
    signal: controller.signal,
    onProgress: ({ waiting_ms }) => waiting_ms > 0 && there.resolve(),
    ...options,
  });
  const asking = Promise.all([ask(chains(["a"]), connection), ask(chains(["b"]), connection)]);
  const rejected = asking.then(() => "an answer", (reason) => reason);
  await there.promise;
  controller.abort(REASON);
  const reason = await rejected;
  return { reason, elapsed: clock.elapsed(), sleeping: clock.sleeping(), sent: sent.length };
}

Deno.test("an abort ends every wait at once, with the signal's reason", async () => {
  const cases: [string, (waiting: () => void) => Play, ConnectOptions?][] = [
    ["for headers, of a fetch that does not listen", (waiting) => () => {
      waiting();
      return new Promise<Response>(() => {});
    }],
    ["for a body", (waiting) => () => {
      waiting();
      return new Response(new ReadableStream({ pull: () => new Promise(() => {}) }));
    }],
    ["between attempts", () => () => failed(503, { "retry-after": "30" })],
    ["after a 429", () => () => failed(429, { "retry-after": "30" })],
    ["for the minute to pass", () => () => data([]), { requestsPerMinute: 1 }],
    ["for a place", (waiting) => () => {
      waiting();
      return new Promise<Response>(() => {});
    }, { concurrency: 1 }],
  ];
  for (const [wait, play, options] of cases) {
    const { reason, elapsed, sleeping } = await aborted(play, options);
    assert.equal(reason, REASON, wait);
    assert.equal(elapsed, 0, wait);
    assert.equal(sleeping, 0, `${wait}: a timer is left`);
  }
});

Deno.test("a signal that has fired sends nothing", async () => {
  const { connection, sent } = playing(() => data([]), { signal: AbortSignal.abort(REASON) });
  const reason = await ask(QUESTION, connection).then(() => null, (thrown) => thrown);
  assert.equal(reason, REASON);
  assert.equal(sent.length, 0);
});

Deno.test("an abort without a reason is the AbortError of the platform", async () => {
  const { connection } = playing(() => data([]), { signal: AbortSignal.abort() });
  await assert.rejects(ask(QUESTION, connection), { name: "AbortError" });
});

Deno.test("an abort closes the connection to the service", async () => {
  for (const start of ["", head(200, { "content-length": "50" }) + '{"data":']) {
    const controller = new AbortController();
    let arrived = () => {};
    const stalled = stall(start);
    await using server = faultServer((connection) => {
      arrived();
      return stalled(connection);
    });
    const there = new Promise<void>((resolve) => arrived = resolve);
    const options = { baseUrl: server.url, token: "s3cret-token", signal: controller.signal };
    const rejected = ask(QUESTION, connect(options)).then(() => null, (thrown) => thrown);
    await there;
    controller.abort(REASON);
    assert.equal(await rejected, REASON);
    // Leaving this block waits until the client's end of the stalled connection is closed.
  }
});

Deno.test("requests leave no listener on a signal that outlives them", async () => {
  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  signal.addEventListener = (...[type, listener, options]: Parameters<typeof add>) => {
    listeners++;
    add(type, listener, options);
    (options as { signal?: AbortSignal }).signal?.addEventListener("abort", () => listeners--);
  };
  await using server = faultServer(answer(200, '{"data":[]}'));
  const connection = connect({ baseUrl: server.url, token: "s3cret-token", signal });
  for (let index = 0; index < 20; index++) await ask(QUESTION, connection);
  assert.equal(listeners, 0);
});
