import { deepEqual, equal } from "node:assert/strict";
import { covered } from "../../../lib/chart/drawing/covered.ts";
import { placeInside } from "../../../lib/chart/drawing/end_labels.ts";

const plane = { xOf: (x: number) => x, yOf: (y: number) => y };
const line = (...points: readonly (readonly [x: number, y: number | null])[]) => ({
  id: "other",
  label: "other",
  color: "#000000",
  highlighted: true,
  points: points.map(([x, y]) => ({ x, y, complete: true })),
});

Deno.test("a text covers segments between its ends, also peaks, and none in a gap", () => {
  const box = { left: 100, right: 200, at: 50 };
  const counts = [
    line([0, 50], [300, 50]),
    line([0, 20], [300, 20]),
    line([0, 300], [120, 300], [130, 50], [140, 300], [300, 300]),
    line([0, 50], [90, 50], [150, null], [210, 50], [300, 50]),
    line([0, 0], [300, 100]),
  ].map((one) => covered(box, [one], plane));
  deepEqual(counts, [1, 0, 2, 0, 1]);
});

Deno.test("the name of a line that ends early is moved away from other lines, or loses its value", () => {
  const end = { label: "Lido", value: "$1", ended: "ended Sep", x: 100, y: 50, color: "#000000" };
  const placed = (lines: ReturnType<typeof line>[]) =>
    placeInside([end], { right: 700, taken: [], lines, plane })
      .map(({ at, value }) => [at, value])[0];
  deepEqual(placed([]), [50, "ended Sep, $1"]);
  deepEqual(placed([line([0, 56], [700, 56])]), [38, "ended Sep, $1"]);
  deepEqual(placed([line([0, 44], [700, 44])]), [62, "ended Sep, $1"]);
  // A line across all of the text, behind the name.
  equal(placed([line([150, 0], [160, 100])])![1], "");
});
