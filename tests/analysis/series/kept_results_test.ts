import { comparedSeries } from "./compared_results.ts";
import { FAST_FRAMES } from "./kept_results.ts";

Deno.test("series analyses give the results of version 0.4.0 for 10 random frames", () =>
  comparedSeries(0, FAST_FRAMES));
