import assert from "node:assert/strict";
import { plotComparison } from "../../lib/chart/comparison.ts";
import { figure } from "../../lib/chart/figure.ts";
import { plotScatter } from "../../lib/chart/scatter.ts";
import { plotShares } from "../../lib/chart/shares.ts";
import { drawnSvg, marksOf } from "./drawn_svg.ts";
import { asSample, comparisonSample, frameOf } from "./sample_frames.ts";

const [FEES, USERS] = ["ecosystem_fees_30d_sum", "active_users_daily_latest"];

function page(options = {}) {
  const chains = comparisonSample();
  return figure([
    plotScatter(chains, { x: USERS, y: FEES, highlight: ["alder"] }),
    plotShares(chains, { field: FEES }),
    plotComparison(chains, { field: FEES }),
  ], options);
}

Deno.test("figure gives each chart a letter, and lists each source once", async () => {
  const { parts, caption, columns } = await page({ caption: "Own words." }).spec;
  assert.deepEqual(parts!.map(({ title }) => title.slice(0, 3)), ["a  ", "b  ", "c  "]);
  assert.equal(columns, 2);
  assert.equal(caption[0], "Own words.");
  assert.equal(caption.filter((line) => /Source/.test(line)).length, 1);
  assert.match(caption[1]!, /^a Without both values: 1 of 6\. b /);
});

Deno.test("figure draws an id in one color in all charts, also two figures at once", async () => {
  const [one, two] = [page(), page()];
  const [svg, again] = await Promise.all([one.svg(), two.svg()]);
  assert.equal(svg, again);
  const drawn = await drawnSvg(one);
  const alder = marksOf(drawn, "value", "circle").map((dot) => dot.getAttribute("fill"));
  const part = marksOf(drawn, "part", "rect").map((rect) => rect.getAttribute("fill"));
  assert.ok(part.some((fill) => alder.includes(fill)), `${part} ${alder}`);
});

Deno.test("figure merges sources, and gives ids of one chart different colors beside many others", async () => {
  const names = Array.from({ length: 12 }, (_, at) => `group ${at}`);
  const other = asSample(frameOf({ group: names, x: names.map((_, at) => at + 1) }), "project");
  const chains = comparisonSample();
  const many = figure([
    plotShares(other, { field: "x", label: "group" }),
    plotShares(chains, { field: FEES }),
  ]);
  const { caption, parts } = await many.spec;
  assert.match(caption.at(-1)!, /Source: project, blockchain comparison, retrieved 31 Mar 2026\.$/);
  const legends = parts!.map(({ legend }) => legend.map(({ color }) => color));
  for (const colors of legends) assert.equal(new Set(colors).size, colors.length);
  const fills = marksOf(await drawnSvg(many), "part", "rect").map((part) =>
    part.getAttribute("fill")
  );
  const chain = fills.slice(-5);
  assert.equal(new Set(chain).size, 5, chain.join(" "));
});

Deno.test("figure has one column where it is narrow, and its page narrower drawings", async () => {
  assert.equal((await page({ width: 336 }).spec).columns, 1);
  const html = await page({ width: 692 }).html();
  const widths = [...html.matchAll(/<div class="w(\d+)">/g)].map(([, width]) => Number(width));
  assert.deepEqual(widths, [692, 560, 360]);
});
