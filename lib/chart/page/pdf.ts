import { Buffer } from "node:buffer";
import { loadPackage } from "../../platform/package.ts";
import type { About } from "../chart.ts";
import { fontsOf } from "./fonts.ts";
import { outlinedTexts } from "./png.ts";
import { inherited, mapTexts, withoutTexts } from "./svg_texts.ts";

interface PdfDocument extends AsyncIterable<Uint8Array> {
  registerFont(name: string, path: string): void;
  end(): void;
}

type MakeDocument = new (options: Readonly<Record<string, unknown>>) => PdfDocument;
type DrawSvg = (
  document: PdfDocument,
  svg: string,
  x: number,
  y: number,
  options: Readonly<Record<string, unknown>>,
) => void;

/** Points per pixel: an inch has 96 pixels and 72 points. */
const POINTS = 72 / 96;
/** The names of the faces of Inter and of DejaVu Sans. */
const FACES = ["Regular", "Bold", "DejaVu Regular", "DejaVu Bold"] as const;
const FOREIGN = "DejaVu";

/**
 * Writes texts with an outline twice, the second time without the outline, because svg-to-pdfkit paints an outline above
 * its text.
 */
function outlinesBelow(svg: string): string {
  return mapTexts(svg, ({ tags, markup }) => {
    if (inherited(tags, "paint-order") !== "stroke") return markup;
    const bare = markup.replace(/ stroke="[^"]*"/g, "").replace("<text", '<text stroke="none"');
    return markup + bare;
  });
}

function sizeOf(svg: string): [width: number, height: number] {
  const [, attributes = ""] = /<svg ([^>]*)>/.exec(svg) ?? [];
  const size = (name: string) =>
    Number(new RegExp(`\\b${name}="([\\d.]+)`).exec(attributes)?.[1] ?? 0);
  return [size("width"), size("height")];
}

/**
 * Converts a drawing to a PDF page of the same size, with selectable text. If `width` is given, the drawing is scaled
 * to this width.
 */
export async function pdfOf(
  svg: string,
  { title, label }: About,
  width?: number,
): Promise<Uint8Array> {
  const [{ default: Document }, { default: draw }, fonts] = await Promise.all([
    loadPackage<{ default: MakeDocument }>("npm:pdfkit@0.20.2"),
    loadPackage<{ default: DrawSvg }>("npm:svg-to-pdfkit@0.1.8"),
    fontsOf(svg, "shapes of a font of this machine, or boxes instead"),
  ]);
  const { rest, moved } = withoutTexts(svg, fonts.isUnknown);
  const named = mapTexts(
    rest,
    (text) =>
      fonts.isForeign(text)
        ? text.markup.replace("<text", `<text font-family="${FOREIGN}"`)
        : text.markup,
  );
  const [across, down] = sizeOf(svg);
  const scale = POINTS * (width === undefined ? 1 : width / across);
  const size = [across * scale, down * scale];
  const document = new Document({
    size,
    margin: 0,
    lang: "en",
    displayTitle: true,
    // The date is fixed, so that the same chart gives the same bytes.
    info: { Title: title, Subject: label, CreationDate: new Date(0) },
  });
  fonts.files.forEach((file, index) => document.registerFont(FACES[index]!, file));
  const parts = Array.fromAsync(document);
  const drawings = [
    outlinesBelow(named),
    ...moved === "" ? [] : [await outlinedTexts(svg, moved)],
  ];
  for (const drawing of drawings) {
    draw(document, drawing, 0, 0, {
      assumePt: true,
      width: size[0],
      height: size[1],
      preserveAspectRatio: "xMinYMin meet",
      fontCallback: (family: string, bold: boolean) =>
        FACES[(family === FOREIGN ? 2 : 0) + (bold ? 1 : 0)],
    });
  }
  document.end();
  return new Uint8Array(Buffer.concat(await parts));
}
