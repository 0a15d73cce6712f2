// deno-lint-ignore-file no-import-prefix -- researchers import mod.ts from folders of their own, where no import map applies
/** The one door to Vega, which draws what Vega-Lite compiles, here and in the browser. */
import { textWidth } from "../text/text_width.ts";
import type * as vega from "npm:vega@6.4.0";

// Deno downloads what a literal specifier names even when it is never reached.
const specifier: string = "npm:vega@6.4.0";

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
  const module = await import(specifier);
  module.textMetrics.width = measure;
  return module;
}

/** Vega as one script for a browser. */
export async function vegaScript(): Promise<string> {
  await loadVega();
  return await Deno.readTextFile(new URL("vega.min.js", import.meta.resolve(specifier)));
}
