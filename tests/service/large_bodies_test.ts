import { deepStrictEqual as equal, ok, rejects, strictEqual } from "node:assert/strict";
import { METRICS } from "../../lib/service/datasets/metric.ts";
import { openDuckdb } from "../../lib/service/engine/duckdb.ts";
import { createService, listen } from "../../lib/service/mod.ts";
import type { Snapshot } from "../../lib/service/snapshot.ts";
import { cached } from "../../lib/service/web/cached.ts";
import { type Ctx, type Env, OpenAPIHono } from "../../lib/service/web/hono.ts";
import { inPieces, inUnpackedPieces, sendBytes, sendRows } from "../../lib/service/web/send.ts";
import { createTurns } from "../../lib/service/web/turns.ts";
import { TOKEN } from "./call_service.ts";
import { setImmediate } from "node:timers/promises";

const soon = () => new Promise<void>((resolve) => setTimeout(resolve, 20));

/** An application whose only route waits until it is released, and counts how often it computes. */
function application() {
  const released = Promise.withResolvers<void>();
  const signals: AbortSignal[] = [];
  const app = new OpenAPIHono<Env>();
  app.get("/x", cached([]), async (c) => {
    signals.push(c.get("signal"));
    await released.promise;
    c.get("signal").throwIfAborted();
    const status = Number(c.req.query("status") ?? 200);
    return status === 200
      ? sendBytes(c as Ctx, new Uint8Array(200_000).fill(7), {})
      : new Response("none", { status });
  });
  app.onError(() => new Response(null, { status: 499 }));
  const snapshot = { digest: "d" } as Snapshot;
  const ask = async (path: string, signal?: AbortSignal) => {
    const request = new Request(`http://a${path}`, signal === undefined ? {} : { signal });
    return await app.fetch(request, { snapshot, rows: null });
  };
  return { ask, signals, release: () => released.resolve() };
}

Deno.test("equal requests are computed once, also for clients that come later, and others by themselves", async () => {
  const { ask, signals, release } = application();
  const paths = ["/x", "/x", "/x?a=1", "/x", "/x?status=404", "/x?status=404"];
  const asked = paths.map((path) => ask(path));
  await soon();
  strictEqual(signals.length, 3);
  release();
  const answers = await Promise.all(asked);
  equal(answers.map(({ status }) => status), [200, 200, 200, 200, 404, 404]);
  const sizes = await Promise.all(answers.map(async (each) => (await each.bytes()).length));
  equal(sizes, [200_000, 200_000, 200_000, 200_000, 4, 4]);
  // A failed response is not kept, so the second request computes it again.
  strictEqual(signals.length, 4);
  equal((await (await ask("/x")).bytes()).length, 200_000);
  strictEqual(signals.length, 4);
});

Deno.test("a computation stops when the last client that waits for it has left", async () => {
  const { ask, signals, release } = application();
  const [first, second] = [new AbortController(), new AbortController()];
  const one = ask("/x", first.signal);
  await soon();
  const two = ask("/x", second.signal);
  await soon();
  first.abort();
  await soon();
  strictEqual(signals[0]!.aborted, false);
  second.abort();
  strictEqual((await two).status, 499);
  strictEqual(signals[0]!.aborted, true);
  const three = ask("/x");
  await soon();
  release();
  strictEqual((await one).status, 499);
  strictEqual((await three).status, 200);
  strictEqual(signals.length, 2);
});

Deno.test("createTurns gives one turn at a time, in order, and lets go of those that leave", async () => {
  const turn = createTurns();
  const stay = new AbortController().signal;
  const order: string[] = [];
  const work = async (name: string, signal = stay) => {
    const release = await turn(signal);
    order.push(`${name} begins`);
    await soon();
    order.push(`${name} ends`);
    release();
    release();
  };
  const leaving = new AbortController();
  const all = [work("a"), work("b", leaving.signal), work("c")];
  leaving.abort(new Error("left"));
  await rejects(all[1]!, /left/);
  await rejects(turn(leaving.signal), /left/);
  await Promise.all([all[0], all[2]]);
  equal(order, ["a begins", "a ends", "c begins", "c ends"]);
  (await turn(stay))();
});

Deno.test("a large body waits for its turn in its own operation, and not behind another operation", async () => {
  const released = Promise.withResolvers<void>();
  const begun: string[] = [];
  async function* batches(path: string) {
    begun.push(path);
    for (let batch = 0; batch < 20; batch++) {
      if (path === "/slow" && batch === 10) await released.promise;
      yield Array.from({ length: 100 }, () => ({ name: "x".repeat(300) }));
    }
  }
  const app = new OpenAPIHono<Env>();
  for (const path of ["/slow", "/other/:id"]) {
    app.get(path, cached([]), (c) => {
      const found = { batches: batches(path), columns: ["name"], errors: [], isLarge: true };
      return sendRows(c as Ctx, found);
    });
  }
  const ask = async (path: string) =>
    await app.fetch(new Request(`http://a${path}`), {
      snapshot: { digest: "d" } as Snapshot,
      rows: null,
    });
  const slow = [ask("/slow?a=1"), ask("/slow?a=2")];
  await soon();
  const others = await Promise.all([ask("/other/1"), ask("/other/2")]);
  for (const other of others) ok((await other.bytes()).length > 500_000);
  // The second of the same operation has not begun.
  equal(begun, ["/slow", "/other/:id", "/other/:id"]);
  released.resolve();
  for (const each of await Promise.all(slow)) ok((await each.bytes()).length > 500_000);
  equal(begun.length, 4);
});

