import { ok } from "node:assert/strict";
import { loopOf } from "../../bench/frames.ts";

Deno.test("a long loop of analyses has neither long rounds nor much memory", async () => {
  const { longest, peak } = await loopOf(500);
  ok(longest < 250, `the longest round took ${longest} ms`);
  // The engine is asked to collect after 500 frames: 375 MB on an idle machine, 410 MB on a busy one.
  ok(peak < 450, `${peak} MB`);
});

Deno.test("frames are made where the address space of the process is limited", async () => {
  const mod = new URL("../../../mod.ts", import.meta.url).href;
  // Deno itself needs 30 to 40 GB of address space. Without a bound, the frames would need 48 GB more.
  const code = `import { pl, blockchainComparison } from "${mod}";
    const chains = (await blockchainComparison()).head(3);
    const frames = Array.from({ length: 3_000 }, () => chains.slice(0, 3));
    console.log(frames.length, frames.at(-1).height);`;
  const { stdout, stderr } = await new Deno.Command("sh", {
    args: ["-c", `ulimit -v 60000000 && exec "$0" eval "$1"`, Deno.execPath(), code],
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  ok(decoder.decode(stdout) === "3000 3\n", decoder.decode(stderr));
});
