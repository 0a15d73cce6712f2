import { Buffer } from "node:buffer";
import { loadPackage } from "../../platform/package.ts";
import type { About } from "../chart.ts";
import { dejavuFonts, lacksGlyphs } from "./fonts.ts";

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
const NAMES = ["Regular", "Bold"] as const;

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
  const [{ default: Document }, { default: draw }, files] = await Promise.all([
    loadPackage<{ default: MakeDocument }>("npm:pdfkit@0.20.2"),
    loadPackage<{ default: DrawSvg }>("npm:svg-to-pdfkit@0.1.8"),
    dejavuFonts(),
  ]);
  await lacksGlyphs(svg, "boxes instead");
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
  NAMES.forEach((name, index) => document.registerFont(name, files[index]!));
  const parts = Array.fromAsync(document);
  draw(document, svg, 0, 0, {
    assumePt: true,
    width: size[0],
    height: size[1],
    preserveAspectRatio: "xMinYMin meet",
    fontCallback: (_: string, bold: boolean) => bold ? "Bold" : "Regular",
  });
  document.end();
  return new Uint8Array(Buffer.concat(await parts));
}
