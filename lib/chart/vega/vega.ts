// deno-lint-ignore-file no-import-prefix -- researchers import mod.ts from folders of their own, where no import map applies
import type * as vega from "npm:vega@6.4.0";
import type * as vegaLite from "npm:vega-lite@6.5.0";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadPackage, packageFolder } from "../../platform/package.ts";
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
