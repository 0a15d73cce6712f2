import { type About, aboutText, type Chart, DENO_INSPECT, JUPYTER_DISPLAY } from "../chart.ts";
import { escapeXml, htmlPage, xmlCharacters } from "../page/svg.ts";
import { pngOf } from "../page/png.ts";
import { loadVega, loadVegaLite, vegaEmbedScript, vegaLiteScript, vegaScript } from "./vega.ts";
import type { VegaSpec } from "./vega_parts.ts";

/** A chart drawn by Vega-Lite: `spec` is plain data. */
export type VegaChart = Chart<VegaSpec>;

async function svgOf(spec: VegaSpec, { title, label }: About): Promise<string> {
  const [vega, { compile }] = await Promise.all([loadVega(), loadVegaLite()]);
  // Vega leaves its marks on the rows it is given.
  const own = structuredClone(spec) as unknown as Parameters<typeof compile>[0];
  const compiled = compile(own).spec;
  const view = new vega.View(vega.parse(compiled), { renderer: "none" });
  const svg = await view.toSVG();
  view.finalize();
  const name = `role="img" aria-label="${escapeXml(`${title}. ${label}`)}"`;
  return `${
    xmlCharacters(svg).replace(
      /<svg ([^>]*)>/,
      (_, attributes) =>
        `<svg ${attributes} ${name}>\n<title>${escapeXml(title)}</title><desc>${
          escapeXml(label)
        }</desc>\n`,
    )
  }\n`;
}

async function htmlOf(spec: VegaSpec, title: string): Promise<string> {
  const scripts = await Promise.all([vegaScript(), vegaLiteScript(), vegaEmbedScript()]);
  const current = { ...spec, $schema: "https://vega.github.io/schema/vega-lite/v6.json" };
  const json = JSON.stringify(current).replaceAll("<", "\\u003c");
  const show = `vegaEmbed("#chart", ${json}, { actions: false, renderer: "svg" });`;
  return htmlPage(
    title,
    `<div id="chart"></div>\n`,
    [...scripts, show].map((script) => `<script>${script}</script>`).join("\n"),
  );
}

/** A chart of a spec, with its words. */
export function vegaChart(about: About, spec: VegaSpec): VegaChart {
  const svg = () => svgOf(spec, about);
  return {
    title: about.title,
    spec,
    svg,
    png: async (options) => await pngOf(await svg(), options),
    html: () => htmlOf(spec, about.title),
    [JUPYTER_DISPLAY]: async () => ({
      "application/vnd.vegalite.v5+json": spec,
      "image/svg+xml": await svg(),
      "text/plain": aboutText(about),
    }),
    [DENO_INSPECT]: () => `Chart (Vega-Lite)\n${aboutText(about)}`,
  };
}

function titleOf(spec: VegaSpec): string {
  const { title } = spec;
  const text = typeof title === "object" && title !== null && "text" in title ? title.text : title;
  return Array.isArray(text) ? text.join(" ") : typeof text === "string" ? text : "Chart";
}

/** Draws a Vega-Lite spec: the `spec` of another chart, changed, or one of your own. *
 * @example
 * ```ts
 * import { blockchainComparison, drawVega, vegaComparison } from "@chainframe/chainframe";
 *
 * const { spec } = vegaComparison(await blockchainComparison());
 * const chart = drawVega({ ...spec, title: "What users pay" });
 * console.log(chart.title); // What users pay
 * ```
 */
export function drawVega(spec: VegaSpec): VegaChart {
  const label = typeof spec.description === "string" ? spec.description : "";
  return vegaChart({ title: titleOf(spec), subtitle: "", caption: [], label }, spec);
}
