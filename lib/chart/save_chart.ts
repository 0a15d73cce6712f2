import { fileURLToPath } from "node:url";
import { aFlag, checkOptions } from "../host/check_options.ts";
import type { WriteOptions } from "../host/file.ts";
import type { DataFrame } from "../table/polars.ts";
import { aFrame } from "../table/require_columns.ts";
import { writeWithSideCar } from "../table/side_car.ts";
import type { Chart } from "./chart.ts";

const ENDINGS = [".svg", ".png", ".html", ".json"] as const;

const OPTIONS = { force: aFlag, from: aFrame };

/** A figure's panels hold functions, which JSON cannot: its words and rows are saved without them. */
async function jsonOf(chart: Chart): Promise<string> {
  const { panels: _, ...spec } = await chart.spec as Record<string, unknown>;
  return `${JSON.stringify(spec, null, 2)}\n`;
}

/** The options of {@linkcode saveChart}. */
export interface SaveChartOptions extends WriteOptions {
  /**
   * The frame that knows where the data came from, whose provenance and entity errors go into the side-car.
   *
   * @default {the frame that was drawn}
   */
  readonly from?: DataFrame;
}

/**
 * Saves a chart in the form that the ending of the path names: `.svg`, `.png` (two pixels for one), `.html`, or
 * `.json` (the Vega-Lite spec; of a Plot chart the words and the rows that it draws).
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
 */
export async function saveChart(
  chart: Chart,
  path: string | URL,
  options: SaveChartOptions = {},
): Promise<void> {
  const { from = chart.from, ...write } = checkOptions(options, OPTIONS, "saveChart");
  const name = path instanceof URL ? fileURLToPath(path) : path;
  const ending = ENDINGS.find((ending) => name.toLowerCase().endsWith(ending));
  if (ending === undefined) {
    throw new RangeError(`saveChart: the path must end in ${ENDINGS.join(", ")}: "${name}"`);
  }
  const content = ending === ".png" ? await chart.png() : new TextEncoder().encode(
    ending === ".svg"
      ? await chart.svg()
      : ending === ".html"
      ? await chart.html()
      : await jsonOf(chart),
  );
  await writeWithSideCar(name, content, { ...write, from, form: null });
}
