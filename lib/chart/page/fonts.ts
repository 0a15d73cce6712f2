import type { Buffer } from "node:buffer";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadPackage, packageFolder } from "../../platform/package.ts";
import { theme } from "../theme.ts";

/**
 * Returns the paths of the bundled font files: DejaVu Sans, and DejaVu Sans Bold. With bundled fonts, pictures do not
 * depend on the fonts of a machine.
 */
export async function dejavuFonts(): Promise<string[]> {
  const folder = await packageFolder("npm:dejavu-fonts-ttf@2.37.3/package.json");
  return ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf"].map((file) => join(folder, "ttf", file));
}

/** The function of the package subset-font. It reduces a font to the glyphs that a text uses. */
type SubsetFont = (font: Buffer, text: string, form: { targetFormat: "woff" }) => Promise<Buffer>;

const TEXT = /<text([^>]*)>([^]*?)<\/text>/g;

/** Returns the characters in a drawing's texts, separately for normal and bold text. */
function lettersOf(svg: string): Record<"normal" | "bold", string> {
  const letters = { normal: new Set<string>(), bold: new Set<string>() };
  for (const [, attributes = "", content = ""] of svg.matchAll(TEXT)) {
    const bold = /font-weight="(bold|[67]00)"/.test(attributes + content);
    const text = content.replace(/<[^>]*>/g, "").replaceAll("&amp;", "&").replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&#39;", "'");
    for (const letter of text) letters[bold ? "bold" : "normal"].add(letter);
  }
  return { normal: [...letters.normal].join(""), bold: [...letters.bold].join("") };
}

/**
 * Embeds in a drawing the glyphs that the drawing uses. The drawing then looks the same on machines without the font.
 */
export async function embedFonts(svg: string): Promise<string> {
  const { default: subset } = await loadPackage<{ default: SubsetFont }>("npm:subset-font@2.9.0");
  const files = await dejavuFonts();
  const letters = lettersOf(svg);
  const [family] = theme.fontFamily.split(",");
  const faces = await Promise.all((["normal", "bold"] as const).map(async (weight, index) => {
    if (letters[weight] === "") return "";
    const font = await readFile(files[index]!);
    const woff = await subset(font, letters[weight], { targetFormat: "woff" });
    return `@font-face{font-family:"${family}";font-weight:${weight};` +
      `src:url(data:font/woff;base64,${woff.toString("base64")}) format("woff")}`;
  }));
  return svg.replace(/<svg ([^>]*)>/, (tag) => `${tag}<style>${faces.join("")}</style>`);
}
