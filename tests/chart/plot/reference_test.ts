import assert from "node:assert/strict";
import { plotComparison } from "../../../lib/chart/comparison.ts";
import { frameOf } from "../sample_frames.ts";

Deno.test("a reference extends the axis of plotComparison, and does not change its type", async () => {
  const frame = frameOf({ protocol: ["a", "b", "c"], fees: [100, 120, 160] });
  const { panels } = await plotComparison(frame, { field: "fees", reference: 1 }).spec;
  assert.equal(panels[0]!.x!.type, "linear");
  assert.ok(Number([...panels[0]!.x!.domain!][0]) <= 1);
});
