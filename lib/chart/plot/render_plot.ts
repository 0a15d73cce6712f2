import type { PlotFigure } from "../chart.ts";
import { type Block, pageSvg, type Panel, textBlock } from "../page/page.ts";
import { serializeSvg, type SvgNode } from "../page/svg.ts";
import { theme } from "../theme.ts";
import {
  type DomDocument,
  emptyDocument,
  loadPlot,
  type ObservablePlot,
  type PlotOptions,
} from "./observable_plot.ts";

export { loadPlot };

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
function drawPanels(
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

/** A figure as one SVG document, in the light theme. */
export async function figureSvg(figure: PlotFigure): Promise<string> {
  const [plot, document] = await Promise.all([loadPlot(), emptyDocument()]);
  const { columns, gap, panels } = figure;
  const room = (figure.width - 2 * theme.padding - gap * (columns - 1)) / columns;
  const sized = panels.map((options) => ({ width: room, ...options }));
  return pageSvg({ ...figure, panels: drawPanels(plot, document, sized) });
}
