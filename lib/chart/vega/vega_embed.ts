/** The one door to vega-embed, which shows a spec in a browser, with tooltips. */

// Deno downloads what a literal specifier names even when it is never reached.
const specifier: string = "npm:vega-embed@7.3.0";

/** vega-embed as one script for a browser. */
export async function vegaEmbedScript(): Promise<string> {
  await import(specifier);
  return await Deno.readTextFile(new URL("vega-embed.min.js", import.meta.resolve(specifier)));
}
