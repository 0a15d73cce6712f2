import assert from "node:assert/strict";
import { shareSteps, stepOf } from "../../lib/chart/drawing/color_steps.ts";

Deno.test("shareSteps have a round width, and end at 1 at most", () => {
  const labels = (highest: number) => shareSteps([0, highest]).map(({ label }) => label);
  assert.deepEqual(labels(0.38), [
    ...["0–5%", "5–10%", "10–15%", "15–20%", "20–25%", "25–30%", "30–35%", "35% or more"],
  ]);
  assert.equal(labels(0.87).at(-1), "70% or more");
  assert.equal(labels(1).at(-1), "70% or more");
  assert.deepEqual(shareSteps([0.31, 0.38]).map(({ from }) => Math.round(from * 100)), [
    ...[31, 32, 33, 34, 35, 36, 37, 38],
  ]);
  assert.equal(labels(1.5).at(-1), "140% or more");
  assert.equal(labels(0.004)[0], "0–0.1%");
});

Deno.test("stepOf puts a share on a boundary into the step that begins there", () => {
  const steps = shareSteps([0, 0.8]);
  assert.equal(stepOf(steps, 0.3).label, "30–40%");
  assert.equal(stepOf(steps, 0.1 + 0.2).label, "30–40%");
  assert.equal(stepOf(steps, 0.29999999999999993).label, "30–40%");
  assert.equal(stepOf(steps, 0).label, "0–10%");
  assert.equal(stepOf(steps, 1).label, "70% or more");
  assert.equal(stepOf(steps, -1).label, "0–10%");
});
