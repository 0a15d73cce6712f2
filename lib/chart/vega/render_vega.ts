import type { About, Theme, VegaSpec } from "../chart.ts";
import { darkData } from "../page/dark.ts";
import { escapeXml, xmlCharacters } from "../page/svg.ts";
import { loadVega, loadVegaLite } from "./vega.ts";
import { LOOK } from "./vega_parts.ts";

/** Adds chainframe's style to a spec. The style that the spec already has is kept. */
export function withLook(spec: VegaSpec): VegaSpec {
  return { ...spec, config: { ...LOOK, ...spec.config as object | undefined } };
}

/** Returns a spec for a static picture. The hints on interactions are removed from the subtitle. */
function asPicture(spec: VegaSpec): VegaSpec {
  const { title, usermeta } = spec as {
    readonly title?: { readonly subtitle?: unknown };
    readonly usermeta?: { readonly hints?: readonly unknown[] };
  };
  if (!Array.isArray(title?.subtitle)) return spec;
  const subtitle = title.subtitle.filter((line) => !usermeta?.hints?.includes(line));
  return { ...spec, title: { ...title, subtitle } };
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

/**
 * Returns a spec for notebooks, in the colors of a theme. With `auto`, the colors are those of the light theme, because
 * the theme of the notebook is unknown.
 */
export function specBundle(spec: VegaSpec, theme: Theme): Readonly<Record<string, VegaSpec>> {
  const light = withLook(spec);
  return { "application/vnd.vegalite.v5+json": theme === "dark" ? darkData(light) : light };
}
