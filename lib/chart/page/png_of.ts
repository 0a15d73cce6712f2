import type { PngOptions } from "../chart.ts";
import { theme } from "../theme.ts";
import { dejavuFonts } from "./dejavu_fonts.ts";
import { loadResvg } from "./resvg.ts";

/** Scripts that DejaVu Sans has no letters of. */
const FOREIGN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Emoji_Presentation}]/u;

const LARGEST_SIDE = 20_000;

/** A size in pixels: resvg ends the process when a picture does not fit the memory. */
function checkSide(name: string, value: number): void {
  if (!(value > 0 && value <= LARGEST_SIDE)) {
    throw new RangeError(
      `png: ${name} must be a number above 0 and at most ${LARGEST_SIDE}: ${value}`,
    );
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
  checkSide("scale", scale);
  if (width !== undefined) checkSide("width", width);
  const [{ Resvg }, fontFiles] = await Promise.all([loadResvg(), dejavuFonts()]);
  const loadSystemFonts = FOREIGN.test(svg);
  const font = { fontFiles, loadSystemFonts, defaultFontFamily: "DejaVu Sans" };
  const natural = width ?? new Resvg(svg, { font: { loadSystemFonts: false } }).width;
  const pixels = Math.max(1, Math.round(natural * scale));
  checkSide("width × scale", pixels);
  const renderer = new Resvg(svg, {
    background: theme.paper,
    fitTo: { mode: "width", value: pixels },
    font,
  });
  return new Uint8Array(renderer.render().asPng());
}
