import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { keepAliveClient } from "../../service/keep_alive_client.ts";
import { scriptCommand } from "../../service/run_script.ts";

const LIMIT = 256;
const HEALTH = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

/** serve.ts in a process that may open few files, with what it tells. */
function serveWithFewFiles(args: readonly string[]) {
  const child = scriptCommand("serve", ["--port", "0", "--quiet", ...args], {
    permissions: ["--allow-net=127.0.0.1"],
    openFiles: LIMIT,
  }).spawn();
  void child.stdout.cancel();
  const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let told = "";
  const reading = (async () => {
    for (let read = await reader.read(); !read.done; read = await reader.read()) told += read.value;
  })();
  return {
    child,
    told: () => told,
    async port(): Promise<number> {
      const until = performance.now() + 60_000;
      while (!told.includes("/reference)")) {
        ok(performance.now() < until, `it does not listen: ${told}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return Number(told.match(/:(\d+)\//)![1]);
    },
    async ended(): Promise<number> {
      const { code } = await child.status;
      await reading;
      return code;
    },
  };
}

Deno.test("serve.ts survives more connections than it may open files, and answers existing ones", async () => {
  const server = serveWithFewFiles([]);
  const port = await server.port();
  const old = await keepAliveClient(port);
  equal((await old.send(HEALTH)).status, 200);
  for (let round = 0; round < 3; round++) {
    const many: Deno.Conn[] = [];
    for (let count = 0; count < LIMIT + 64; count++) {
      many.push(await Deno.connect({ hostname: "127.0.0.1", port }));
    }
    equal((await old.send(HEALTH)).status, 200);
    for (const connection of many) connection.close();
  }
  const until = performance.now() + 30_000;
  let status = 0;
  while (status !== 200) {
    ok(performance.now() < until, "a new connection is not answered");
    const client = await keepAliveClient(port);
    status = await client.send(HEALTH).then((reply) => reply.status, () => 0);
    client.close();
  }
  old.close();
  server.child.kill("SIGTERM");
  equal(await server.ended(), 0);
});
