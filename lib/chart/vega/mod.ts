/** Collects all code for Vega-Lite. This module is loaded only when the first spec is made. */

export { interactiveSpec } from "./interactive.ts";
export { specBundle, vegaSvg as specSvg } from "./render_vega.ts";
export { vegaHtml as specHtml } from "./vega_page.ts";
