import fc from "fast-check";
import assert from "node:assert/strict";
import { createPace, type Pace, paceOf } from "../../lib/http/pace.ts";
import { type ManualClock, manualClock } from "./manual_clock.ts";

const NEVER = new AbortController().signal;
const SILENT = () => {};
const MINUTE = 60_000;

/** Sends requests of a given duration, and returns the times at which they were sent. */
async function moments(pace: Pace, clock: ManualClock, latencies: readonly number[]) {
  const sent: number[] = [];
  await clock.finish(Promise.all(latencies.map(async (latency) => {
    await pace.enter(NEVER, SILENT);
    sent.push(clock.elapsed());
    await clock.sleep(latency, NEVER);
    pace.leave();
  })));
  return sent;
}

/** The most requests in any minute that begins with one. */
function densest(sent: readonly number[]): number {
  return Math.max(
    ...sent.map((from) => sent.filter((at) => at >= from && at < from + MINUTE).length),
  );
}

Deno.test("pace never sends more than requestsPerMinute in any sliding minute", async () => {
  const cases = fc.record({
    requestsPerMinute: fc.integer({ min: 1, max: 40 }),
    concurrency: fc.integer({ min: 1, max: 20 }),
    latencies: fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 150 }),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ latencies, ...options }) => {
      const clock = manualClock();
      const sent = await moments(createPace(options, clock), clock, latencies);
      assert.equal(sent.length, latencies.length);
      assert.ok(densest(sent) <= options.requestsPerMinute);
    }),
    { seed: 4, numRuns: 60 },
  );
});

Deno.test("pace sends at least 98% of requestsPerMinute under load", async () => {
  for (const requestsPerMinute of [1, 7, 60, 240]) {
    const clock = manualClock();
    const pace = createPace({ requestsPerMinute, concurrency: 4 }, clock);
    const minutes = 10;
    const work = Array.from({ length: requestsPerMinute * (minutes + 2) }, () => 100);
    const sent = await moments(pace, clock, work);
    // The last minutes are left out: there the work runs out.
    const whole = sent.filter((at) => at < minutes * MINUTE).length;
    assert.ok(densest(sent) <= requestsPerMinute);
    assert.ok(whole >= 0.98 * requestsPerMinute * minutes, `${whole} of ${requestsPerMinute}`);
  }
});

Deno.test("pace sends the first requests at once, and never waits without a limit", async () => {
  const clock = manualClock();
  const pace = createPace({ requestsPerMinute: 60, concurrency: 4 }, clock);
  const sent = await moments(pace, clock, new Array(61).fill(0));
  assert.deepEqual(sent, [...new Array(60).fill(0), 60_500]);
  const free = createPace({ requestsPerMinute: Infinity, concurrency: 4 }, clock);
  const before = clock.elapsed();
  await moments(free, clock, new Array(5_000).fill(0));
  assert.equal(clock.elapsed(), before);
});

Deno.test("pace runs at most concurrency requests, first come first served", async () => {
  const clock = manualClock();
  const pace = createPace({ requestsPerMinute: Infinity, concurrency: 3 }, clock);
  const order: number[] = [];
  let now = 0;
  let most = 0;
  await clock.finish(Promise.all(Array.from({ length: 20 }, async (_, index) => {
    await pace.enter(NEVER, SILENT);
    order.push(index);
    most = Math.max(most, ++now);
    await clock.sleep(100 - index, NEVER);
    now--;
    pace.leave();
  })));
  assert.equal(most, 3);
  assert.deepEqual(order, Array.from({ length: 20 }, (_, index) => index));
});

Deno.test("pace delays all requests, by the longest delay", async () => {
  const clock = manualClock();
  const pace = createPace({ requestsPerMinute: Infinity, concurrency: 9 }, clock);
  pace.hold(5_000);
  const told: number[] = [];
  const entering = pace.enter(NEVER, (ms) => told.push(ms));
  while (told.length === 0) await Promise.resolve();
  pace.hold(7_000);
  pace.hold(1_000);
  await clock.finish(entering);
  assert.equal(clock.elapsed(), 7_000);
  assert.deepEqual(told, [5_000, 2_000, 0]);
});

Deno.test("an abort ends every wait of a pace with its reason, and frees the slots", async () => {
  const clock = manualClock();
  const pace = createPace({ requestsPerMinute: 1, concurrency: 2 }, clock);
  const controller = new AbortController();
  await pace.enter(NEVER, SILENT);
  const inTurn = pace.enter(controller.signal, SILENT);
  const inQueue = pace.enter(controller.signal, SILENT);
  const reason = new Error("enough");
  const rejected = Promise.allSettled([inTurn, inQueue]);
  controller.abort(reason);
  assert.deepEqual((await rejected).map((each) => each.status === "rejected" && each.reason), [
    reason,
    reason,
  ]);
  assert.equal(clock.sleeping(), 0);
  await assert.rejects(pace.enter(controller.signal, SILENT), reason);
  await clock.finish(pace.enter(NEVER, SILENT));
  assert.equal(clock.elapsed(), 60_500);
});

Deno.test("paceOf: connections to one address share the requests of a minute", async () => {
  const clock = manualClock();
  const settings = { requestsPerMinute: 1, concurrency: 4, clock };
  const paces = ["https://a.example", "https://a.example", "https://b.example"]
    .map((baseUrl) => paceOf({ ...settings, baseUrl }));
  const sent: number[] = [];
  await clock.finish(Promise.all(paces.map(async (pace, at) => {
    await pace.enter(NEVER, SILENT);
    sent[at] = clock.elapsed();
    pace.leave();
  })));
  assert.deepEqual(sent, [0, 60_500, 0]);
});
