/**
 * Collects all drawing code. This module imports Observable Plot, so it is loaded only when the first chart is drawn.
 */

import {
  cohortCells,
  endLabels,
  incompleteLine,
  intervalDots,
  numbersAtRisk,
  retentionBand,
  retentionLine,
} from "../marks.ts";
import { Plot } from "./observable_plot.ts";

export { noData } from "./axes.ts";
export { barsFigure } from "./bars.ts";
export { cellsFigure } from "./cells.ts";
export { linesFigure } from "./lines.ts";
export { specHtml, specSvg } from "./render.ts";
export { scatterFigure } from "./scatter.ts";
export { sharesFigure } from "./shares.ts";
export { slopeFigure } from "./slope.ts";
export { stacksFigure } from "./stacks.ts";
export { pdfFile, pngFile, svgFile } from "../page/outputs.ts";

/** Observable Plot with chainframe's marks. */
export const PlotWithMarks = {
  ...Plot,
  retentionLine,
  retentionBand,
  numbersAtRisk,
  cohortCells,
  incompleteLine,
  intervalDots,
  endLabels,
};
