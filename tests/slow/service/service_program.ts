/**
 * A program: serves a file of data, or the sample, and prints the memory of the process after garbage collection for each line
 * of stdin. Run it with `--v8-flags=--expose-gc`.
 */
import { createService, listen } from "../../../lib/service/mod.ts";
import { TOKEN } from "../../service/call_service.ts";

const { gc } = globalThis as unknown as { gc: (how: Record<string, string>) => void };

async function memory(): Promise<string> {
  for (let round = 0; round < 4; round++) {
    gc({ type: "major", execution: "sync", flavor: "last-resort" });
    // Memory released by a finalizer is returned a little later.
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return JSON.stringify(Deno.memoryUsage());
}

const service = await createService({
  tokens: [TOKEN],
  ...Deno.args[0] === undefined ? {} : { data: Deno.args[0] },
  onError: console.error,
});
const listener = await listen(service, { port: 0, onError: console.error });
console.log(listener.port);
for await (const _ of Deno.stdin.readable) console.log(await memory());
await listener.close();
await service.close();
