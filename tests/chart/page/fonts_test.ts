// deno-lint-ignore-file no-import-prefix -- only tests read the tables of fonts
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { stripTypeScriptTypes } from "node:module";
import fc from "fast-check";
import opentype from "npm:opentype.js@2.0.0";
import { plotComparison } from "../../../lib/chart/comparison.ts";
import { fontsOf } from "../../../lib/chart/page/fonts.ts";
import { svgTexts } from "../../../lib/chart/page/svg_texts.ts";
import { partOfFont, trueType } from "../../../lib/chart/page/true_type.ts";
import { pl } from "../../../lib/table/columns/polars.ts";

/** The bundled faces: regular, and semi bold. */
const FACES = (await fontsOf("", "")).files.map((path) => Buffer.from(Deno.readFileSync(path)));
const WHOLE = FACES.map((face) => opentype.parse(new Uint8Array(face).buffer));

interface Glyph {
  readonly index: number;
  readonly advanceWidth: number;
  getPath(x: number, y: number, size: number): { toPathData(digits: number): string };
}
interface Font {
  readonly glyphs: { readonly length: number };
  charToGlyph(letter: string): Glyph;
}

/** The outline and the width of a letter. */
function shapeOf(font: Font, letter: string) {
  const { index, advanceWidth, getPath } = font.charToGlyph(letter);
  assert.notEqual(index, 0, letter);
  return [advanceWidth, getPath.call(font.charToGlyph(letter), 0, 0, 2048).toPathData(2)];
}

function parsed(part: Uint8Array): Font {
  return opentype.parse(new Uint8Array(part).buffer);
}

Deno.test("a part of a font keeps the outlines and widths of its letters", () => {
  const letters = [..."AaÅéñıßΩжЖ0123456789$€%+−×÷⅓½→…–—“”‘’·≈≥≤", ..."ǰṩệ"];
  for (const [face, whole] of WHOLE.entries()) {
    const font = trueType(FACES[face]!);
    fc.assert(
      fc.property(fc.subarray(letters, { minLength: 1 }), (some) => {
        const part = parsed(partOfFont(font, some.map((letter) => letter.codePointAt(0)!)));
        for (const letter of some) assert.deepEqual(shapeOf(part, letter), shapeOf(whole, letter));
      }),
      { seed: 67, numRuns: 15 },
    );
  }
});

Deno.test("an SVG and an HTML file have the glyphs of their texts, and no others but parts", async () => {
  const frame = pl.DataFrame({ project: ["Öresund & Søn", "Жар", "oak"], fees: [3e6, 2e6, 1e3] });
  const chart = plotComparison(frame, { field: "fees", title: "Fees, ∂ and €" });
  for (const file of [await chart.svg(), await chart.html()]) {
    const rules = [...file.matchAll(
      /@font-face\{font-family:Inter;font-weight:(\d+);src:url\(data:font\/ttf;base64,([^)]*)\)\}/g,
    )];
    assert.deepEqual(rules.map(([, weight]) => weight), ["400", "600"]);
    for (const [face, [, , data]] of rules.entries()) {
      const font = parsed(Buffer.from(data!, "base64"));
      const letters = new Set(
        svgTexts(file).filter(({ bold }) => bold === (face === 1)).flatMap(({ text }) => [...text]),
      );
      for (const letter of letters) {
        assert.deepEqual(shapeOf(font, letter), shapeOf(WHOLE[face]!, letter));
      }
      assert.ok(font.glyphs.length <= 2 * letters.size + 1, `${font.glyphs.length} glyphs`);
    }
  }
});

Deno.test("a text with letters that no bundled font has stays a text", async () => {
  const frame = pl.DataFrame({ project: ["海洋", "ash & oak"], fees: [2, 1] });
  const svg = await plotComparison(frame, { field: "fees" }).svg({ text: "outlines" });
  assert.deepEqual(svgTexts(svg).map(({ text }) => text), ["海洋"]);
  assert.match(svg, /<g font-family="Inter, Helvetica Neue, Arial, sans-serif" fill="#1b1f24">/);
});

const hasNode = await new Deno.Command("node", { args: ["--version"] }).output()
  .then(({ success }) => success, () => false);

Deno.test("Node makes the same part of a font as Deno", { ignore: !hasNode }, async () => {
  const { files: [file] } = await fontsOf("", "");
  const source = await Deno.readTextFile(
    new URL("../../../lib/chart/page/true_type.ts", import.meta.url),
  );
  const points = Array.from("Fees of 3 chains: Öresund", (letter) => letter.codePointAt(0)!);
  const code = `${stripTypeScriptTypes(source)}
    const { readFileSync } = await import("node:fs");
    const font = trueType(readFileSync(${JSON.stringify(file)}));
    process.stdout.write(partOfFont(font, ${JSON.stringify(points)}).toString("base64"));`;
  const { stdout, stderr } = await new Deno.Command("node", {
    args: ["--input-type=module", "--eval", code],
  }).output();
  assert.equal(new TextDecoder().decode(stderr), "");
  const own = partOfFont(trueType(FACES[0]!), points).toString("base64");
  assert.equal(new TextDecoder().decode(stdout), own);
});
