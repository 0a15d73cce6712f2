import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { soak } from "./soak.ts";

Deno.test({
  name:
    "a short soak: no request of a good client fails while data is swapped and 50 clients are slow",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const { failures, requests, wrong, refused, swaps, versions, code } = await soak(8, 2);
    equal([failures, wrong, code], [[], 0, 0]);
    ok(refused > 20, `${refused} bad requests`);
    ok(requests > 200, `${requests} requests`);
    ok(swaps >= 2 && versions === 2, `${swaps} swaps, ${versions} versions`);
  },
});
