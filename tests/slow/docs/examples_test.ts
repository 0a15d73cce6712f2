import { ok } from "node:assert/strict";
import { BLOCKS } from "../../docs/blocks.ts";
import { isSlow, runExamples } from "../../docs/run_examples.ts";

Deno.test("examples of doc comments, and those that build the facts of the sample, run in a folder made by init.ts", async () => {
  const slow = BLOCKS.filter(isSlow);
  ok(slow.length > 70, `${slow.length} examples`);
  await runExamples(slow);
});
