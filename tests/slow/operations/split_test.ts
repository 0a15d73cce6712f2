import { ok } from "node:assert/strict";
import { splitAsUnsplit } from "../../operations/split_as_unsplit.ts";

Deno.test("split and unsplit give the same frame, for 150 random cases", async () => {
  const most = await splitAsUnsplit({ seed: 4, numRuns: 150 });
  ok(most > 20, `the most parts were ${most}`);
});
