import assert from "node:assert/strict";
import { ask } from "./ask.ts";
import { askEach } from "./ask.ts";
import type { Progress } from "../../lib/http/settings.ts";
import { HttpError } from "../../lib/http/errors.ts";
import { NotFoundError } from "../../lib/http/errors.ts";
import type { ApiRequest } from "../../lib/http/request.ts";
import { hearing } from "./hearing.ts";
import { data, failed, playing } from "./playing.ts";
import { BREAKDOWN, chains, QUESTION } from "./question.ts";

const LONG = Array.from({ length: 12 }, (_, index) => `chain${index}`);

function project(id: string): ApiRequest {
  return {
    operation: "project",
    method: "GET",
    path: `/v2/projects/${id}`,
    params: {},
    body: null,
  };
}

Deno.test("identical concurrent requests are sent once", async () => {
  const { connection, clock, sent } = playing((_, count) => data([count]));
  const asked = [
    QUESTION,
    QUESTION,
    chains(["a"]),
    chains(["b"]),
    chains(["a"]),
    BREAKDOWN,
    BREAKDOWN,
  ];
  const answers = await clock.finish(Promise.all(asked.map((each) => ask(each, connection))));
  assert.deepEqual(answers.map(([answer]) => answer?.data), [[1], [1], [2], [3], [2], [4], [4]]);
  assert.equal(sent.length, 4);
});

Deno.test("a later identical request is sent again, and a shared failure reaches every caller", async () => {
  const { connection, clock, sent } = playing((_, count) => count === 1 ? failed(401) : data([]));
  const both = await clock.finish(
    Promise.allSettled([ask(QUESTION, connection), ask(QUESTION, connection)]),
  );
  assert.ok(both.every((each) => each.status === "rejected"));
  assert.equal(sent.length, 1);
  await clock.finish(ask(QUESTION, connection));
  assert.equal(sent.length, 2);
});

Deno.test("a long list is split, and responses keep the order of the ids", async () => {
  const { connection, clock } = playing(
    async (request, count) => {
      // The later, the sooner.
      await clock.sleep(1_000 - 100 * count, request.signal);
      return data(new URL(request.url).searchParams.get("chain_ids")!.split(","));
    },
    { maxUrlLength: 90 },
  );
  const answers = await clock.finish(ask(chains(LONG), connection));
  assert.equal(answers.length, 4);
  assert.deepEqual(answers.flatMap((answer) => answer.data), LONG);
});

Deno.test("if one part fails, the call fails and sends no further parts", async () => {
  const { connection, clock, sent } = playing(
    (request, count) => {
      if (count === 2) return failed(401);
      return count === 1
        ? failed(503, { "retry-after": "50" })
        : clock.sleep(100, request.signal).then(() => data([]));
    },
    { maxUrlLength: 80, concurrency: 3 },
  );
  await assert.rejects(clock.finish(ask(chains(LONG), connection)), HttpError);
  // The three running requests, but neither the others nor the retry of the first.
  assert.equal(sent.length, 3);
  assert.equal(clock.elapsed(), 100);
  assert.equal(clock.sleeping(), 0);
});

Deno.test("a failed call does not stop another call that shares its request", async () => {
  const { connection, clock } = playing((request, count) => {
    const both = request.url.includes("/shared");
    if (!both) return failed(401);
    return count < 3 ? failed(503, { "retry-after": "5" }) : data("shared");
  });
  const [failing, lasting] = await clock.finish(Promise.allSettled([
    askEach([project("shared"), project("refused")], connection),
    ask(project("shared"), connection),
  ]));
  assert.equal(failing.status, "rejected");
  assert.equal(lasting.status === "fulfilled" && lasting.value[0]?.data, "shared");
});

