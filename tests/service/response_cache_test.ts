import { deepStrictEqual as equal } from "node:assert/strict";
import { fixedRepresentation } from "../../lib/service/web/representation.ts";
import { createResponseCache } from "../../lib/service/web/response_cache.ts";

const answer = (size: number) => fixedRepresentation(new Uint8Array(size), "text/plain");

Deno.test("createResponseCache forgets who was asked for longest ago when it is full", () => {
  // Bytes count twice, for their compressed copy, and so do the letters of the key.
  const cache = createResponseCache(410);
  for (const key of ["a", "b", "c", "d"]) cache.set(key, answer(50));
  cache.get("a");
  cache.set("e", answer(50));
  equal(["a", "b", "c", "d", "e"].filter((key) => cache.get(key)), ["a", "c", "d", "e"]);
  cache.set("c", answer(20));
  cache.set("f", answer(20));
  equal(["a", "c", "d", "e", "f"].filter((key) => cache.get(key)), ["a", "c", "d", "e", "f"]);
});

Deno.test("createResponseCache keeps no answer that would push out most others, and no endless key", () => {
  const cache = createResponseCache(400);
  cache.set("big", answer(60));
  equal(cache.get("big"), undefined);
  const large = createResponseCache();
  large.set("k".repeat(5_000), answer(50));
  equal(large.get("k".repeat(5_000)), undefined);
});
