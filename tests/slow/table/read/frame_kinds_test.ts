import { equal } from "node:assert/strict";
import { ownKinds, servedKinds } from "../../../table/read/frame_kinds.ts";
import { checkOrders } from "../../../table/read/frame_orders.ts";

Deno.test("all 94 frames are read alike with their rows and columns in four other orders", async () => {
  const kinds = [...ownKinds(), ...await servedKinds()];
  equal(kinds.length, 94);
  for (const kind of kinds) {
    for (let seed = 1; seed <= 4; seed++) {
      for (const series of [false, true]) checkOrders(kind, series, seed);
    }
  }
});
