import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { listen } from "../../../lib/service/mod.ts";
import { keepAliveClient } from "../../service/keep_alive_client.ts";
import { LARGE, SMALL, STUB } from "../../service/listen_stub.ts";
import { SLOW, slowClient } from "../../service/slow_client.ts";

Deno.test("listen closes slow connections, and answers the others meanwhile", async () => {
  const timeouts = { headerTimeout: 500, bodyTimeout: 1_000, idleTimeout: 1_500 };
  const listener = await listen(STUB, { port: 0, ...timeouts });
  let dropped = false;
  let answered = 0;
  const good = (async () => {
    while (!dropped) {
      const client = await keepAliveClient(listener.port);
      equal(await client.send(SMALL), { status: 200, body: "small" });
      equal(await client.send(SMALL), { status: 200, body: "small" });
      client.close();
      answered += 2;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  const bytes = await Promise.all(
    Object.entries(SLOW).map(async ([name, slowness]) => {
      const patience = slowness.unread ? 6_000 : 30_000;
      return [name, await slowClient(listener.port, slowness, patience)] as const;
    }),
  );
  dropped = true;
  await good;
  await listener.close(0);
  for (const [name, count] of bytes) {
    ok(count !== null, `${name} was not dropped`);
    ok(count < LARGE.length, `${name} got ${count} bytes`);
  }
  ok(answered > 10, `${answered} requests were answered`);
});

/** Reads a large response in another thread, with a pause after each piece, and returns its size. */
async function readSteadily(port: number): Promise<number> {
  const code = `
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: ${port} });
    const request = "GET /large HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n";
    await connection.write(new TextEncoder().encode(request));
    const piece = new Uint8Array(65_536);
    let size = 0;
    try {
      for (let read; (read = await connection.read(piece)) !== null;) {
        size += read;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    } catch {
      // The connection is broken off.
    }
    postMessage(size);`;
  const url = `data:text/javascript,${encodeURIComponent(code)}`;
  const worker = new Worker(url, { type: "module" });
  const { data } = await new Promise<MessageEvent>((resolve) => worker.onmessage = resolve);
  worker.terminate();
  return data;
}

Deno.test("clients that read steadily get large bodies, although the process stalls", async () => {
  const listener = await listen(STUB, { port: 0, idleTimeout: 600 });
  let isOver = false;
  const sizes = Promise.all(Array.from({ length: 4 }, () => readSteadily(listener.port)))
    .finally(() => isOver = true);
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, 300 * Math.random()));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300 + 600 * Math.random());
  }
  for (const size of await sizes) ok(size > LARGE.length, `${size} bytes`);
  await listener.close(0);
});