Deno.test("a statement ends when its signal fires, and other statements go on", async () => {
  const database = await openDuckdb();
  try {
    const long = "SELECT sum(a.range * b.range) FROM range(10_000_000) a, range(1_000_000) b";
    for (const read of ["rows", "run", "batches"] as const) {
      const leaving = new AbortController();
      const limited = database.until(leaving.signal);
      const reading = read === "batches"
        ? Array.fromAsync(limited.batches(long))
        : limited[read](long) as Promise<unknown>;
      const ended = rejects(reading, /left/);
      await soon();
      const started = performance.now();
      leaving.abort(new Error("left"));
      await ended;
      ok(performance.now() - started < 1_000, read);
      await rejects(limited.rows("SELECT 1"), /left/);
    }
    equal(await database.rows("SELECT 1 AS one"), [{ one: 1 }]);
    const wide = await Array.fromAsync(database.batches(
      `SELECT ${
        Array.from({ length: 1_000 }, (_, at) => `range + ${at} AS c${at}`)
      } FROM range(50)`,
    ));
    equal(wide.map((rows) => rows.length), [20, 20, 10]);
    equal(wide.flat().map(({ c7 }) => c7), Array.from({ length: 50 }, (_, row) => row + 7));
  } finally {
    database.close();
  }
});

Deno.test("a signal that fires before its statement has begun ends it, too", async () => {
  const database = await openDuckdb();
  try {
    // About ten seconds, if nothing ends it.
    const long = "SELECT sum(a.range * b.range) FROM range(100_000) a, range(100_000) b";
    for (let turns = 0; turns < 6; turns++) {
      const leaving = new AbortController();
      const ended = rejects(database.until(leaving.signal).rows(long), /left/);
      for (let turn = 0; turn < turns; turn++) await setImmediate();
      const started = performance.now();
      leaving.abort(new Error("left"));
      await ended;
      ok(performance.now() - started < 2_000, `after ${turns} turns`);
    }
  } finally {
    database.close();
  }
});

Deno.test("the pieces of a compressed body have at most 64 KB", async () => {
  const text = JSON.stringify(Array.from({ length: 30_000 }, (_, at) => ({ at: at % 7, v: 1 })));
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = await new Response(packed).bytes();
  const pieces = await Array.fromAsync(inUnpackedPieces(bytes));
  ok(pieces.length > 5);
  ok(pieces.every(({ length }) => length <= 65_536), `${pieces.map(({ length }) => length)}`);
  strictEqual(await new Blob(pieces).text(), text);
});

Deno.test("inPieces yields pieces of at most 64 KB, as they are read", async () => {
  for (const length of [0, 1, 65_536, 65_537, 1_000_000]) {
    const bytes = crypto.getRandomValues(new Uint8Array(Math.min(length, 65_536)));
    const all = new Uint8Array(length).map((_, at) => bytes[at % bytes.length]!);
    const pieces = await Array.fromAsync(inPieces(all));
    ok(pieces.every((piece) => piece.length <= 65_536));
    equal(await new Blob(pieces).bytes(), all);
  }
});

Deno.test("a client that closes its connection leaves no work behind, and no error in the log", async () => {
  const errors: unknown[] = [];
  const statuses: number[] = [];
  const service = await createService({
    tokens: [TOKEN],
    onError: (error) => errors.push(error),
    log: ({ status }) => statuses.push(status),
  });
  const listener = await listen(service, { port: 0, onError: (error) => errors.push(error) });
  try {
    const ids = METRICS.map(({ metric_id }) => metric_id);
    const path = (at: number) => `/v2/metric-aggregations?metric_ids=${[...ids, `none${at}`]}`;
    const all = await Promise.all(Array.from({ length: 20 }, async (_, at) => {
      const connection = await Deno.connect({ hostname: "127.0.0.1", port: listener.port });
      await connection.write(new TextEncoder().encode(
        `GET ${path(at % 5)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`,
      ));
      return connection;
    }));
    await soon();
    for (const connection of all) connection.close();
    const until = performance.now() + 10_000;
    while (statuses.length < 20 && performance.now() < until) await soon();
    equal([statuses.length, errors], [20, []]);
    ok(statuses.filter((status) => status === 499).length >= 10, `${statuses}`);
  } finally {
    await listener.close(0);
    await service.close();
  }
});
