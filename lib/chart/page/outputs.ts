import {
  type About,
  type PdfOptions,
  type PngOptions,
  SVG_TEXTS,
  type SvgOptions,
  type Theme,
} from "../chart.ts";
import { anything, checkOptions, oneOf } from "../../platform/check_options.ts";
import { autoSvg, darkSvg } from "./dark.ts";
import { embedFonts } from "./fonts.ts";
import { pdfOf } from "./pdf.ts";
import { outlinedSvg, pngOf } from "./png.ts";

/** Converts a light drawing to the colors of a theme. */
export function themed(light: string, theme: Theme): string {
  if (theme === "light") return light;
  return theme === "dark" ? darkSvg(light) : autoSvg(light);
}

/**
 * Returns a drawing for formats that do not support the CSS function `light-dark`. In these formats, the theme `auto`
 * is light.
 */
function still(light: string, theme: Theme): string {
  return theme === "dark" ? darkSvg(light) : light;
}

/** Converts a light drawing to an SVG file in the colors of a theme. */
export async function svgFile(
  light: string,
  theme: Theme,
  options: SvgOptions = {},
): Promise<string> {
  const { text = "plain" } = checkOptions(options, { text: oneOf(SVG_TEXTS) }, "svg");
  if (text === "outlines") return themed(await outlinedSvg(light), theme);
  const svg = themed(light, theme);
  return text === "embedded" ? await embedFonts(svg) : svg;
}

/** Converts a light drawing to a PNG file in the colors of a theme. */
export async function pngFile(
  light: string,
  theme: Theme,
  options: PngOptions = {},
): Promise<Uint8Array> {
  checkOptions(options, { width: anything, dpi: anything }, "png");
  return await pngOf(still(light, theme), options);
}

/** Converts a light drawing to a PDF file in the colors of a theme. */
export async function pdfFile(
  light: string,
  { theme, about }: { readonly theme: Theme; readonly about: About },
  options: PdfOptions = {},
): Promise<Uint8Array> {
  checkOptions(options, { width: anything }, "pdf");
  return await pdfOf(still(light, theme), about, options.width);
}
