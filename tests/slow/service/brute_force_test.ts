import { deepStrictEqual as equal } from "node:assert/strict";
import { agreesWithLoops } from "../../service/agrees_with_loops.ts";
import { PROXY_AVAILABLE, startValidatingProxy, type ValidatingProxy } from "./validating_proxy.ts";

Deno.test("the service agrees with loops over 12 worlds of random facts, and with its openapi.json", async () => {
  // Started with the first service, which gives the document, and stopped however the test ends.
  await using started = new AsyncDisposableStack();
  let proxy: ValidatingProxy | undefined;
  await agreesWithLoops(12, async (sent, { fetch }) => {
    if (!PROXY_AVAILABLE) return;
    proxy ??= started.use(await startValidatingProxy(fetch));
    equal(await proxy.agreesOn(sent, fetch), 60);
  });
});
