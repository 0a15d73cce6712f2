import { deepStrictEqual as equal } from "node:assert/strict";
import { createResponseCache } from "../../lib/service/web/cached.ts";

const response = (size: number) => ({ bytes: new Uint8Array(size), headers: {}, rows: null });

Deno.test("createResponseCache drops the response that was used longest ago when it is full", () => {
  // The letters of a key count as two bytes.
  const cache = createResponseCache(208);
  for (const key of ["a", "b", "c", "d"]) cache.set(key, response(50));
  cache.get("a");
  cache.set("e", response(50));
  equal(["a", "b", "c", "d", "e"].filter((key) => cache.get(key)), ["a", "c", "d", "e"]);
  cache.set("c", response(20));
  cache.set("f", response(20));
  equal(["a", "c", "d", "e", "f"].filter((key) => cache.get(key)), ["a", "c", "d", "e", "f"]);
});

Deno.test("createResponseCache stores no response that would displace most others", () => {
  const cache = createResponseCache(400);
  cache.set("big", response(99));
  equal(cache.get("big"), undefined);
});
