import type { PlotFigure } from "../chart.ts";
import { type Block, pageSvg, type Panel, partOf, partsPanel, textBlock } from "../page/page.ts";
import { serializeSvg, type SvgNode } from "../page/svg.ts";
import { theme } from "../theme.ts";
import { type DomDocument, emptyDocument, Plot, type PlotOptions } from "./observable_plot.ts";

interface SvgElement extends SvgNode {
  getAttribute(name: string): string | null;
}

/** The position of panel titles: at the left edge of the panel, or above its frame. */
type Headings = "edge" | "frame";

interface DrawnPanel extends Panel {
  readonly heading: Block;
  readonly left: number;
}

/** Draws one panel. Its title is set here, because Plot would make it HTML, which an SVG file cannot hold. */
function drawPanel(
  document: DomDocument,
  { panel: { title, ...options }, headings }: { panel: PlotOptions; headings: Headings },
): DrawnPanel {
  const svg = Plot.plot({ ...options, document }) as unknown as SvgElement;
  const width = Number(svg.getAttribute("width"));
  const left = headings === "frame" ? options.marginLeft ?? 0 : 0;
  const style = { ...theme.panel, color: theme.ink, width: width - left, lines: 2 };
  return {
    heading: textBlock(typeof title === "string" ? [title] : [], style),
    left,
    svg: [...svg.childNodes].map(serializeSvg).join(""),
    width,
    height: Number(svg.getAttribute("height")),
  };
}

/** Draws the panels of a figure. Headings of panels in one row are aligned. */
function drawPanels(
  document: DomDocument,
  { panels, headings }: { panels: readonly PlotOptions[]; headings: Headings },
): Panel[] {
  const drawn = panels.map((panel) => drawPanel(document, { panel, headings }));
  const top = Math.max(0, ...drawn.map(({ heading }) => heading.height));
  return drawn.map(({ heading, left, svg, width, height }) => ({
    svg:
      `${
        left === 0 ? heading.svg : `<g transform="translate(${left},0)">${heading.svg}</g>`
      }<g transform="translate(0,${top})" font-size="${theme.label.size}" ` +
      `text-anchor="middle" fill="${theme.ink}">${svg}</g>`,
    width,
    height: height + top,
  }));
}

/** The parts of a figure as one panel, each drawn at its width. */
function partsOf(document: DomDocument, figure: PlotFigure): Panel {
  const { columns, gap, parts = [] } = figure;
  const width = figure.width - 2 * theme.padding;
  const drawn = parts.map((part) => {
    const inner = part.width - 2 * theme.padding;
    const room = (inner - part.gap * (part.columns - 1)) / part.columns;
    const sized = part.panels.map((options) => ({ width: room, ...options }));
    const headings = part.axis === undefined ? "edge" : "frame";
    const panels = drawPanels(document, { panels: sized, headings });
    return partOf({ ...part, width: inner, panels }, part.panels[0]?.marginTop ?? 0);
  });
  return partsPanel(drawn, { columns, gap, width });
}

/** A figure as one SVG document, in the light theme. */
export async function figureSvg(figure: PlotFigure): Promise<string> {
  const document = await emptyDocument();
  if (figure.parts !== undefined) {
    return pageSvg({ ...figure, columns: 1, panels: [partsOf(document, figure)] });
  }
  const { columns, gap, panels, axis } = figure;
  const room = (figure.width - 2 * theme.padding - gap * (columns - 1)) / columns;
  const sized = panels.map((options) => ({ width: room, ...options }));
  const headings = axis === undefined ? "edge" : "frame";
  return pageSvg({
    ...figure,
    panels: drawPanels(document, { panels: sized, headings }),
  });
}
