import assert from "node:assert/strict";
import { backoff } from "../../lib/http/retry.ts";

Deno.test("backoff doubles its bound from 500 ms to 8 s", () => {
  assert.deepEqual([1, 2, 3, 4, 5, 6, 50].map((attempts) => backoff(attempts, 1)), [
    500,
    1_000,
    2_000,
    4_000,
    8_000,
    8_000,
    8_000,
  ]);
});

Deno.test("backoff returns any wait up to the bound", () => {
  assert.deepEqual([0, 0.25, 0.5, 1].map((random) => backoff(3, random)), [0, 500, 1_000, 2_000]);
});
