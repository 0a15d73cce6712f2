// deno-lint-ignore-file no-import-prefix -- researchers import mod.ts from folders of their own, where no import map applies
import type * as vega from "npm:vega@6.4.0";
import type * as vegaLite from "npm:vega-lite@6.5.0";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadPackage, packageFolder } from "../../platform/package.ts";
import type { About, Coloring, VegaSpec } from "../chart.ts";
import { darkData } from "../page/dark.ts";
import { escapeXml, xmlCharacters } from "../page/svg.ts";
import { refuseAddresses } from "./data_addresses.ts";
import { houseSpec, LOOK } from "./vega_look.ts";
import { textWidth } from "../text/layout.ts";

interface TextItem {
  readonly text?: unknown;
  readonly fontSize?: number;
  readonly fontWeight?: string | number;
}

/**
 * Returns the width of a text. This function replaces Vega's own function, which only estimates text widths if there is
 * no canvas.
 */
function measure(item: TextItem, text: unknown = item.text): number {
  const { fontSize: size = 11, fontWeight = "normal" } = item;
  const bold = fontWeight === "bold" || Number(fontWeight) >= 600;
  return textWidth(String(text ?? ""), { size, bold });
}

/** Loads the module of Vega. */
export async function loadVega(): Promise<typeof vega> {
  const module = await loadPackage<typeof vega & { textMetrics: { width: unknown } }>(
    "npm:vega@6.4.0",
  );
  module.textMetrics.width = measure;
  return module;
}

/** Loads the module of Vega-Lite. */
export function loadVegaLite(): Promise<typeof vegaLite> {
  return loadPackage("npm:vega-lite@6.5.0");
}

const SCRIPTS = [
  ["npm:vega@6.4.0", "vega.min.js"],
  ["npm:vega-lite@6.5.0", "vega-lite.min.js"],
  ["npm:vega-embed@7.3.0", "vega-embed.min.js"],
] as const;

/** Returns Vega, Vega-Lite and vega-embed as scripts for a browser. */
export async function browserScripts(): Promise<string[]> {
  return await Promise.all(
    SCRIPTS.map(async ([specifier, name]) =>
      await readFile(join(await packageFolder(specifier), name), "utf8")
    ),
  );
}

/** Adds chainframe's style to a spec. The style that the spec already has is kept. Refuses data of an address. */
export function withLook(spec: VegaSpec): VegaSpec {
  refuseAddresses(spec);
  return { ...houseSpec(spec), config: { ...LOOK, ...spec.config as object | undefined } };
}

/** Returns a loader of Vega that makes no link of an address that is not http, https or mailto, and notes it. */
function safeLoader({ loader }: typeof vega, refused: Set<string>): vega.Loader {
  const made = loader();
  const sanitize = made.sanitize.bind(made);
  made.sanitize = async (uri, options) => {
    const { context } = Object(options) as { context?: string };
    const isLink = /^(?:https?|mailto):/i.test(String(uri).trim());
    if (context === "href" && !isLink) {
      refused.add(String(uri));
      return {} as { href: string };
    }
    // An error would end the process, because no caller can catch it.
    return await sanitize(uri, options).catch(() => ({}) as { href: string });
  };
  return made;
}

/** Draws a spec as one SVG document, in the light theme. */
export async function vegaSvg(spec: VegaSpec, { title, label }: About): Promise<string> {
  const [vega, { compile }] = await Promise.all([loadVega(), loadVegaLite()]);
  // Vega changes the rows that it draws, so the spec is copied.
  const own = structuredClone(withLook(spec)) as unknown as Parameters<
    typeof compile
  >[0];
  const compiled = compile(own).spec;
  const refused = new Set<string>();
  const view = new vega.View(vega.parse(compiled), {
    renderer: "none",
    loader: safeLoader(vega, refused),
  });
  const drawn = await view.toSVG();
  // The labels of marks for screen readers list their addresses.
  const svg = drawn.replace(
    /aria-label="[^"]*"/g,
    (label) =>
      [...refused].filter((uri) => uri !== "")
        .reduce((text, uri) => text.replaceAll(escapeXml(uri), "no link"), label),
  );
  view.finalize();
  const name = `role="img" aria-label="${escapeXml(`${title}. ${label}`)}"`;
  const words = `<title>${escapeXml(title)}</title><desc>${escapeXml(label)}</desc>`;
  const named = (_: string, attributes: string) => `<svg ${attributes} ${name}>\n${words}\n`;
  return `${xmlCharacters(svg).replace(/<svg ([^>]*)>/, named)}\n`;
}

/**
 * Returns a spec for notebooks, in the colors of a theme. With `auto`, the colors are those of the light theme, because
 * the theme of the notebook is unknown.
 */
export function specBundle(
  spec: VegaSpec,
  { theme, dark }: Coloring,
): Readonly<Record<string, VegaSpec>> {
  const light = withLook(spec);
  return { "application/vnd.vegalite.v5+json": theme === "dark" ? darkData(light, dark) : light };
}
