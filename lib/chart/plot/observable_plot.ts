// deno-lint-ignore-file no-import-prefix -- researchers import mod.ts from folders of their own, where no import map applies
/** The one door to Observable Plot, which is downloaded and loaded when the first figure is drawn. */
import type * as plot from "npm:@observablehq/plot@0.6.17";

/** The module of Observable Plot. */
export type ObservablePlot = typeof plot;

/** The options of `Plot.plot`. */
export type PlotOptions = plot.PlotOptions;

/** A mark, or several. */
export type Markish = plot.Markish;

// Deno downloads what a literal specifier names even when it is never reached.
const specifier: string = "npm:@observablehq/plot@0.6.17";

export function loadPlot(): Promise<ObservablePlot> {
  return import(specifier);
}
