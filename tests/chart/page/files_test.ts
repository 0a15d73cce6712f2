// deno-lint-ignore-file no-import-prefix -- only this test reads PDF files
import assert from "node:assert/strict";
import { getDocument } from "npm:pdfjs-dist@5.4.149/legacy/build/pdf.mjs";
import { plotComparison } from "../../../lib/chart/comparison.ts";
import { comparisonSample } from "../sample_frames.ts";

interface PdfText {
  readonly str: string;
  readonly height: number;
}

async function pageOf(pdf: Uint8Array): Promise<{ size: number[]; texts: PdfText[] }> {
  const task = getDocument({ data: pdf, useSystemFonts: false, disableFontFace: true });
  const document = await task.promise;
  try {
    const page = await document.getPage(1);
    const { items } = await page.getTextContent();
    const texts = (items as PdfText[]).filter(({ str }) => str.trim() !== "");
    return { size: page.view.slice(2), texts };
  } finally {
    await task.destroy();
  }
}

const COLUMN = 336;

Deno.test(`a chart as PDF is redrawn at a journal's width, with text of at least 6 points`, async () => {
  const chart = plotComparison(comparisonSample(), { theme: "light" });
  const { size, texts } = await pageOf(await chart.pdf({ width: COLUMN }));
  // 336 pixels are 252 points, which are 89 millimetres.
  assert.equal(Math.round(size[0]!), 252);
  assert.equal(Math.round(size[0]! / 72 * 25.4), 89);
  const words = texts.map(({ str }) => str).join(" ");
  assert.match(words, /Ecosystem fees over 30/);
  assert.match(words, /\$41\.2M/);
  assert.match(words, /Ember Rollup/);
  assert.match(words, /SAMPLE DATA, invented/);
  assert.ok(texts.every(({ height }) => height >= 6 || height === 0), JSON.stringify(texts));
});

Deno.test("a PDF file is the same every time, and dark when the theme is", async () => {
  const light = plotComparison(comparisonSample());
  assert.deepEqual(await light.pdf(), await light.pdf());
  const dark = plotComparison(comparisonSample(), { theme: "dark" });
  assert.notDeepEqual(await dark.pdf(), await light.pdf());
});

Deno.test("an SVG file keeps its text or outlines it, and is laid out again at a width", async () => {
  const chart = plotComparison(comparisonSample());
  const [plain, outlines] = await Promise.all(
    (["plain", "outlines"] as const).map((text) => chart.svg({ text })),
  );
  assert.match(plain!, />\$41\.2M · 59%<\/text>/);
  const narrow = plotComparison(comparisonSample(), { width: 360 });
  assert.equal(await chart.svg({ width: 360 }), await narrow.svg());
  assert.doesNotMatch(outlines!, /<text|font-family/);
  assert.match(
    outlines!,
    /role="img" aria-label="Ecosystem fees over 30 days of 5 chains\. Bar chart of 5 chains/,
  );
  assert.match(outlines!, /<title>Ecosystem fees over 30 days of 5 chains<\/title>/);
  await assert.rejects(chart.svg({ text: "woff" as "plain" }), /svg: text: must be one of plain, /);
});

Deno.test("an SVG file follows the reader's system, or has the given theme", async () => {
  const svgOf = (theme?: "light" | "dark") =>
    plotComparison(comparisonSample(), theme === undefined ? {} : { theme }).svg();
  const auto = await svgOf();
  assert.match(
    auto,
    /^<svg class="chainframe-auto" [^>]*><style>(@font-face\{[^}]*\}){2}@supports \(color:light-dark\(red,red\)\)/,
  );
  assert.match(auto, /\.chainframe-auto \[fill="#ffffff"\]\{fill:light-dark\(#ffffff,#0d1117\)\}/);
  assert.match(auto, /<rect [^>]*fill="#ffffff"\/>/);
  const dark = await svgOf("dark");
  assert.match(dark, /<style>(@font-face\{[^}]*\}){2}<\/style>/);
  assert.doesNotMatch(dark, /#ffffff|#1b1f24/);
  assert.match(dark, /<rect [^>]*fill="#0d1117"\/>/);
  assert.equal(
    auto.replace(/ class="chainframe-auto"|@supports[^]*(?=<\/style>)/g, "")
      .replace(/^<svg +/, "<svg "),
    await svgOf("light"),
  );
});

Deno.test("a PNG file records its pixels per inch", async () => {
  const png = await plotComparison(comparisonSample()).png({ dpi: 300 });
  const view = new DataView(png.buffer, png.byteOffset);
  assert.equal(view.getUint32(16), 2500);
  assert.equal(new TextDecoder().decode(png.subarray(37, 41)), "pHYs");
  assert.equal(view.getUint32(41), Math.round(300 / 0.0254));
});

Deno.test("an HTML file has the chart at three widths, widest first, and its rows as a table", async () => {
  const chart = plotComparison(comparisonSample());
  const html = await chart.html();
  assert.deepEqual([...html.matchAll(/<svg [^>]*width="(\d+)"/g)].map(([, width]) => width), [
    "800",
    "560",
    "360",
  ]);
  const { rows } = await chart.spec;
  assert.equal(html.match(/<tr>/g)!.length, rows.length + 1);
  assert.match(
    html,
    /<div class="rows"><table><caption>Ecosystem fees over 30 days of 5 chains<\/caption>/,
  );
  assert.match(html, /<td>no value<\/td>/);
  const narrow = await plotComparison(comparisonSample(), { width: 400 }).html();
  assert.equal(narrow.match(/<svg /g)!.length, 2);
  // The script of an interactive page makes its table, of the same texts.
  assert.match(await plotComparison(comparisonSample()).interactive().html(), /\$41\.2M · 59%/);
});

Deno.test("a page has the background of its theme", async () => {
  for (
    const [theme, backgrounds] of [
      ["light", ["#ffffff"]],
      ["dark", ["#0d1117"]],
      ["auto", ["#ffffff", "#0d1117"]],
    ] as const
  ) {
    const html = await plotComparison(comparisonSample(), { theme }).html();
    const found = [...html.matchAll(/body \{ background: (#\w+);/g)].map(([, color]) => color);
    assert.deepEqual(found, backgrounds, theme);
  }
});
