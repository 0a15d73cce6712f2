import assert from "node:assert/strict";
import { plotSlope } from "../../../lib/chart/slope.ts";
import { drawnSvg, marksOf, textsOf } from "../drawn_svg.ts";
import { frameOf } from "../sample_frames.ts";

const frame = frameOf({
  year: [2026, 2025, 2025, 2026, 2025, 2026],
  chain: ["a", "a", "b", "b", "c", "c"],
  fees: [30, 10, 25, 20, 5, null],
});
const options = { field: "fees", x: "year", by: "chain" };

Deno.test("plotSlope draws each group from the earlier value to the later", async () => {
  const svg = await drawnSvg(plotSlope(frame, options));
  assert.deepEqual(textsOf(svg, "side"), ["2025", "2026"]);
  const ends = marksOf(svg, "line", "path").map((line) =>
    [...line.getAttribute("d")!.matchAll(/,([-\d.]+)/g)].map(([, y]) => Number(y))
  );
  assert.equal(ends.length, 2);
  const [[a25, a26], [b25, b26]] = ends as [[number, number], [number, number]];
  // 10 is at the bottom, 30 at the top, 25 and 20 between.
  const at = (y: number) => Math.round(10 + (20 * (a25 - y)) / (a25 - a26));
  assert.deepEqual([at(a25), at(a26), at(b25), at(b26)], [10, 30, 25, 20]);
  assert.deepEqual(textsOf(svg, "line label").map((text) => text.replace(/\s+/g, " ")).toSorted(), [
    ...["$20 −20% b", "$30 +200% a", "a $10", "b $25"],
  ]);
  assert.match(svg.textContent, /Not drawn, no value: c\./);
});

Deno.test("plotSlope draws equal growth with equal slope on a log scale", async () => {
  const grown = frameOf({
    year: [2025, 2026, 2025, 2026],
    chain: ["a", "a", "b", "b"],
    fees: [1, 4, 5, 20],
  });
  const svg = await drawnSvg(plotSlope(grown, { ...options, scale: "log" }));
  const rises = marksOf(svg, "line", "path").map((line) => {
    const [from, to] = [...line.getAttribute("d")!.matchAll(/,([-\d.]+)/g)].map(([, y]) =>
      Number(y)
    );
    return Math.round(from! - to!);
  });
  assert.equal(rises.length, 2);
  assert.equal(rises[0], rises[1]);
  assert.deepEqual(textsOf(svg, "scale"), ["log scale"]);
  assert.deepEqual(textsOf(await drawnSvg(plotSlope(grown, options)), "scale"), []);
  const wide = frameOf({ ...{ year: [1, 2], chain: ["a", "a"] }, fees: [1, 31] });
  assert.deepEqual(textsOf(await drawnSvg(plotSlope(wide, options)), "scale"), ["log scale"]);
  assert.throws(
    () => plotSlope(grown, { ...options, scale: "sqrt" as "log" }),
    /plotSlope: scale: must be one of auto, linear, log/,
  );
});

Deno.test("plotSlope refuses frames without exactly two sides", () => {
  const three = frameOf({ year: [1, 2, 3], chain: ["a", "a", "a"], fees: [1, 2, 3] });
  assert.throws(() => plotSlope(three, options), {
    name: "RangeError",
    message: "plotSlope: x: must have two values; year has 3",
  });
});
