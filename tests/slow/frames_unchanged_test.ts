import { deepStrictEqual } from "node:assert/strict";
import { changing } from "../unchanged_frames.ts";

Deno.test("no function changes the frame that it reads, or what another call returns for it, with any option", async () => {
  deepStrictEqual(await changing((all) => all), []);
});
