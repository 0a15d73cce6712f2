/** The code for Vega-Lite specs, loaded with the first one. */

export { barsSpec } from "./bars.ts";
export { cellsSpec } from "./cells.ts";
export { linesSpec } from "./lines.ts";
export { noDataSpec } from "./vega_parts.ts";
