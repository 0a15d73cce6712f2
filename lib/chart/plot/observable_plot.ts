// deno-lint-ignore-file no-import-prefix -- researchers import mod.ts from folders of their own, where no import map applies
import type * as plot from "npm:@observablehq/plot@0.6.17";

/** The one door to Observable Plot, which is downloaded and loaded when the first figure is drawn. */

/**
 * The module of Observable Plot.
 *
 * @category Charts
 */
export type ObservablePlot = typeof plot;

/**
 * The options of `Plot.plot`.
 *
 * @category Charts
 */
export type PlotOptions = plot.PlotOptions;

/** The options of a scale. */
export type ScaleOptions = plot.ScaleOptions;

/** A mark, or several. */
export type Markish = plot.Markish;

// Deno downloads what a literal specifier names, even where it is never reached.
const PLOT: string = "npm:@observablehq/plot@0.6.17";

export function loadPlot(): Promise<ObservablePlot> {
  return import(PLOT);
}

/** The one door to linkedom, the DOM that Observable Plot draws in. */

/** What Plot draws in. */
export type DomDocument = NonNullable<PlotOptions["document"]>;

// Deno downloads what a literal specifier names, even where it is never reached.
const LINKEDOM: string = "npm:linkedom@0.18.12";

/** An empty HTML document. */
export async function emptyDocument(): Promise<DomDocument> {
  const { parseHTML } = await import(LINKEDOM);
  return parseHTML("<!doctype html><html><body></body></html>").document;
}
