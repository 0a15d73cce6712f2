// deno-lint-ignore-file no-import-prefix -- only tests read PDF files
import { createCanvas } from "npm:@napi-rs/canvas@0.1.100";
import { getDocument } from "npm:pdfjs-dist@5.4.149/legacy/build/pdf.mjs";

interface TextItem {
  readonly str: string;
  readonly transform: readonly number[];
  readonly width: number;
}

const SCALE = 3;
/** The least difference of two pixels, of 255, that a reader sees. */
const SEEN = 40;
/** The height of a capital in the size of a text. */
const CAPITAL = 0.72;

/** Returns the difference of the lightest and the darkest pixel, of 255. */
function contrastOf(data: ArrayLike<number>): number {
  let [darkest, lightest] = [255, 0];
  for (let at = 0; at < data.length; at += 4) {
    const light = 0.3 * data[at]! + 0.59 * data[at + 1]! + 0.11 * data[at + 2]!;
    [darkest, lightest] = [Math.min(darkest, light), Math.max(lightest, light)];
  }
  return lightest - darkest;
}

/** Draws the first page of a PDF file. Returns the texts of its text layer, and those without contrast. */
export async function pdfTexts(pdf: Uint8Array): Promise<{ all: string[]; unseen: string[] }> {
  const task = getDocument({
    data: pdf,
    useSystemFonts: false,
    disableFontFace: true,
    verbosity: 0,
  });
  const page = await (await task.promise).getPage(1);
  const viewport = page.getViewport({ scale: SCALE });
  const canvas = createCanvas(Math.ceil(viewport.width), Math.ceil(viewport.height));
  const context = canvas.getContext("2d");
  await page.render({ canvasContext: context as never, viewport, canvas: canvas as never }).promise;
  const items = ((await page.getTextContent()).items as TextItem[])
    .filter(({ str }) => str.trim() !== "");
  const unseen = items.filter(({ transform, width }) => {
    const [x, y] = viewport.convertToViewportPoint(transform[4]!, transform[5]!) as [
      number,
      number,
    ];
    const height = Math.hypot(transform[0]!, transform[1]!) * SCALE * CAPITAL;
    const sizes = [
      Math.max(2, Math.round(width * SCALE)),
      Math.max(2, Math.round(height)),
    ] as const;
    const { data } = context.getImageData(Math.round(x), Math.round(y - height), ...sizes);
    return contrastOf(data) < SEEN;
  });
  await task.destroy();
  return { all: items.map(({ str }) => str), unseen: unseen.map(({ str }) => str) };
}
