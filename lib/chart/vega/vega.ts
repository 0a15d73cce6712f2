// deno-lint-ignore-file no-import-prefix -- researchers import mod.ts from folders of their own, where no import map applies
import type * as vega from "npm:vega@6.4.0";
import type * as vegaLite from "npm:vega-lite@6.5.0";
import { textWidth } from "../text/layout.ts";

/** The one door to Vega, which draws what Vega-Lite compiles, here and in the browser. */

// Deno downloads what a literal specifier names, even where it is never reached.
const VEGA: string = "npm:vega@6.4.0";

interface TextItem {
  readonly text?: unknown;
  readonly fontSize?: number;
  readonly fontWeight?: string | number;
}

/** Without a canvas Vega guesses the widths of texts; it lets us measure them instead. */
function measure(item: TextItem, text: unknown = item.text): number {
  const { fontSize: size = 11, fontWeight = "normal" } = item;
  const bold = fontWeight === "bold" || Number(fontWeight) >= 600;
  return textWidth(String(text ?? ""), { size, bold });
}

/** The module of Vega. */
export async function loadVega(): Promise<typeof vega> {
  const module = await import(VEGA);
  module.textMetrics.width = measure;
  return module;
}

/** Vega as one script for a browser. */
export async function vegaScript(): Promise<string> {
  await loadVega();
  return await Deno.readTextFile(new URL("vega.min.js", import.meta.resolve(VEGA)));
}

/** The one door to Vega-Lite, which compiles a spec for Vega. */

// Deno downloads what a literal specifier names, even where it is never reached.
const VEGA_LITE: string = "npm:vega-lite@6.5.0";

/** The module of Vega-Lite. */
export function loadVegaLite(): Promise<typeof vegaLite> {
  return import(VEGA_LITE);
}

/** Vega-Lite as one script for a browser. */
export async function vegaLiteScript(): Promise<string> {
  await loadVegaLite();
  return await Deno.readTextFile(new URL("vega-lite.min.js", import.meta.resolve(VEGA_LITE)));
}

/** The one door to vega-embed, which shows a spec in a browser, with tooltips. */

// Deno downloads what a literal specifier names, even where it is never reached.
const VEGA_EMBED: string = "npm:vega-embed@7.3.0";

/** vega-embed as one script for a browser. */
export async function vegaEmbedScript(): Promise<string> {
  await import(VEGA_EMBED);
  return await Deno.readTextFile(new URL("vega-embed.min.js", import.meta.resolve(VEGA_EMBED)));
}
