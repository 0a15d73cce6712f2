import assert from "node:assert/strict";
import { plotShares } from "../../../lib/chart/shares.ts";
import { drawnSvg, marksOf, textsOf } from "../drawn_svg.ts";
import { frameOf } from "../sample_frames.ts";

const frame = frameOf({ chain_id: ["a", "b", "c", "d"], fees: [20, 70, null, 10] });

Deno.test("plotShares cuts a bar into the shares, the largest first", async () => {
  const svg = await drawnSvg(plotShares(frame, { value: "fees" }));
  const widths = marksOf(svg, "part", "rect").map((part) => Number(part.getAttribute("width")));
  const whole = widths.reduce((sum, width) => sum + width, 0);
  assert.deepEqual(widths.map((width) => Math.round((100 * width) / whole)), [70, 20, 10]);
  assert.deepEqual(textsOf(svg, "share"), ["b 70%", "a 20%", "d 10%"]);
  assert.deepEqual(textsOf(svg, "legend"), []);
  assert.match(svg.textContent, /Without a value, and so without a part: 1 of 4 rows\./);
});

Deno.test("plotShares names in the legend what has no room over its part", async () => {
  const small = frameOf({ chain_id: ["a", "b", "c"], fees: [96, 3, 1] });
  const svg = await drawnSvg(plotShares(small, { value: "fees" }));
  assert.deepEqual(textsOf(svg, "share"), ["a 96%"]);
  assert.deepEqual(textsOf(svg, "legend"), ["b 3%", "c 1%"]);
});

Deno.test("plotShares puts the smallest together, and draws them last and grey", async () => {
  const svg = await drawnSvg(plotShares(frame, { value: "fees", limit: 2 }));
  assert.deepEqual(textsOf(svg, "share"), ["b 70%", "other (2) 30%"]);
  assert.equal(marksOf(svg, "part", "rect")[1]!.getAttribute("fill"), "#8b949e");
});

Deno.test("plotShares draws the curve of Lorenz, and says Gini's coefficient", async () => {
  const five = frameOf({ chain_id: ["a", "b", "c", "d", "e"], fees: [1, 2, 3, 4, 5] });
  const chart = plotShares(five, { value: "fees", kind: "lorenz" });
  const svg = await drawnSvg(chart);
  // 4/15, as concentration has it.
  assert.match(svg.textContent, /5 groups; Gini coefficient 0\.27/);
  assert.deepEqual(textsOf(svg, "gini"), ["Gini 0.27"]);
  // The column beside it is the whole in its parts, the largest on top.
  const column = marksOf(svg, "part", "rect").map((part) => Number(part.getAttribute("height")));
  assert.ok(Math.abs(column[0]! / column[4]! - 5) < 0.01);
  assert.equal(textsOf(svg, "line label")[0], "e 33.3%");
  const points = marksOf(svg, "value", "circle").map((dot) => Number(dot.getAttribute("cy")));
  const [bottom] = marksOf(svg, "lorenz", "path").map((line) =>
    Number(/M[-\d.]+,([-\d.]+)/.exec(line.getAttribute("d")!)![1])
  );
  const shares = points.map((y) => Math.round((15 * (bottom! - y)) / (bottom! - points.at(-1)!)));
  assert.deepEqual(shares, [1, 3, 6, 10, 15]);
});

Deno.test("plotShares refuses parts below zero, and says that there is no whole", async () => {
  assert.throws(() => plotShares(frameOf({ chain_id: ["a"], net: [-1] }), { value: "net" }), {
    name: "RangeError",
    message: "plotShares: value: parts of a whole cannot be below zero: -1",
  });
  const zero = plotShares(frameOf({ chain_id: ["a"], fees: [0] }), { value: "fees" });
  assert.match(await zero.svg(), /No data: the sum is zero/);
});