Deno.test("askEach returns a NotFoundError in place of a response, and throws other errors", async () => {
  const { connection, clock } = playing((request) =>
    request.url.endsWith("ghost") ? failed(404) : data(request.url.slice(-1))
  );
  const [a, ghost, b] = await clock.finish(
    askEach(["a", "ghost", "b"].map(project), connection),
  );
  assert.ok(ghost instanceof NotFoundError);
  assert.equal(ghost.url, "http://127.0.0.1:9/v2/projects/ghost");
  assert.deepEqual([a, b].map((each) => each instanceof Error || each?.data), ["a", "b"]);
  assert.deepEqual(await askEach([], connection), []);

  const refusing = playing((_, count) => failed(count === 1 ? 404 : 402));
  await assert.rejects(
    refusing.clock.finish(askEach(["a", "b"].map(project), refusing.connection)),
    { name: "HttpError" },
  );
});

Deno.test("onProgress reports each response of several, and waits over a second", async () => {
  const told: Progress[] = [];
  const { connection, clock } = playing(() => data([]), {
    maxUrlLength: 100,
    concurrency: 1,
    requestsPerMinute: 2,
    onProgress: (progress) => told.push(progress),
  });
  await clock.finish(ask(chains(LONG), connection));
  assert.deepEqual(told.map(({ done, total, waiting_ms }) => [done, total, waiting_ms]), [
    [0, 3, 0],
    [1, 3, 0],
    [2, 3, 0],
    [2, 3, 60_500],
    [2, 3, 0],
    [3, 3, 0],
  ]);
  assert.ok(told.every(({ operation }) => operation === "blockchain_comparison"));
});

Deno.test("onProgress is silent for one quick request, and for a short wait", async () => {
  const told: Progress[] = [];
  const { connection, clock } = playing(
    (_, count) => count === 1 ? failed(503, { "retry-after": "1" }) : data([]),
    { onProgress: (progress) => told.push(progress) },
  );
  await clock.finish(ask(QUESTION, connection));
  assert.deepEqual(told, []);
});

Deno.test("onProgress reports a single request that waits, and its response", async () => {
  const told: Progress[] = [];
  const { connection, clock } = playing(
    (_, count) => count === 1 ? failed(429, { "retry-after": "3" }) : data([]),
    { onProgress: (progress) => told.push(progress) },
  );
  await clock.finish(ask(QUESTION, connection));
  assert.deepEqual(told.map(({ done, total, waiting_ms }) => [done, total, waiting_ms]), [
    [0, 1, 3_000],
    [0, 1, 0],
    [1, 1, 0],
  ]);
});

/** A service whose first attempts have no answer until they are aborted, and then 429 once. */
const silent = (request: Request, count: number) =>
  count > 2
    ? count === 3 ? failed(429, { "retry-after": "10" }) : data([])
    : new Promise<Response>((_, reject) =>
      request.signal.addEventListener("abort", () => reject(request.signal.reason))
    );

Deno.test("a call without an answer for 3 s is shown, one line per attempt in a pipe", async () => {
  const { connection, clock } = playing(silent, {});
  const told = await hearing(() => clock.finish(ask(QUESTION, connection)));
  const { operation } = QUESTION;
  assert.deepEqual(told, [
    `${operation}: no answer yet, attempt 1 of 5, up to 30 s each`,
    `${operation}: no answer yet, attempt 2 of 5, up to 30 s each`,
    `${operation}: no answer yet, attempt 4 of 5, up to 30 s each`,
  ]);
});

Deno.test("onProgress gets the greatest attempt under way, also for one request", async () => {
  const told: Progress[] = [];
  const { connection, clock } = playing(silent, { onProgress: (each) => told.push(each) });
  await clock.finish(ask(QUESTION, connection));
  const attempts = told.map(({ attempt, attempts }) => `${attempt} of ${attempts}`);
  assert.deepEqual([...new Set(attempts)], ["1 of 5", "2 of 5", "3 of 5", "4 of 5"]);
  assert.ok(told.every(({ total }) => total === 1));
});

Deno.test("an onProgress that throws loses no response, and gives one warning", async () => {
  const { connection, clock } = playing(() => data([]), {
    maxUrlLength: 90,
    onProgress: () => {
      throw new Error("no screen");
    },
  });
  const told = await hearing(async () => {
    assert.equal((await clock.finish(ask(chains(LONG), connection))).length, 4);
  });
  assert.deepEqual(told, ["chainframe: onProgress failed: no screen"]);
});
