import type { PlotOptions } from "./observable_plot.ts";

/** The one door to linkedom, the DOM that Observable Plot draws in. */

/** What Plot draws in. */
export type DomDocument = NonNullable<PlotOptions["document"]>;

// Deno downloads what a literal specifier names even when it is never reached.
const specifier: string = "npm:linkedom@0.18.12";

/** An empty HTML document. */
export async function emptyDocument(): Promise<DomDocument> {
  const { parseHTML } = await import(specifier);
  return parseHTML("<!doctype html><html><body></body></html>").document;
}
