import { equal } from "node:assert/strict";
import { comparedRandom } from "../../analysis/retention/compared_results.ts";
import { FAST_SEEDS, FRAMES } from "../../analysis/retention/kept_results.ts";
import { comparedSeries } from "../../analysis/series/compared_results.ts";
import * as series from "../../analysis/series/kept_results.ts";

Deno.test("series analyses give the results of version 0.4.0 for 30 more random frames", () =>
  comparedSeries(series.FAST_FRAMES, series.FRAMES));

Deno.test("retention functions give the results of 0.4.0 on more random cohorts", async () => {
  const seeds = Array.from({ length: FRAMES }, (_, seed) => seed)
    .filter((seed) => !FAST_SEEDS.includes(seed));
  equal(seeds.length, 32);
  await comparedRandom(seeds);
});
