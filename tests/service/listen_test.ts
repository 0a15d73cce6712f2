import { deepStrictEqual as equal, ok, rejects } from "node:assert/strict";
import { createService, listen } from "../../lib/service/mod.ts";
import { TOKEN } from "./call_service.ts";
import { keepAliveClient } from "./keep_alive_client.ts";
import { SMALL, STUB } from "./listen_stub.ts";

function connect(port: number): Promise<Deno.TcpConn> {
  return Deno.connect({ hostname: "127.0.0.1", port });
}

/** Whether the other side closes a connection within a time. */
async function isClosed(connection: Deno.Conn, patience = 500): Promise<boolean> {
  const read = connection.read(new Uint8Array(1)).catch(() => null);
  const late = new Promise<number>((resolve) => setTimeout(resolve, patience, -1));
  return await Promise.race([read, late]) === null;
}

Deno.test("listen closes connections over the limit, and accepts others later", async () => {
  const listener = await listen(STUB, { port: 0 });
  const old = [];
  for (let count = 0; count < 100; count++) {
    const client = await keepAliveClient(listener.port);
    equal((await client.send(SMALL)).status, 200);
    old.push(client);
  }
  for (let count = 0; count < 20; count++) {
    const one = await connect(listener.port);
    ok(await isClosed(one, 20_000));
    one.close();
  }
  for (const client of old) equal((await client.send(SMALL)).status, 200);
  old[0]!.close();
  const until = performance.now() + 20_000;
  for (let status = 0; status !== 200;) {
    ok(performance.now() < until, "there is no room");
    const client = await keepAliveClient(listener.port);
    status = await client.send(SMALL).then((reply) => reply.status, () => 0);
    client.close();
  }
  for (const client of old.slice(1)) client.close();
  await listener.close(0);
});

Deno.test("close finishes running requests, and ends after its grace period", async () => {
  let release = () => {};
  const waiting = new Promise<void>((resolve) => release = resolve);
  let reached = () => {};
  const underWay = new Promise<void>((resolve) => reached = resolve);
  const listener = await listen({
    async fetch(request) {
      if (!request.url.endsWith("/wait")) return await STUB.fetch(request);
      reached();
      await waiting;
      return new Response("waited");
    },
  }, { port: 0 });
  const idle = await keepAliveClient(listener.port);
  await idle.send(SMALL);
  const slow = await Promise.all([connect(listener.port), connect(listener.port)]);
  const encoder = new TextEncoder();
  await slow[0].write(
    encoder.encode("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc"),
  );
  await slow[1].write(encoder.encode("GET /large HTTP/1.1\r\nHost: x\r\n\r\n"));
  const one = await connect(listener.port);
  await one.write(encoder.encode("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n"));
  await underWay;

  const started = performance.now();
  const closed = listener.close(2_000);
  await rejects(idle.send(SMALL), /closed|reset|broken/i);
  release();
  const answer = await new Response(one.readable).text();
  ok(/^HTTP\/1\.1 200 OK\r\n[^]*connection: close[^]*waited/i.test(answer), answer);
  await closed;
  const took = performance.now() - started;
  ok(took >= 1_900 && took < 20_000, `${took} ms`);
  await rejects(connect(listener.port), Deno.errors.ConnectionRefused);
  idle.close();
  for (const connection of slow) connection.close();
});

Deno.test("pipelined requests are answered in turn", async () => {
  let count = 0;
  const listener = await listen({
    async fetch(request) {
      // Later requests are answered sooner.
      await new Promise((resolve) => setTimeout(resolve, 100 - 4 * count++));
      const text = request.method === "POST" ? await request.text() : new URL(request.url).search;
      return new Response(text, { headers: { "content-length": String(text.length) } });
    },
  }, { port: 0 });
  const connection = await connect(listener.port);
  const numbers = Array.from({ length: 20 }, (_, n) => `?${n}`);
  const gets = numbers.map((search) => `GET /${search} HTTP/1.1\r\nHost: x\r\n\r\n`);
  const body = "x".repeat(200_000);
  const post = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n`;
  const last = `${post}Connection: close\r\n\r\n${body}`;
  const written = new Blob([...gets, `${post}\r\n${body}`, last]).stream()
    .pipeTo(connection.writable, { preventClose: true });
  const answers = await new Response(connection.readable).text();
  await written;
  const bodies = answers.split("HTTP/1.1 200 OK\r\n").slice(1)
    .map((answer) => answer.slice(answer.indexOf("\r\n\r\n") + 4));
  equal(bodies, [...numbers, body, body]);
  await listener.close(0);
});

Deno.test("a client that sends requests and reads no response is closed", async () => {
  let count = 0;
  const listener = await listen({
    fetch: (request) => {
      count++;
      return STUB.fetch(request);
    },
  }, { port: 0 });
  const connection = await connect(listener.port);
  const flood = new TextEncoder().encode(SMALL.repeat(100_000));
  const sending = async () => {
    for (let at = 0; at < flood.length;) at += await connection.write(flood.subarray(at));
  };
  await sending().catch(() => {});
  await new Response(connection.readable).bytes().catch(() => {});
  ok(count <= 100, `${count} requests`);
  await listener.close(0);
});

Deno.test("listen answers an invalid URL with 400 and a reason, and continues", async () => {
  const service = await createService({ tokens: [TOKEN] });
  const listener = await listen(service, { port: 0 });
  for (const [target, host] of [["/", "a b"], ["/\\x", "x"], ["*", "x"]]) {
    const connection = await connect(listener.port);
    await connection.write(new TextEncoder().encode(
      `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    ));
    const answer = await new Response(connection.readable).text();
    ok(answer.startsWith("HTTP/1.1 400 "), answer);
    ok(answer.includes('"code":"INVALID_REQUEST"'), answer);
  }
  const healthy = await fetch(`http://127.0.0.1:${listener.port}/healthz`);
  equal((await healthy.json()).status, "ok");
  await listener.close();
  await service.close();
});

Deno.test("listen refuses invalid numbers, and gives the reason if a port is not available", async () => {
  for (const port of [-1, 1.5, 65_536, NaN]) {
    await rejects(listen(STUB, { port }), {
      name: "RangeError",
      message: `listen: port: must be a whole number from 0 to 65535; got ${port}`,
    });
  }
  const taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  await rejects(listen(STUB, { port: (taken.addr as Deno.NetAddr).port }), /EADDRINUSE/);
  taken.close();
});
