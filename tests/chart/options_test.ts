import assert from "node:assert/strict";
import * as chainframe from "../../mod.ts";
import { plotComparison } from "../../lib/chart/comparison.ts";
import { plotRetention } from "../../lib/chart/retention.ts";
import { drawPlot } from "../../lib/chart/own_spec.ts";
import { Plot } from "../../lib/chart/drawing/observable_plot.ts";
import { asSample, comparisonSample, frameOf, pooledSample } from "./sample_frames.ts";
import { drawnSvg, marksOf, textsOf } from "./drawn_svg.ts";

const chains = comparisonSample();

Deno.test("charts refuse unknown options and invalid values", () => {
  const wrong: [object, RegExp][] = [
    [{ tittle: "x" }, /tittle: did you mean title\?/],
    [{ theme: "sepia" }, /theme: must be one of auto, light, dark/],
    [{ locale: "no such language" }, /locale: must be a language of Intl/],
    [{ colors: { alder: "red" } }, /colors: must be colors, each as "#rrggbb"/],
    [{ highlight: "alder" }, /highlight: must be a list/],
    [
      { highlight: ["alder", "solana"] },
      /plotComparison: highlight: must name groups that are drawn; got "solana"\. Drawn: alder, /,
    ],
    [{ highlight: ["aldr"] }, /must name groups that are drawn \(nearest: alder\); got "aldr"/],
    [{ highlight: ["fathom"], limit: 2 }, /highlight: must name groups .* Drawn: alder, basalt$/],
    [{ limit: 0 }, /limit: must be a whole number/],
    [{ height: 20 }, /height: must be a number of pixels from 120 to 4000/],
    [{ source: "chains" }, /source: must be a DataFrame/],
    [{ from: "chains" }, /from: is unknown/],
    [{ label: "nobody" }, /missing: nobody/],
  ];
  for (const [options, message] of wrong) {
    assert.throws(() => plotComparison(chains, options), message);
  }
  // A list can also name groups that this chart leaves out.
  plotComparison(chains, { highlight: ["alder", "fathom"], limit: 2 });
});

Deno.test("a group can have the name of a member of all objects", async () => {
  const names = ["constructor", "toString", "__proto__", "d", "e", "f", "g", "h", "i"];
  // Equal lines have no room for labels, so the chart has a legend.
  const column = names.flatMap((name) => Array(12).fill(name));
  const pooled = chainframe.pl.concat(names.map(() => pooledSample().head(12))).withColumns(
    chainframe.pl.Series("project_id", column),
    chainframe.pl.Series("project_name", column),
  );
  assert.match(await plotRetention(pooled).svg(), /constructor[^]*toString[^]*__proto__/);
});

Deno.test("charts without a frame or a required option name what is missing", () => {
  const charts = Object.values(chainframe).filter((value): value is (frame?: unknown) => unknown =>
    typeof value === "function" && /^plot[A-Z]/.test(value.name)
  );
  assert.ok(charts.length > 12);
  for (const chart of charts) {
    const message = new RegExp(
      `^${chart.name}: (expected .*; got nothing$|(field|x): is required: the column )`,
    );
    assert.throws(() => chart(), { name: "RangeError", message }, chart.name);
  }
  const given = chains as never;
  const { plotScatter } = chainframe as Record<string, unknown> as Record<
    string,
    (frame: unknown) => unknown
  >;
  assert.throws(() => plotScatter!(given), /plotScatter: x: is required: the column of the horiz/);
});

Deno.test("fields outside the interface have the currency of their name, or the option unit", async () => {
  const frame = asSample(
    frameOf({ chain_id: ["a", "b"], fees_eur: [1500, 2500] }),
    "blockchain_comparison",
  );
  const fields = ["fees_eur"];
  const plain = await drawnSvg(plotComparison(frame, { field: fields }));
  assert.deepEqual(textsOf(plain, "value"), ["2.5K EUR", "1.5K EUR"]);
  assert.doesNotMatch(plain.textContent, /US\$/);
  const euro = { style: "currency", currency: "EUR", notation: "compact" } as const;
  const given = await drawnSvg(plotComparison(frame, { field: fields, unit: "EUR", format: euro }));
  assert.deepEqual(textsOf(given, "value"), ["€2.5K", "€1.5K"]);
  assert.match(given.textContent, /EUR/);
  const usd = await drawnSvg(plotComparison(frame, { field: fields, unit: "usd" }));
  assert.deepEqual(textsOf(usd, "value"), ["$2.5K", "$1.5K"]);
});

Deno.test("numbers and dates follow the locale, and words stay English", async () => {
  const frame = asSample(
    comparisonSample(),
    "blockchain_comparison",
    "service",
    new Date("2026-06-30"),
  );
  const svg = await drawnSvg(plotComparison(frame, { locale: "de-DE", source: frame }));
  assert.equal(textsOf(svg, "value")[0], "41,2\u00a0Mio.\u00a0$ · 59\u00a0%");
  assert.match(svg.textContent, /data through 30\. Juni 2026/);
  assert.match(svg.textContent, /30 days to 30\. Juni 2026/);
});

Deno.test("note and caption are added below, and the source is kept", async () => {
  const { caption } = await plotComparison(chains, { note: "Figure 2", caption: "Mine." }).spec;
  assert.deepEqual(caption.slice(0, 2), ["Figure 2", "Mine."]);
  assert.match(caption[2]!, /^SAMPLE DATA, invented: not facts about the world\./);
  assert.equal(caption.length, 3);
});

Deno.test("limit sums the rest, highlight grays other groups, label names groups", async () => {
  const svg = await drawnSvg(plotComparison(chains, {
    ...{ limit: 2, highlight: ["basalt"], label: "chain_id", colors: { basalt: "#123456" } },
  }));
  assert.deepEqual(textsOf(svg, "y-axis tick label"), ["alder", "basalt", "other (3 chains)"]);
  const fills = marksOf(svg, "bar", "rect").map((bar) => bar.getAttribute("fill"));
  assert.deepEqual(fills, ["#8b949e", "#123456", "#8b949e"]);
});

Deno.test("height sets the height of the panel", async () => {
  const small = await plotRetention(pooledSample(), { height: 240 }).spec;
  const large = await plotRetention(pooledSample(), { height: 440 }).spec;
  assert.equal(large.panels[0]!.height! - small.panels[0]!.height!, 200);
});

Deno.test("drawPlot draws a custom figure in the theme, and refuses an invalid one", async () => {
  const own = drawPlot({ title: "Squares", panels: [{ marks: [Plot.lineY([1, 4, 9])] }] });
  const svg = await own.svg();
  assert.match(svg, /font-family="Inter/);
  assert.match(svg, /<title>Squares<\/title>/);
  assert.match(svg, /width="800"/);
  assert.throws(() => drawPlot({ panels: [] } as never), /drawPlot: title: must be a text/);
  assert.throws(() => drawPlot({ title: "x" } as never), /drawPlot: panels: must be a list/);
  assert.throws(
    () => drawPlot({ title: "x", panels: [], theme: "pink" as "dark" }),
    /drawPlot: theme: must be one of auto, light, dark/,
  );
});
