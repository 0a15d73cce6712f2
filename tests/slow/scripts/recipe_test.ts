import { ok } from "node:assert/strict";
import { compareCalls } from "../../scripts/recipe_calls.ts";

Deno.test("each function with each of its options is equal after frame, recipe, JSON and run", async () => {
  ok(await compareCalls({ charts: true, calls: Infinity }) > 120);
});
