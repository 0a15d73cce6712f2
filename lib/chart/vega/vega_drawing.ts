/** Collects all code for Vega-Lite. This module is loaded only when the first spec is made. */

export { barsSpec } from "./bars.ts";
export { cellsSpec } from "./cells.ts";
export { linesSpec } from "./lines.ts";
export { specBundle, vegaSvg as specSvg } from "./render_vega.ts";
export { vegaHtml as specHtml } from "./vega_page.ts";
export { noDataSpec } from "./vega_parts.ts";
