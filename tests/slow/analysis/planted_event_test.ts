import { deepEqual, ok } from "node:assert/strict";
import { connect, counterfactual, timeline } from "../../../mod.ts";

/** The event that lib/service/sample/world.json plants: deposits on Fjörd rise by 40% from 2026-01-05 on. */
const EVENT = "2026-01-05";
const PLANTED = Math.log(1.4);

Deno.test("counterfactual finds the event that the sample plants, and ranks it first of 24", async () => {
  const connection = connect({ onProgress: () => {} });
  const tvl = await timeline({
    metric_ids: ["tvl"],
    group_by: "chains",
    every: "week",
    from: "2025-04-07",
    to: "2026-06-14",
  }, connection);
  for (const method of ["synthetic", "did", "sdid"] as const) {
    const result = counterfactual(tvl, {
      field: "tvl_avg",
      starts: { fjord: EVENT },
      method,
      scale: "log",
    });
    // deno-lint-ignore no-explicit-any -- rows of a frame of unknown columns
    const [first] = result.toRecords() as any[];
    deepEqual([first.p_value, first.fit, first.left_out], [1 / 24, "good", 0], method);
    ok(Math.abs(first.effect / PLANTED - 1) < 0.2, `${method}: ${first.effect}`);
  }
});
