import type { About, Theme, VegaSpec } from "../chart.ts";
import { darkData } from "../page/dark.ts";
import { escapeXml, xmlCharacters } from "../page/svg.ts";
import { loadVega, loadVegaLite } from "./vega.ts";
import { LOOK } from "./vega_parts.ts";

/** A spec in our look, as far as it has none of its own. */
export function withLook(spec: VegaSpec): VegaSpec {
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
