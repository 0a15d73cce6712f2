import { equal, match } from "node:assert/strict";

const path = new URL("../../lib/platform/node.ts", import.meta.url).href;

/** Imports the check in a worker whose globals are those of a version of Node.js. */
async function checkIn(node: string): Promise<string> {
  const code = `const { process } = globalThis; delete globalThis.Deno;
    Object.defineProperty(globalThis, "process", { value: { versions: { node: "${node}" } } });
    import("${path}").then(() => postMessage("ok"), (error) => postMessage(error.message));`;
  const worker = new Worker(`data:text/javascript,${encodeURIComponent(code)}`, { type: "module" });
  const { data } = await new Promise<MessageEvent>((resolve) => worker.onmessage = resolve);
  worker.terminate();
  return data;
}

Deno.test("older versions of Node.js are refused with both versions", async () => {
  for (const version of ["22.15.0", "22.16.1", "23.0.0", "24.1.0"]) {
    equal(await checkIn(version), "ok", version);
  }
  for (const version of ["22.14.9", "21.20.0", "9.0.0"]) {
    match(await checkIn(version), /^chainframe needs Node\.js 22\.15 or newer, or Deno; this is /);
  }
});
