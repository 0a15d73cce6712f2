// deno-lint-ignore-file no-import-prefix -- researchers import mod.ts from folders of their own, where no import map applies
import * as Plot from "npm:@observablehq/plot@0.6.17";
import { htmlDocument } from "../../platform/html_document.ts";

/** Imports Observable Plot in one place. Charts load Plot with the drawing code when the first chart is drawn. */
export { Plot };

/**
 * The options of `Plot.plot`.
 *
 * @category Charts
 */
export type PlotOptions = Plot.PlotOptions;

/** The options of a scale. */
export type ScaleOptions = Plot.ScaleOptions;

/** A mark, or several marks. */
export type Markish = Plot.Markish;

/** The document in which Plot draws. */
export type DomDocument = NonNullable<PlotOptions["document"]>;

/** Creates an empty HTML document. */
export async function emptyDocument(): Promise<DomDocument> {
  const document = await htmlDocument("<!doctype html><html><body></body></html>");
  return document as unknown as DomDocument;
}
