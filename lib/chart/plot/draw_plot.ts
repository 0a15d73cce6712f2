import {
  type About,
  aboutText,
  type Chart,
  DENO_INSPECT,
  type FigureRow,
  JUPYTER_DISPLAY,
} from "../chart.ts";
import { type Block, type LegendItem, pageSvg, type Panel, textBlock } from "../page/page.ts";
import {
  type DomDocument,
  emptyDocument,
  loadPlot,
  type ObservablePlot,
  type PlotOptions,
} from "./observable_plot.ts";
import { htmlPage, serializeSvg, type SvgNode } from "../page/svg.ts";
import { theme } from "../theme.ts";
import { pngOf } from "../page/png.ts";

/** A figure: its words, its legend, and the options of one `Plot.plot` for each panel. */
export interface PlotFigure extends About {
  /** The width of the whole figure in pixels. */
  readonly width: number;
  /** The entries of the legend; none where the lines or bars carry their names. */
  readonly legend: readonly LegendItem[];
  /** How many panels stand side by side. */
  readonly columns: number;
  /** The space between panels that stand side by side, in pixels. */
  readonly gap: number;
  /** The options of each panel, `title` included. */
  readonly panels: readonly PlotOptions[];
  /** The rows that are drawn. */
  readonly rows: readonly FigureRow[];
}

interface SvgElement extends SvgNode {
  getAttribute(name: string): string | null;
}

/** Draws one panel. Its title is set here, because Plot would make it HTML, which an SVG file cannot hold. */
function drawPanel(
  { plot }: ObservablePlot,
  document: DomDocument,
  { title, ...options }: PlotOptions,
): Panel & { readonly heading: Block } {
  const svg = plot({ ...options, document }) as unknown as SvgElement;
  const width = Number(svg.getAttribute("width"));
  const style = { ...theme.panel, color: theme.ink, width, lines: 2 };
  return {
    heading: textBlock(typeof title === "string" ? [title] : [], style),
    svg: [...svg.childNodes].map(serializeSvg).join(""),
    width,
    height: Number(svg.getAttribute("height")),
  };
}

/** Draws the panels of a figure, with their headings on one line where they stand side by side. */
export function drawPanels(
  plot: ObservablePlot,
  document: DomDocument,
  panels: readonly PlotOptions[],
): Panel[] {
  const drawn = panels.map((options) => drawPanel(plot, document, options));
  const top = Math.max(0, ...drawn.map(({ heading }) => heading.height));
  return drawn.map(({ heading, svg, width, height }) => ({
    svg: `${heading.svg}<g transform="translate(0,${top})" font-size="${theme.label.size}" ` +
      `text-anchor="middle" fill="${theme.ink}">${svg}</g>`,
    width,
    height: height + top,
  }));
}

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
