import assert from "node:assert/strict";
import { groupLabels } from "../../../lib/chart/rows.ts";
import { frameOf } from "../sample_frames.ts";

const COLUMNS = ["name", "id", "cohort"];

Deno.test("groupLabels uses as few columns as tell the groups apart", () => {
  const frame = frameOf({ name: ["A", "A", "B"], id: ["a", "a", "b"], cohort: ["1", "1", "1"] });
  assert.deepEqual(groupLabels(frame, COLUMNS, "all"), ["A", "A", "B"]);
});

Deno.test("groupLabels adds the id where two entities share a name", () => {
  const frame = frameOf({ name: ["A", "A", "B"], id: ["a", "x", "b"] });
  assert.deepEqual(groupLabels(frame, COLUMNS, "all"), ["A · a", "A · x", "B · b"]);
});

Deno.test("groupLabels of one group is its name, or the word for all", () => {
  assert.deepEqual(groupLabels(frameOf({ name: ["A", "A"] }), COLUMNS, "all"), ["A", "A"]);
  assert.deepEqual(groupLabels(frameOf({ month: [1, 2] }), COLUMNS, "all"), ["all", "all"]);
});

Deno.test("groupLabels says where there is no name", () => {
  assert.deepEqual(groupLabels(frameOf({ name: ["A", null] }), COLUMNS, "all"), ["A", "unnamed"]);
});
