import { fileURLToPath } from "node:url";
import { aFlag, aNumber, checkOptions, oneOf } from "../platform/check_options.ts";
import type { WriteOptions } from "../platform/file.ts";
import type { DataFrame } from "../table/polars.ts";
import { aFrame } from "../table/require_columns.ts";
import { writeWithSideCar } from "../table/side_car.ts";
import { type Chart, SVG_TEXTS } from "./chart.ts";

const ENDINGS = [".svg", ".png", ".pdf", ".html", ".json"] as const;

const OPTIONS = {
  force: aFlag,
  from: aFrame,
  text: oneOf(SVG_TEXTS),
  dpi: aNumber(1, 960),
  width: aNumber(100, 4000),
};

/** A figure's panels hold functions, which JSON cannot: its words and rows are saved without them. */
async function jsonOf(chart: Chart): Promise<string> {
  const { panels: _, ...spec } = await chart.spec as Record<string, unknown>;
  return `${JSON.stringify(spec, null, 2)}\n`;
}

/**
 * The options of {@linkcode saveChart}.
 *
 * @category Output
 */
export interface SaveChartOptions extends WriteOptions {
  /**
   * The frame that knows where the data came from, whose provenance and entity errors go into the side-car.
   *
   * @default {the frame that was drawn}
   */
  readonly from?: DataFrame;
  /**
   * How the text of an SVG file is kept: `"embedded"` with the letters that it uses inside the file, `"outlines"`
   * as shapes, which look the same in every program, `"plain"` in the fonts of the reader's machine.
   *
   * @default {"embedded"}
   */
  readonly text?: typeof SVG_TEXTS[number];
  /**
   * How many pixels a PNG file has for an inch: the file says so, and 96 of them are one for one.
   *
   * @default {two pixels for one}
   */
  readonly dpi?: number;
  /**
   * The width of a PDF file in CSS pixels, for which the chart is drawn anew: 336 are 89 mm, 692 are 183 mm.
   *
   * @default {the width of the chart}
   */
  readonly width?: number;
}

/** What belongs to another form than the one that is saved is an error, as it would change nothing. */
function checkForm(ending: string, given: Readonly<Record<string, unknown>>): void {
  const belongs = { text: ".svg", dpi: ".png", width: ".pdf" };
  for (const [option, form] of Object.entries(belongs)) {
    if (given[option] === undefined || form === ending) continue;
    throw new RangeError(`saveChart: ${option}: belongs to ${form} files: ${given[option]}`);
  }
}

async function bytesOf(
  chart: Chart,
  ending: typeof ENDINGS[number],
  { text = "embedded", dpi, width }: Pick<SaveChartOptions, "text" | "dpi" | "width">,
): Promise<Uint8Array> {
  if (ending === ".png") return await chart.png(dpi === undefined ? {} : { dpi });
  if (ending === ".pdf") return await chart.pdf(width === undefined ? {} : { width });
  return new TextEncoder().encode(
    ending === ".svg"
      ? await chart.svg({ text })
      : ending === ".html"
      ? await chart.html()
      : await jsonOf(chart),
  );
}

/**
 * Saves a chart in the form that the ending of the path names: `.svg` (with the letters that
 * it uses), `.png`, `.pdf` (shapes and text, on a page of its size), `.html`, or `.json` (the Vega-Lite spec; of a Plot chart the words and the rows that it draws).
 *
 * Beside the file stands `NAME.provenance.json`: the digest of the file, where the data came from, and the
 * entities that were not found. Both are written whole or not at all; files that exist are kept, unless `force`
 * says otherwise. A link is followed.
 *
 * @example
 * ```ts
 * import { blockchainComparison, plotComparison, saveChart } from "@chainframe/chainframe";
 *
 * const path = await Deno.makeTempFile({ suffix: ".svg" });
 * await saveChart(plotComparison(await blockchainComparison()), path, { force: true });
 * ```
 *
 * @throws {RangeError} for any other ending.
 * @throws {Deno.errors.AlreadyExists} when the file or its side-car exists, without `force`.
 * @throws {Deno.errors.NotFound} when the folder does not exist.
 * @category Output
 */
export async function saveChart(
  chart: Chart,
  path: string | URL,
  options: SaveChartOptions = {},
): Promise<void> {
  const checked = checkOptions(options, OPTIONS, "saveChart");
  const { from = chart.from, force = false, ...form } = checked;
  const name = path instanceof URL ? fileURLToPath(path) : path;
  const ending = ENDINGS.find((ending) => name.toLowerCase().endsWith(ending));
  if (ending === undefined) {
    throw new RangeError(`saveChart: the path must end in ${ENDINGS.join(", ")}: "${name}"`);
  }
  checkForm(ending, form);
  const content = await bytesOf(chart, ending, form);
  await writeWithSideCar(name, content, { force, from, form: null });
}
