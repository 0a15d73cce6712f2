import assert from "node:assert/strict";
import { plotShares } from "../../../lib/chart/shares.ts";
import { drawnSvg, marksOf, textsOf } from "../drawn_svg.ts";
import { frameOf } from "../sample_frames.ts";

const frame = frameOf({ chain_id: ["a", "b", "c", "d"], fees: [20, 70, null, 10] });

Deno.test("plotShares divides a bar into shares, largest first", async () => {
  const svg = await drawnSvg(plotShares(frame, { field: "fees" }));
  const widths = marksOf(svg, "part", "rect").map((part) => Number(part.getAttribute("width")));
  const whole = widths.reduce((sum, width) => sum + width, 0);
  assert.deepEqual(widths.map((width) => Math.round((100 * width) / whole)), [70, 20, 10]);
  assert.deepEqual(textsOf(svg, "share"), ["b 70%", "a 20%", "d 10%"]);
  assert.deepEqual(textsOf(svg, "legend"), []);
  assert.match(svg.textContent, /Without a value: 1 of 4\./);
});

Deno.test("plotShares draws an enlarged copy of small parts whose labels do not fit", async () => {
  const small = frameOf({ chain_id: ["a", "b", "c", "d"], fees: [960, 30, 9, 1] });
  const svg = await drawnSvg(plotShares(small, { field: "fees" }));
  const placesOf = (group: string) =>
    marksOf(svg, group, "rect").map((part) =>
      ["x", "width", "y"].map((name) => Number(part.getAttribute(name)))
    );
  const whole = placesOf("part").toSorted((a, b) => a[0]! - b[0]!);
  assert.deepEqual(whole.map(([, width]) => Math.round(width! / 760 * 1000)), [960, 30, 9, 1]);
  const enlarged = placesOf("enlarged part");
  assert.deepEqual(enlarged.map(([, width]) => Math.round(width! / 760 * 1000)), [750, 225, 25]);
  assert.ok(enlarged.every(([, , y]) => y! > whole[0]![2]! + 54));
  assert.match(svg.textContent, /the other 4\.0%, enlarged 25 times/);
  // Each has its name once: the one that has no room there on a line below, with a line to it.
  assert.deepEqual(textsOf(svg, "share").toSorted(), ["a 96.0%", "b 3.0%", "c 0.9%", "d 0.1%"]);
  assert.equal(marksOf(svg, "leader", "path").length, 1);
  assert.deepEqual(textsOf(svg, "legend"), []);
});

Deno.test("plotShares names parts in the legend whose labels do not fit", async () => {
  const ids = Array.from({ length: 8 }, (_, index) => `a chain with a long name ${index}`);
  const svg = await drawnSvg(
    plotShares(frameOf({ chain_id: ids, fees: ids.map(() => 1) }), { field: "fees" }),
  );
  assert.deepEqual(textsOf(svg, "share"), []);
  assert.deepEqual(textsOf(svg, "legend"), ids.map((id) => `${id} 12.5%`));
  const few = frameOf({ chain_id: ["a", "b", ...ids.slice(0, 2)], fees: [50, 40, 5, 5] });
  assert.deepEqual(
    textsOf(await drawnSvg(plotShares(few, { field: "fees", width: 400 })), "share"),
    [
      ...["a 50%", "b 40%", "a chain with a long name 0 5%", "a chain with a long name 1 5%"],
    ],
  );
});

Deno.test("plotShares sums the smallest parts, and draws them last and gray", async () => {
  const svg = await drawnSvg(plotShares(frame, { field: "fees", limit: 2 }));
  assert.deepEqual(textsOf(svg, "share"), ["b 70%", "other (2) 30%"]);
  assert.equal(marksOf(svg, "part", "rect")[1]!.getAttribute("fill"), "#8b949e");
});

Deno.test("plotShares draws the Lorenz curve, and states the Gini coefficient", async () => {
  const five = frameOf({ chain_id: ["a", "b", "c", "d", "e"], fees: [1, 2, 3, 4, 5] });
  const chart = plotShares(five, { field: "fees", as: "lorenz" });
  const svg = await drawnSvg(chart);
  // 4/15, as concentration has it.
  assert.match(svg.textContent, /5 chains; Gini coefficient 0\.27/);
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

Deno.test("plotShares counts the parts of the Lorenz curve whose labels do not fit", async () => {
  const ids = Array.from({ length: 40 }, (_, index) => `c${index}`);
  const parts = frameOf({ chain_id: ids, fees: ids.map((_, index) => index === 0 ? 961 : 1) });
  const svg = await drawnSvg(plotShares(parts, { field: "fees", as: "lorenz" }));
  const names = textsOf(svg, "line label");
  assert.equal(names[0], "c0 96.1%");
  const more = names.filter((name) => /more/.test(name));
  assert.equal(more.length, 1);
  const [, count, share] = /^(\d+) more ([\d.]+)%$/.exec(more[0]!)!.map(Number);
  assert.equal(count! + names.length - 1, 40);
  assert.ok(Math.abs(count! / 10 - share!) < 0.051);
});

Deno.test("plotShares refuses negative parts, and states that a sum is zero", async () => {
  assert.throws(() => plotShares(frameOf({ chain_id: ["a"], net: [-1] }), { field: "net" }), {
    name: "RangeError",
    message: "plotShares: field: parts of a whole must not be below zero; got -1",
  });
  const zero = plotShares(frameOf({ chain_id: ["a"], fees: [0] }), { field: "fees" });
  assert.match(await zero.svg(), /No data: the sum is zero/);
});
