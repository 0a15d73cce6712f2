import type { PngOptions } from "../chart.ts";
import { theme } from "../theme.ts";
import { dejavuFonts } from "./dejavu_fonts.ts";
import { loadResvg } from "./resvg.ts";

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
