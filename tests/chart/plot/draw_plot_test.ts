// deno-lint-ignore-file no-import-prefix -- the version of Plot that the charts use
import assert from "node:assert/strict";
import * as Plot from "npm:@observablehq/plot@0.6.17";
import { Buffer } from "node:buffer";
import { DENO_INSPECT, type Displayed, JUPYTER_DISPLAY } from "../../../lib/chart/chart.ts";
import { drawPlot } from "../../../lib/chart/own_spec.ts";
import { plotComparison } from "../../../lib/chart/comparison.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { drawnSvg } from "../drawn_svg.ts";
import { comparisonSample } from "../sample_frames.ts";

const chart = plotComparison(comparisonSample(), { title: "A & B <c>" });

Deno.test("plot charts display in a notebook as an image in HTML, as PNG and as plain text", async () => {
  const bundle = await (chart as unknown as Displayed)[JUPYTER_DISPLAY]();
  assert.deepEqual(Object.keys(bundle), ["text/html", "image/png", "text/plain"]);
  const [, data, alt] =
    /^<img src="data:image\/svg\+xml;base64,(\S+)" alt="(A &amp; B &lt;c&gt;[^"]*)"/
      .exec(String(bundle["text/html"]))!;
  assert.equal(Buffer.from(data!, "base64").toString(), await chart.svg());
  assert.match(alt!, /Bar chart of 5 chains/);
  assert.match(String(bundle["image/png"]), /^iVBORw0KGgo/);
  assert.match(
    String(bundle["text/plain"]),
    /^A & B <c>\nEcosystem fees over 30 days of 5 chains; largest first; %: share of the sum of 5 chains\nBar chart of 5 chains/,
  );
});

Deno.test("plot charts print their texts", () => {
  assert.equal((chart as unknown as Displayed)[DENO_INSPECT](), Deno.inspect(chart));
  assert.match(Deno.inspect(chart), /^Chart \(Observable Plot\)\nA & B <c>\n/);
});

Deno.test("plot charts print and display names without control and bidirectional characters", async () => {
  const name = "A\x1b]0;own\x07\u202eb\x9b2J\r\nSource: none\u2028c";
  const frame = comparisonSample().withColumns(pl.lit(name).alias("chain_name"));
  const named = plotComparison(frame, { title: name, subtitle: name, caption: name, note: name });
  const bundle = await (named as unknown as Displayed)[JUPYTER_DISPLAY]();
  for (const text of [Deno.inspect(named), String(bundle["text/plain"])]) {
    assert.match(text, /A\ufffd\]0;own\ufffd\ufffdb\ufffd2J Source: none/);
    // deno-lint-ignore no-control-regex -- the characters that must not be there
    assert.doesNotMatch(text, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202a-\u202e]|\nSource: none/);
  }
});

Deno.test("plot charts escape their texts", async () => {
  const svg = await chart.svg();
  assert.match(svg, /<title>A &amp; B &lt;c&gt;<\/title>/);
  assert.match(svg, /aria-label="A &amp; B &lt;c&gt;\. Bar chart of 5 chains/);
  assert.match(await chart.html(), /<title>A &amp; B &lt;c&gt;<\/title>/);
});

Deno.test("drawPlot redraws a changed spec", async () => {
  const figure = await chart.spec;
  const [panel] = figure.panels;
  const changed = drawPlot({
    ...figure,
    title: "Changed",
    panels: [{ ...panel!, y: { ...panel!.y, domain: [0, 1] } }],
  });
  assert.equal(changed.title, "Changed");
  const svg = await drawnSvg(changed);
  assert.equal([...svg.querySelectorAll('g[aria-label="bar"] rect')].length, 2);
});

Deno.test("plot charts are self-contained: no style but the font, no class, no external color", async () => {
  const whole = await plotComparison(comparisonSample(), { theme: "light" }).svg();
  const font =
    /<style>(@font-face\{font-family:Inter;[^}]*url\(data:font\/ttf;[^}]*\}){2}<\/style>/;
  assert.match(whole, font);
  const svg = whole.replace(font, "");
  assert.doesNotMatch(svg, /<style|class=|currentColor|var\(|url\(|href=|<foreignObject|<image/);
  assert.match(svg, /font-family="Inter, Helvetica Neue, Arial, sans-serif"/);
});

Deno.test("charts refuse a width that leaves no room to draw", () => {
  assert.throws(() => plotComparison(comparisonSample(), { width: 100 }), {
    name: "RangeError",
    message: "plotComparison: width: must be a number of pixels from 320 to 4000; got 100",
  });
});

Deno.test("charts of a derived frame have the source of its origin", async () => {
  const all = comparisonSample();
  const rows = pl.DataFrame(all.limit(2).toRecords());
  const noted = async (frame: DataFrame, options = {}) =>
    (await plotComparison(frame, options).spec).caption.join(" ");
  const sample =
    /SAMPLE DATA, invented: not facts about the world\. Source: blockchain comparison, retrieved 31 Mar 2026\./;
  assert.match(await noted(all.limit(2)), sample);
  assert.match(await noted(rows), /Source not recorded\./);
  assert.match(await noted(rows, { source: all }), sample);
});

const POINTS = [
  { x: 1, y: 2, kind: "loans", size: 3, share: 0.2 },
  { x: 2, y: 4, kind: "games", size: 9, share: 0.8 },
];

Deno.test("drawPlot takes the options of one plot, with its texts", async () => {
  const marks = [Plot.dot(POINTS, { x: "x", y: "y" })];
  const chart = drawPlot({ marks, title: "Two", subtitle: "points", caption: "Mine." });
  const { title, subtitle, caption, panels } = await chart.spec;
  assert.deepEqual([title, subtitle, caption, panels.length], ["Two", "points", ["Mine."], 1]);
  const bare = await drawPlot({ marks, width: 400 }).svg();
  assert.match(bare, /width="400"[^]*<title><\/title>[^]*aria-label="dot"/);
});

Deno.test("drawPlot draws the legends of color and symbol, and says that opacity has none", async () => {
  const legend = true;
  const cases: [Plot.PlotOptions, string[], RegExp?][] = [
    [{ color: { legend }, marks: [Plot.dot(POINTS, { x: "x", fill: "kind" })] }, [
      "games",
      "loans",
    ]],
    [{ color: { legend, label: "size" }, marks: [Plot.dot(POINTS, { x: "x", fill: "size" })] }, [
      ...["size: 3", "9"],
    ]],
    [
      {
        color: { legend, type: "threshold", domain: [4] },
        marks: [Plot.dot(POINTS, { x: "x", fill: "size" })],
      },
      ["below 4", "4 or more"],
    ],
    [{ symbol: { legend }, marks: [Plot.dot(POINTS, { x: "x", symbol: "kind" })] }, [
      "games",
      "loans",
    ]],
    [
      { opacity: { legend }, marks: [Plot.dot(POINTS, { x: "x", fillOpacity: "size" })] },
      [],
      /No legend of opacity: legends show the colors and symbols of a scale\./,
    ],
  ];
  for (const [options, labels, note] of cases) {
    const svg = await drawnSvg(drawPlot(options));
    const texts = [...svg.querySelectorAll('g[aria-label="legend"] text')];
    assert.deepEqual(texts.map(({ textContent }) => textContent), labels);
    assert.equal([...svg.querySelectorAll('g[aria-label="dot"]')].length, 1);
    if (note !== undefined) assert.match(svg.textContent, note);
  }
});
