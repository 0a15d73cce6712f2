import assert from "node:assert/strict";
import { ask } from "./ask.ts";
import { HttpError, NetworkError } from "../../lib/http/errors.ts";
import { manualClock } from "./manual_clock.ts";
import { data, failed, playing } from "./playing.ts";
import { BREAKDOWN, chains, QUESTION } from "./question.ts";

Deno.test("a failed request is sent again after a random part of 500 ms doubling to 8 s", async () => {
  for (const question of [QUESTION, BREAKDOWN]) {
    for (const random of [0, 0.25, 0.5, 1]) {
      const { connection, clock, sent } = playing(
        () => failed(503),
        { retries: 6 },
        manualClock(() => random),
      );
      await assert.rejects(clock.finish(ask(question, connection)), HttpError);
      const times = [0, 500, 1_500, 3_500, 7_500, 15_500, 23_500];
      assert.deepEqual(sent.map(([at]) => at), times.map((time) => time * random));
    }
  }
});

Deno.test("Retry-After sets the wait after a 429 or 503", async () => {
  for (const status of [429, 503]) {
    const { connection, clock, sent } = playing((_, count) =>
      count < 3 ? failed(status, { "retry-after": "20" }) : data([])
    );
    const [answer] = await clock.finish(ask(QUESTION, connection));
    assert.deepEqual(sent.map(([at]) => at), [0, 20_000, 40_000]);
    assert.equal(answer?.attempts, 3);
  }
});

Deno.test("Retry-After 0 still backs off", async () => {
  const { connection, clock, sent } = playing((_, count) =>
    count < 3 ? failed(429, { "retry-after": "0" }) : data([])
  );
  await clock.finish(ask(QUESTION, connection));
  assert.deepEqual(sent.map(([at]) => at), [0, 250, 750]);
});

Deno.test("a Retry-After above maxRetryAfter is an HttpError at once", async () => {
  const { connection, clock } = playing(() => failed(429, { "retry-after": "61" }));
  await assert.rejects(clock.finish(ask(QUESTION, connection)), (error) => {
    assert.ok(error instanceof HttpError);
    assert.deepEqual([error.retryAfter, error.attempts, error.status], [61_000, 1, 429]);
    return true;
  });
  assert.equal(clock.elapsed(), 0);
  const patient = playing(
    (_, count) => count < 2 ? failed(429, { "retry-after": "61" }) : data([]),
    { maxRetryAfter: 61_000 },
  );
  await patient.clock.finish(ask(QUESTION, patient.connection));
  assert.equal(patient.clock.elapsed(), 61_000);
});

Deno.test("after a 429 the whole connection waits", async () => {
  const held = Promise.withResolvers<void>();
  const { connection, clock, sent } = playing(
    (_, count) => count === 1 ? failed(429, { "retry-after": "9" }) : data([]),
    { onProgress: ({ waiting_ms }) => waiting_ms > 0 && held.resolve() },
  );
  const first = ask(chains(["alder"]), connection);
  const second = held.promise.then(() => ask(chains(["birch"]), connection));
  await held.promise;
  await clock.finish(Promise.all([first, second]));
  assert.deepEqual(sent, [
    [0, "GET /v2/datasets/blockchain_comparison?chain_ids=alder"],
    [9_000, "GET /v2/datasets/blockchain_comparison?chain_ids=alder"],
    [9_000, "GET /v2/datasets/blockchain_comparison?chain_ids=birch"],
  ]);
});

Deno.test("each attempt has its own timeout, and the deadline covers all of them", async () => {
  const never = () => new Promise<Response>(() => {});
  const { connection, clock, sent } = playing(never, { timeout: 10_000, deadline: 25_000 });
  await assert.rejects(clock.finish(ask(QUESTION, connection)), (error) => {
    assert.ok(error instanceof NetworkError);
    assert.match(
      error.message,
      /before the deadline of 25000 ms; the last attempt: .*within 10000 ms/,
    );
    assert.equal(error.attempts, 3);
    assert.ok(error.cause instanceof NetworkError);
    return true;
  });
  assert.deepEqual(sent.map(([at]) => at), [0, 10_250, 20_750]);
  assert.equal(clock.elapsed(), 25_000);
  assert.equal(clock.sleeping(), 0);
});

Deno.test("a wait that would exceed the deadline does not start", async () => {
  const { connection, clock } = playing(
    () => failed(429, { "retry-after": "30" }),
    { deadline: 29_000 },
  );
  await assert.rejects(clock.finish(ask(QUESTION, connection)), (error) => {
    assert.ok(error instanceof NetworkError && error.cause instanceof HttpError);
    return true;
  });
  assert.equal(clock.elapsed(), 0);
});

Deno.test("the deadline does not run while a request waits for its turn", async () => {
  const { connection, clock } = playing(() => data([]), { requestsPerMinute: 1, deadline: 1_000 });
  await clock.finish(Promise.all(["a", "b", "c"].map((id) => ask(chains([id]), connection))));
  assert.equal(clock.elapsed(), 121_000);
});

Deno.test("retries count as requests of the minute, and so do redirects", async () => {
  const { connection, clock, sent } = playing(
    (_, count) =>
      count === 1 ? failed(500) : count === 2 ? failed(308, { location: "/b" }) : data([]),
    { requestsPerMinute: 1 },
  );
  await clock.finish(ask(QUESTION, connection));
  assert.deepEqual(sent.map(([at]) => at), [0, 60_500, 121_000]);
});

Deno.test("a fetch that throws gives a NetworkError with the cause", async () => {
  const thrown = new TypeError("no route to host");
  const { connection, clock } = playing(() => Promise.reject(thrown));
  await assert.rejects(clock.finish(ask(QUESTION, connection)), (error) => {
    assert.ok(error instanceof NetworkError);
    assert.equal(error.cause, thrown);
    assert.equal(error.attempts, 5);
    return true;
  });
});

Deno.test("a network error of a user's fetch is retried", async () => {
  const failures = [
    new TypeError("error sending request for url (http://127.0.0.1:9/): connection closed"),
    new TypeError("fetch failed", { cause: Object.assign(new Error("x"), { code: "ECONNRESET" }) }),
    Object.assign(new Error("read"), { code: "ETIMEDOUT" }),
    new TypeError("wrapped", { cause: new Error("socket hang up") }),
    new Deno.errors.ConnectionReset("Connection reset by peer"),
  ];
  for (const failure of failures) {
    const { connection, clock, sent } = playing((_, count) => {
      if (count < 3) throw failure;
      return data([1]);
    });
    const [answer] = await clock.finish(ask(QUESTION, connection));
    assert.deepEqual([answer?.data, sent.length], [[1], 3], String(failure));
  }
});

Deno.test("a missing permission is reported and not retried", async () => {
  const { connection, clock, sent } = playing(() =>
    Promise.reject(new Deno.errors.NotCapable("Requires net access, run again with --allow-net"))
  );
  await assert.rejects(clock.finish(ask(QUESTION, connection)), {
    name: "ConfigurationError",
    message:
      "blockchain_comparison: Deno does not allow it: Requires net access, run again with --allow-net",
  });
  assert.equal(sent.length, 1);
});
