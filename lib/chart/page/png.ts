// deno-lint-ignore-file no-import-prefix -- researchers import mod.ts from folders of their own, where no import map applies
import type * as resvg from "npm:@resvg/resvg-js@2.6.2";
import { fileURLToPath } from "node:url";
import type { PngOptions } from "../chart.ts";
import { theme } from "../theme.ts";

/** The one door to resvg, which turns SVG into PNG. */

// Deno downloads what a literal RESVG names even when it is never reached.
const RESVG: string = "npm:@resvg/resvg-js@2.6.2";

export function loadResvg(): Promise<typeof resvg> {
  return import(RESVG);
}

/** The one door to the DejaVu fonts, which are bundled so that PNGs never depend on a machine's fonts. */

// Deno downloads what a literal DEJAVU names even when it is never reached.
const DEJAVU: string = "npm:dejavu-fonts-ttf@2.37.3/package.json";

/** The paths of the font files: DejaVu Sans, and DejaVu Sans Bold. */
export async function dejavuFonts(): Promise<string[]> {
  await import(DEJAVU, { with: { type: "json" } });
  const folder = new URL("ttf/", import.meta.resolve(DEJAVU));
  return ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf"].map((file) =>
    fileURLToPath(new URL(file, folder))
  );
}

/** Scripts that DejaVu Sans has no letters of. */
const FOREIGN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Emoji_Presentation}]/u;

const LARGEST_WIDTH = 20_000;
const LARGEST_SCALE = 10;

/** resvg ends the process when a picture does not fit the memory. */
function checkSize(name: string, value: number, most: number): void {
  if (!(value > 0 && value <= most)) {
    throw new RangeError(`png: ${name} must be a number above 0 and at most ${most}: ${value}`);
  }
}

/**
 * An SVG as PNG, set in the bundled font: the same bytes on every machine. Only for letters that the bundled
 * font does not have the fonts of the machine are asked.
 */
export async function pngOf(
  svg: string,
  { width, scale = 2 }: PngOptions = {},
): Promise<Uint8Array> {
  checkSize("scale", scale, LARGEST_SCALE);
  if (width !== undefined) checkSize("width × scale", width * scale, LARGEST_WIDTH);
  const [{ Resvg }, fontFiles] = await Promise.all([loadResvg(), dejavuFonts()]);
  const renderer = new Resvg(svg, {
    background: theme.paper,
    fitTo: width === undefined
      ? { mode: "zoom", value: scale }
      : { mode: "width", value: Math.max(1, Math.round(width * scale)) },
    font: { fontFiles, loadSystemFonts: FOREIGN.test(svg), defaultFontFamily: "DejaVu Sans" },
  });
  return new Uint8Array(renderer.render().asPng());
}
