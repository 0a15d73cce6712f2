import { deepStrictEqual } from "node:assert/strict";
import { differing, FNS } from "../other_names.ts";

Deno.test("names of columns change no number, title, subtitle or caption, with any option", async () => {
  deepStrictEqual(await differing(FNS, (all) => all), []);
});
