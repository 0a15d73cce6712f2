import { type About, aboutText } from "../about.ts";
import { type Chart, DENO_INSPECT, JUPYTER_DISPLAY } from "../chart.ts";
import { htmlPage } from "../page/html_page.ts";
import { pageSvg } from "../page/page.ts";
import { pngOf } from "../page/png_of.ts";
import { drawPanels } from "./draw_panels.ts";
import { emptyDocument } from "./linkedom.ts";
import { loadPlot } from "./observable_plot.ts";
import type { PlotFigure } from "./plot_figure.ts";

/** A chart drawn by Observable Plot: `spec` is made when it is first asked for. */
export type PlotChart = Chart<Promise<PlotFigure>>;

async function drawFigure(figure: PlotFigure): Promise<string> {
  const [plot, document] = await Promise.all([loadPlot(), emptyDocument()]);
  return pageSvg({
    ...figure,
    panels: drawPanels(plot, document, figure.panels),
  });
}

/** A chart whose figure is made when it is first needed, so that nothing heavy loads before. */
export function plotChart(about: About, makeFigure: () => Promise<PlotFigure>): PlotChart {
  let figure: Promise<PlotFigure> | undefined;
  const spec = () => figure ??= makeFigure();
  const svg = async () => await drawFigure(await spec());
  return {
    title: about.title,
    get spec() {
      return spec();
    },
    svg,
    png: async (options) => await pngOf(await svg(), options),
    html: async () => htmlPage(about.title, await svg()),
    [JUPYTER_DISPLAY]: async () => ({
      "image/svg+xml": await svg(),
      "text/plain": aboutText(about),
    }),
    [DENO_INSPECT]: () => `Chart (Observable Plot)\n${aboutText(about)}`,
  };
}

/**
 * Draws a figure: the `spec` of another chart, changed.
 *
 * A figure is the words around the chart, its legend, and the options of one `Plot.plot` for each panel.
 *
 * @example
 * ```ts
 * import { blockchainComparison, drawPlot, plotComparison } from "@chainframe/chainframe";
 *
 * const figure = await plotComparison(await blockchainComparison()).spec;
 * const chart = drawPlot({ ...figure, title: "What users pay", legend: [] });
 * console.log(chart.title); // What users pay
 * ```
 */
export function drawPlot(figure: PlotFigure): PlotChart {
  return plotChart(figure, () => Promise.resolve(figure));
}
