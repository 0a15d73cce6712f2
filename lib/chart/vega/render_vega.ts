import type { About, Theme, VegaSpec } from "../chart.ts";
import { darkData } from "../page/dark.ts";
import { escapeXml, htmlPage, xmlCharacters } from "../page/svg.ts";
import { theme as look } from "../theme.ts";
import { loadVega, loadVegaLite, vegaEmbedScript, vegaLiteScript, vegaScript } from "./vega.ts";
import { LOOK } from "./vega_parts.ts";

/** A spec in our look, as far as it has none of its own. */
function withLook(spec: VegaSpec): VegaSpec {
  return { ...spec, config: { ...LOOK, ...spec.config as object | undefined } };
}

/** A spec as one SVG document, in the light theme. */
export async function specSvg(spec: VegaSpec, { title, label }: About): Promise<string> {
  const [vega, { compile }] = await Promise.all([loadVega(), loadVegaLite()]);
  // Vega leaves its marks on the rows it is given.
  const own = structuredClone(withLook(spec)) as unknown as Parameters<typeof compile>[0];
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

/** A spec in the colours of a theme; a notebook cannot be asked for its own, and gets the light one. */
export function themedSpec(spec: VegaSpec, theme: Theme): VegaSpec {
  return theme === "dark" ? darkData(withLook(spec)) : withLook(spec);
}

/** Where a reader's choices stand: Vega alone would set them below the chart. */
const CONTROLS = `<div id="controls" style="padding: 0 ${look.padding}px; ` +
  `font-size: ${look.legend.size}px"></div>`;

/** A spec as one HTML document that answers to the mouse. */
export async function specHtml(spec: VegaSpec, title: string, theme: Theme): Promise<string> {
  const scripts = await Promise.all([vegaScript(), vegaLiteScript(), vegaEmbedScript()]);
  const current = {
    ...withLook(spec),
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
  };
  const json = (data: VegaSpec) => JSON.stringify(data).replaceAll("<", "\\u003c");
  const light = json(current);
  const dark = json(darkData(current));
  const chosen = theme === "light"
    ? light
    : theme === "dark"
    ? dark
    : `matchMedia("(prefers-color-scheme: dark)").matches ? ${dark} : ${light}`;
  const show =
    `vegaEmbed("#chart", ${chosen}, { actions: false, bind: "#controls", renderer: "svg" });`;
  return htmlPage({
    title,
    theme,
    body: `${CONTROLS}\n<div id="chart"></div>\n`,
    scripts: [...scripts, show].map((script) => `<script>${script}</script>`).join("\n"),
  });
}
