/** All that makes Vega-Lite specs, loaded when the first one is made. */

export { barsSpec } from "./bars.ts";
export { cellsSpec } from "./cells.ts";
export { linesSpec } from "./lines.ts";
export { noDataSpec } from "./vega_parts.ts";
