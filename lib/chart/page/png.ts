// deno-lint-ignore-file no-import-prefix -- researchers import mod.ts from folders of their own, where no import map applies
import type * as resvg from "npm:@resvg/resvg-js@2.6.2";
import { loadPackage } from "../../platform/package.ts";
import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";
import type { PngOptions } from "../chart.ts";
import { fontsOf } from "./fonts.ts";
import { withoutTexts } from "./svg_texts.ts";

function loadResvg(): Promise<typeof resvg> {
  return loadPackage("npm:@resvg/resvg-js@2.6.2");
}

const LARGEST_WIDTH = 20_000;
const LARGEST_DPI = 960;
/** Two image pixels per CSS pixel. */
const USUAL_DPI = 192;

/** Throws if a number is too large, because resvg ends the process if a picture does not fit into memory. */
function checkSize(name: string, value: number, most: number): void {
  if (!(value > 0 && value <= most)) {
    throw new RangeError(`png: ${name} must be a number above 0 and at most ${most}: ${value}`);
  }
}

/** Returns the options of resvg for fonts, with the fonts of the machine if they are needed. */
function fontOptions(fontFiles: readonly string[], loadSystemFonts: boolean) {
  return { fontFiles: [...fontFiles], loadSystemFonts, defaultFontFamily: "Inter" };
}

/** The offset in bytes at which the first chunk of every PNG file ends. */
const AFTER_HEADER = 33;

/** Adds the pixel density to a PNG file. */
function withDensity(png: Uint8Array, dpi: number): Uint8Array {
  const chunk = Buffer.alloc(21);
  const perMeter = Math.round(dpi / 0.0254);
  chunk.writeUInt32BE(9, 0);
  chunk.write("pHYs", 4);
  chunk.writeUInt32BE(perMeter, 8);
  chunk.writeUInt32BE(perMeter, 12);
  chunk[16] = 1;
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 17)), 17);
  const parts = [png.subarray(0, AFTER_HEADER), chunk, png.subarray(AFTER_HEADER)];
  return new Uint8Array(Buffer.concat(parts));
}

/**
 * Converts an SVG to PNG in the bundled font, with the same bytes on every machine. Fonts of the machine are used only
 * for characters without a glyph in the bundled font.
 */
export async function pngOf(svg: string, options: PngOptions = {}): Promise<Uint8Array> {
  const { width, dpi } = options;
  if (dpi !== undefined) checkSize("dpi", dpi, LARGEST_DPI);
  const scale = (dpi ?? USUAL_DPI) / 96;
  if (width !== undefined) checkSize("width × dpi / 96", width * scale, LARGEST_WIDTH);
  const [{ Resvg }, { files, lacks }] = await Promise.all([
    loadResvg(),
    fontsOf(svg, "a font of this machine, or boxes instead"),
  ]);
  const renderer = new Resvg(svg, {
    background: "#ffffff",
    fitTo: width === undefined
      ? { mode: "zoom", value: scale }
      : { mode: "width", value: Math.max(1, Math.round(width * scale)) },
    font: fontOptions(files, lacks),
  });
  const png = new Uint8Array(renderer.render().asPng());
  return dpi === undefined ? png : withDensity(png, dpi);
}

/**
 * Converts the texts of an SVG to shapes. The alternative text stays text, and so does a text with a letter that the
 * bundled fonts lack.
 */
export async function outlinedSvg(svg: string): Promise<string> {
  const [{ Resvg }, { files, isUnknown }] = await Promise.all([
    loadResvg(),
    fontsOf(svg, "such texts stay texts, in a font of the reader"),
  ]);
  const named = /role="img" aria-label="[^"]*"/.exec(svg)?.[0] ?? "";
  const words = /<title>[^]*?<\/title>\s*(<desc>[^]*?<\/desc>)?/.exec(svg)?.[0] ?? "";
  const { rest, moved } = withoutTexts(svg, isUnknown);
  return new Resvg(rest, { font: fontOptions(files, false) }).toString()
    .replace(/<svg ([^>]*)>/, (_, attributes) => `<svg ${attributes} ${named}>\n${words}`)
    .replace(/<\/svg>\s*$/, () => `${moved}</svg>\n`);
}

/** Returns a drawing of the size of an SVG that has only some texts, as shapes of fonts of the machine. */
export async function outlinedTexts(svg: string, texts: string): Promise<string> {
  const [{ Resvg }, { files }] = await Promise.all([loadResvg(), fontsOf(svg, "")]);
  const [tag = ""] = /<svg [^>]*>/.exec(svg) ?? [];
  return new Resvg(`${tag}${texts}</svg>`, { font: fontOptions(files, true) }).toString();
}
