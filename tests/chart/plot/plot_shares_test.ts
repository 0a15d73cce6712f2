import assert from "node:assert/strict";
import { concentration } from "../../../lib/analysis/concentration.ts";
import { plotShares } from "../../../lib/chart/shares.ts";
import { drawnSvg, marksOf, textsOf } from "../drawn_svg.ts";
import { frameOf } from "../sample_frames.ts";

const frame = frameOf({ chain_id: ["a", "b", "c", "d"], fees: [20, 70, null, 10] });

Deno.test("plotShares draws a bar with value and share for each part, largest first", async () => {
  const svg = await drawnSvg(plotShares(frame, { field: "fees", unit: "usd" }));
  const widths = marksOf(svg, "bar", "rect").map((bar) => Number(bar.getAttribute("width")));
  assert.deepEqual(widths.map((width) => Math.round((70 * width) / widths[0]!)), [70, 20, 10]);
  assert.deepEqual(textsOf(svg, "value"), ["$70 · 70%", "$20 · 20%", "$10 · 10%"]);
  assert.deepEqual(textsOf(svg, "y-axis tick label"), ["b", "a", "d"]);
  assert.match(svg.textContent, /Not drawn, no value: /);
  const few = await drawnSvg(plotShares(frame, { field: "fees", limit: 1 }));
  assert.deepEqual(textsOf(few, "y-axis tick label"), ["b", "other (2)"]);
});

Deno.test("plotShares states the Gini coefficient that concentration returns", async () => {
  const five = frameOf({ chain_id: ["a", "b", "c", "d", "e"], fees: [1, 2, 3, 4, 5] });
  const gini = concentration(five, { field: "fees" }).getColumn("gini").get(0) as number;
  const { subtitle } = await plotShares(five, { field: "fees" }).spec;
  assert.equal(subtitle, `Gini coefficient ${gini.toFixed(2)}`);
});

Deno.test("plotShares refuses negative parts, and states that a sum is zero", async () => {
  assert.throws(() => plotShares(frameOf({ chain_id: ["a"], net: [-1] }), { field: "net" }), {
    name: "RangeError",
    message: "plotShares: field: parts of a whole must not be below zero; got -1",
  });
  const zero = plotShares(frameOf({ chain_id: ["a"], fees: [0] }), { field: "fees" });
  assert.match(await zero.svg(), /No data: the sum is zero/);
});
