/**
 * Collects all drawing code. This module imports Observable Plot, so it is loaded only when the first chart is drawn.
 */

export { noData } from "./axes.ts";
export { barsFigure } from "./bars.ts";
export { cellsFigure } from "./cells.ts";
export { eventsFigure } from "./events.ts";
export { linesFigure } from "./lines.ts";
export { specHtml, specSvg } from "./render.ts";
export { scatterFigure } from "./scatter.ts";
export { stacksFigure } from "./stacks.ts";
export { htmlImage, pdfFile, pngFile, pngText, svgFile } from "../page/outputs.ts";
