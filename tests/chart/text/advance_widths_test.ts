// deno-lint-ignore-file no-import-prefix -- only this test reads the font's tables
import assert from "node:assert/strict";
import opentype from "npm:opentype.js@2.0.0";
import { fontsOf } from "../../../lib/chart/page/fonts.ts";
import {
  type Advances,
  BOLD_ADVANCES,
  REGULAR_ADVANCES,
} from "../../../lib/chart/text/advance_widths.ts";

const TABLES: readonly [string, Advances][] = [
  ["Inter_400Regular.ttf", REGULAR_ADVANCES],
  ["Inter_600SemiBold.ttf", BOLD_ADVANCES],
];

for (const [file, advances] of TABLES) {
  Deno.test(`the advance widths equal those of ${file}`, async () => {
    const { files } = await fontsOf("", "");
    const path = files.find((path) => path.endsWith(`/${file}`))!;
    const font = opentype.parse((await Deno.readFile(path)).buffer);
    assert.equal(font.unitsPerEm, 2048);
    for (const [first, widths] of advances) {
      const actual = widths.split(/\s+/).map((_, index) => {
        const glyph = font.charToGlyph(String.fromCodePoint(first + index));
        return glyph.index === 0 ? 0 : glyph.advanceWidth;
      });
      assert.deepEqual(widths.split(/\s+/).map(Number), actual);
    }
  });
}
