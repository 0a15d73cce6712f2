import type { About, Coloring, PdfOptions, PngOptions, SvgOptions } from "../chart.ts";
import { anything, checkOptions } from "../../platform/check_options.ts";
import { Buffer } from "node:buffer";
import { autoSvg, darkSvg } from "./dark.ts";
import { withFont } from "./fonts.ts";
import { pdfOf } from "./pdf.ts";
import { outlinedSvg, pngOf } from "./png.ts";
import { escapeXml } from "./svg.ts";

/** Converts a light drawing to the colors of a theme. */
export function themed(light: string, { theme, dark }: Coloring): string {
  if (theme === "light") return light;
  return theme === "dark" ? darkSvg(light, dark) : autoSvg(light, dark);
}

/**
 * Returns a drawing for formats that do not support the CSS function `light-dark`. In these formats, the theme `auto`
 * is light.
 */
function still(light: string, { theme, dark }: Coloring): string {
  return theme === "dark" ? darkSvg(light, dark) : light;
}

/** Converts a light drawing to an SVG file in the colors of a theme. */
export async function svgFile(
  light: string,
  coloring: Coloring,
  text: NonNullable<SvgOptions>["text"] = "plain",
): Promise<string> {
  return text === "outlines"
    ? themed(await outlinedSvg(light), coloring)
    : await withFont(themed(light, coloring));
}

/** Converts a light drawing to a PNG file in the colors of a theme. */
export async function pngFile(
  light: string,
  coloring: Coloring,
  options: PngOptions = {},
): Promise<Uint8Array> {
  checkOptions(options, { width: anything, dpi: anything }, "png");
  return await pngOf(still(light, coloring), options);
}

/** Returns an HTML element that shows an SVG file. nbconvert 6.5 removes the shapes of SVG outputs, but no images. */
export function htmlImage(svg: string, text: string): string {
  const data = Buffer.from(svg).toString("base64");
  return `<img src="data:image/svg+xml;base64,${data}" alt="${
    escapeXml(text)
  }" style="max-width:100%">`;
}

/**
 * Returns a PNG file as an output of notebooks, for viewers that show no HTML or do not trust it. Returns no output if
 * the package that draws the file can be neither loaded nor downloaded.
 */
export async function pngText(light: string, coloring: Coloring): Promise<Record<string, string>> {
  try {
    return {
      "image/png": Buffer.from(await pngFile(light, coloring, { dpi: 96 })).toString("base64"),
    };
  } catch {
    return {};
  }
}

/** Converts a light drawing to a PDF file in the colors of a theme. */
export async function pdfFile(
  light: string,
  { about, ...coloring }: Coloring & { readonly about: About },
  options: PdfOptions = {},
): Promise<Uint8Array> {
  checkOptions(options, { width: anything }, "pdf");
  return await pdfOf(still(light, coloring), about, options.width);
}
