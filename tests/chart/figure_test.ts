import assert from "node:assert/strict";
import { colorOf, colors, setColors } from "../../lib/chart/color_registry.ts";
import { plotComparison } from "../../lib/chart/comparison.ts";
import { figure } from "../../lib/chart/figure.ts";
import { plotRetention } from "../../lib/chart/retention.ts";
import { plotScatter } from "../../lib/chart/scatter.ts";
import { drawnSvg, marksOf } from "./drawn_svg.ts";
import { asSample, comparisonSample, frameOf } from "./sample_frames.ts";

const [FEES, USERS] = ["ecosystem_fees_30d_sum", "active_users_daily_latest"];

function page(options = {}) {
  const chains = comparisonSample();
  return figure([
    plotScatter(chains, { x: USERS, y: FEES, highlight: ["alder"] }),
    plotComparison(chains, { field: FEES }),
    plotComparison(chains, { field: FEES, highlight: ["alder"] }),
  ], options);
}

Deno.test("figure gives each chart a letter, and lists each source once", async () => {
  const { parts, caption, columns } = await page({ caption: "Own words." }).spec;
  assert.deepEqual(parts!.map(({ title }) => title.slice(0, 3)), ["a  ", "b  ", "c  "]);
  assert.equal(columns, 2);
  assert.equal(caption[0], "Own words.");
  assert.equal(caption.filter((line) => /Source/.test(line)).length, 1);
  assert.match(caption[1]!, /^a Not drawn, no value: Fathom\. b /);
});

Deno.test("figure draws an id in the color that the registry has for it, in all charts", async () => {
  setColors({ chain_id: { basalt: 4 } });
  const svg = await drawnSvg(page());
  const [first] = marksOf(svg, "value", "circle").filter((dot) =>
    dot.getAttribute("fill") === colorOf("alder")
  );
  const bars = marksOf(svg, "bar", "rect").map((bar) => bar.getAttribute("fill"));
  assert.ok(first !== undefined && bars.includes(colorOf("alder")));
  assert.deepEqual(colors(), { chain_id: { basalt: 4, alder: 2 } });
});

Deno.test("figure merges sources that differ only in the operation", async () => {
  const other = asSample(frameOf({ group: ["a", "b"], x: [1, 2] }), "project");
  const { caption } = await figure([
    plotComparison(other, { field: "x", label: "group" }),
    plotComparison(comparisonSample(), { field: FEES }),
  ]).spec;
  assert.match(caption.at(-1)!, /Source: project, blockchain comparison, retrieved 31 Mar 2026\.$/);
});

Deno.test("figure gives the charts of a row equal plot areas", async () => {
  const chains = comparisonSample();
  const month = frameOf({ month: [1, 2, 3], size: [9, 9, 9], retention: [0.5, 0.4, 0.3] });
  const charts = [
    plotRetention(month),
    plotScatter(chains, { x: USERS, y: FEES }),
    plotComparison(chains, { field: FEES }),
    plotComparison(chains.limit(2), { field: FEES, height: 300 }),
  ];
  const { parts } = await figure(charts).spec;
  const areas = parts!.map(({ panels: [panel] }) =>
    panel!.height! - panel!.marginTop! - panel!.marginBottom!
  );
  assert.deepEqual([areas[0], areas[2]], [areas[1], areas[3]]);
});

Deno.test("figure wraps the texts of its charts, and cuts none", async () => {
  const frame = comparisonSample();
  const [title, subtitle] = ["title", "subtitle"].map((word) => `${`${word} `.repeat(40)}end`);
  const chart = plotComparison(frame, { field: FEES, title: title!, subtitle: subtitle! });
  const svg = await drawnSvg(figure([chart], { width: 336 }));
  const words = [...svg.querySelectorAll("text")].flatMap(({ textContent }) =>
    textContent.split(" ")
  );
  for (const word of ["title", "subtitle"]) {
    assert.equal(words.filter((each) => each === word).length, 40);
  }
});

Deno.test("figure has one column where it is narrow, and its page narrower drawings", async () => {
  assert.equal((await page({ width: 336 }).spec).columns, 1);
  const html = await page({ width: 692 }).html();
  const widths = [...html.matchAll(/<div class="w(\d+)">/g)].map(([, width]) => Number(width));
  assert.deepEqual(widths, [692, 560, 360]);
});
