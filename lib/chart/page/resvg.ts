// deno-lint-ignore-file no-import-prefix -- researchers import mod.ts from folders of their own, where no import map applies
/** The one door to resvg, which turns SVG into PNG. */
import type * as resvg from "npm:@resvg/resvg-js@2.6.2";

// Deno downloads what a literal specifier names even when it is never reached.
const specifier: string = "npm:@resvg/resvg-js@2.6.2";

export function loadResvg(): Promise<typeof resvg> {
  return import(specifier);
}
