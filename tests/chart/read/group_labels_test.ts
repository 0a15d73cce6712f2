import assert from "node:assert/strict";
import { groupLabels } from "../../../lib/chart/read/rows.ts";
import { frameOf } from "../sample_frames.ts";

const COLUMNS = ["name", "id", "cohort"];

Deno.test("groupLabels uses as few columns as needed", () => {
  const frame = frameOf({ name: ["A", "A", "B"], id: ["a", "a", "b"], cohort: ["1", "1", "1"] });
  assert.deepEqual(groupLabels(frame, COLUMNS, "all"), ["A", "A", "B"]);
});

Deno.test("groupLabels adds the id if two entities share a name", () => {
  const frame = frameOf({ name: ["A", "A", "B"], id: ["a", "x", "b"] });
  assert.deepEqual(groupLabels(frame, COLUMNS, "all"), ["A · a", "A · x", "B · b"]);
});

Deno.test("groupLabels of one group returns its name, or the word for all", () => {
  assert.deepEqual(groupLabels(frameOf({ name: ["A", "A"] }), COLUMNS, "all"), ["A", "A"]);
  assert.deepEqual(groupLabels(frameOf({ month: [1, 2] }), COLUMNS, "all"), ["all", "all"]);
});

Deno.test("groupLabels writes unnamed for a missing name", () => {
  assert.deepEqual(groupLabels(frameOf({ name: ["A", null] }), COLUMNS, "all"), ["A", "unnamed"]);
});
