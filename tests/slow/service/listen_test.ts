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
