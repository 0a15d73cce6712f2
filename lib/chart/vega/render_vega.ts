import type { About, Theme, VegaSpec } from "../chart.ts";
import { darkData } from "../page/dark.ts";
import { escapeXml, xmlCharacters } from "../page/svg.ts";
import { loadVega, loadVegaLite } from "./vega.ts";
import { LOOK } from "./vega_parts.ts";

/** Adds chainframe's style to a spec, without changing the style that the spec has. */
export function withLook(spec: VegaSpec): VegaSpec {
  return { ...spec, config: { ...LOOK, ...spec.config as object | undefined } };
}

/** Returns a spec for a static picture, without controls and their hints. */
function asPicture(spec: VegaSpec): VegaSpec {
  const { usermeta = {}, title, layer } = spec as {
    usermeta?: { hints?: readonly string[]; controls?: readonly string[] };
    title?: { subtitle?: unknown };
    layer?: readonly VegaSpec[];
  };
  const { hints = [], controls = [] } = usermeta;
  if (hints.length + controls.length === 0 || title === undefined) return spec;
  const { subtitle } = title;
  return {
    ...spec,
    title: {
      ...title,
      subtitle: Array.isArray(subtitle) ? subtitle.filter((s) => !hints.includes(s)) : subtitle,
    },
    // Other layers use definitions of this layer, so the layer is kept, but without rows.
    layer: layer!.map((each) =>
      controls.includes(String(each.name)) ? { ...each, data: { values: [] } } : each
    ),
  };
}

/** Draws a spec as one SVG document, in the light theme. */
export async function specSvg(spec: VegaSpec, { title, label }: About): Promise<string> {
  const [vega, { compile }] = await Promise.all([loadVega(), loadVegaLite()]);
  // Vega changes the rows that it draws, so the spec is copied.
  const own = structuredClone(withLook(asPicture(spec))) as unknown as Parameters<
    typeof compile
  >[0];
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

/** Returns a spec in the colors of a theme. The theme `auto` is light, because the theme of a notebook is unknown. */
export function themedSpec(spec: VegaSpec, theme: Theme): VegaSpec {
  return theme === "dark" ? darkData(withLook(spec)) : withLook(spec);
}
