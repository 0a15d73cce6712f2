import type { Chart } from "./chart.ts";

const ENDINGS = [".svg", ".png", ".html", ".json"] as const;

/** A figure's panels hold functions, which JSON cannot: its words and rows are saved without them. */
async function jsonOf(chart: Chart): Promise<string> {
  const { panels: _, ...spec } = await chart.spec as Record<string, unknown>;
  return `${JSON.stringify(spec, null, 2)}\n`;
}

/**
 * Saves a chart in the form that the ending of the path names: `.svg`, `.png` (two pixels for one), `.html`, or
 * `.json` (the Vega-Lite spec; of a Plot chart the words and the rows that it draws).
 *
 * @example
 * ```ts
 * import { blockchainComparison, plotComparison, saveChart } from "@chainframe/chainframe";
 *
 * const path = await Deno.makeTempFile({ suffix: ".svg" });
 * await saveChart(plotComparison(await blockchainComparison()), path);
 * await Deno.remove(path);
 * ```
 *
 * @throws {RangeError} for any other ending.
 * @throws {Deno.errors.NotFound} when the folder does not exist.
 */
export async function saveChart(chart: Chart, path: string | URL): Promise<void> {
  const name = String(path);
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
  try {
    await Deno.writeFile(path, content);
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound)) throw cause;
    throw new Deno.errors.NotFound(`saveChart: there is no folder for this file: "${name}"`, {
      cause,
    });
  }
}
