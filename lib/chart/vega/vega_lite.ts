// deno-lint-ignore-file no-import-prefix -- researchers import mod.ts from folders of their own, where no import map applies
/** The one door to Vega-Lite, which compiles a spec for Vega. */
import type * as vegaLite from "npm:vega-lite@6.5.0";

// Deno downloads what a literal specifier names even when it is never reached.
const specifier: string = "npm:vega-lite@6.5.0";

/** The module of Vega-Lite. */
export function loadVegaLite(): Promise<typeof vegaLite> {
  return import(specifier);
}

/** Vega-Lite as one script for a browser. */
export async function vegaLiteScript(): Promise<string> {
  await loadVegaLite();
  return await Deno.readTextFile(new URL("vega-lite.min.js", import.meta.resolve(specifier)));
}
