import type { Coloring, PlotSpec } from "../chart.ts";
import { fontRules } from "../page/fonts.ts";
import { themed } from "../page/outputs.ts";
import { headingBlock, type PagePanel, pageSvg, partOf } from "../page/page.ts";
import { hiddenTable, htmlPage, serializeSvg, type SvgNode } from "../page/svg.ts";
import { theme } from "../theme.ts";
import { legendsOf, withoutLegends } from "./plot_legends.ts";
import { houseOptions } from "./house_options.ts";
import { type DomDocument, emptyDocument, Plot, type PlotOptions } from "./observable_plot.ts";

interface SvgElement extends SvgNode {
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  querySelectorAll(selector: string): Iterable<SvgElement>;
}

/** The options for which Plot returns HTML in place of an SVG. */
const NO_HTML = { subtitle: null, caption: null, figure: false } as const;

/**
 * Draws the panels of a figure. Titles are drawn separately, because Plot would draw a title as HTML, which an SVG file cannot
 * contain.
 */
function drawPanels(document: DomDocument, figure: PlotSpec) {
  const { columns, gap, panels } = figure;
  const room = (innerWidth(figure) - gap * (columns - 1)) / columns;
  const drawn = panels.map(({ title, subtitle, ...options }) => {
    const { bare, asked } = withoutLegends(options);
    const draw = (own: PlotOptions) => Plot.plot({ width: room, ...own, ...NO_HTML, document });
    // The panels of chainframe's charts have no axes of Plot.
    const isOwn = bare.x?.axis !== null || bare.y?.axis !== null;
    const first = draw(bare);
    const plot = isOwn ? draw(houseOptions(bare, first)) : first;
    const svg = plot as unknown as SvgElement;
    for (const axis of isOwn ? svg.querySelectorAll('[aria-label*="-axis tick"]') : []) {
      const name = axis.getAttribute("aria-label")!.endsWith("label") ? "fill" : "stroke";
      const own = axis.getAttribute(name) ?? "currentColor";
      if (own === "currentColor") axis.setAttribute(name, theme.muted);
    }
    const dots = [...svg.querySelectorAll('[aria-label="dot"]')];
    const hollow = dots.some((dot) => dot.getAttribute("fill") === "none");
    const width = Number(svg.getAttribute("width"));
    const heading = headingBlock({ title, subtitle }, width);
    return { heading, svg, width, legends: legendsOf(plot, { asked, options, hollow }) };
  });
  const top = Math.max(0, ...drawn.map(({ heading }) => heading.height));
  const made = drawn.map(({ heading, svg, width }): PagePanel => ({
    svg:
      (heading.height === top
        ? heading.svg
        : `<g transform="translate(0,${top - heading.height})">${heading.svg}</g>`) +
      `<g transform="translate(0,${top})" font-size="${theme.label.size}" ` +
      `text-anchor="middle" fill="${theme.ink}">${
        [...svg.childNodes].map(serializeSvg).join("")
      }</g>`,
    width,
    height: Number(svg.getAttribute("height")) + top,
  }));
  return {
    panels: made,
    legend: [...figure.legend, ...drawn.flatMap(({ legends }) => legends.items)],
    caption: [...figure.caption, ...new Set(drawn.flatMap(({ legends }) => legends.note || []))],
  };
}

function innerWidth({ width }: PlotSpec): number {
  return width - 2 * theme.padding;
}

/** Draws the panels of a figure. Returns the figure with the drawn panels. */
function drawnPage(document: DomDocument, figure: PlotSpec) {
  const below = figure.columns > 1 || figure.panels.length > 1 ? 8 : 0;
  return { ...figure, below, ...drawPanels(document, figure) };
}

/** Draws a figure as one SVG document, in the light theme. */
export async function specSvg(figure: PlotSpec): Promise<string> {
  const document = await emptyDocument();
  if (figure.parts === undefined) return pageSvg(drawnPage(document, figure));
  const panels = figure.parts.map((part) => {
    const page = { ...drawnPage(document, part), width: innerWidth(part) };
    return partOf(page, part.panels[0]?.marginTop ?? 0);
  });
  return pageSvg({ ...figure, below: figure.gap, panels });
}

/**
 * Draws an HTML page with a figure in several widths, widest first, and a table of the rows. The page shows the widest
 * figure that fits the window.
 */
export async function specHtml(
  figures: readonly PlotSpec[],
  { title, ...coloring }: Coloring & { readonly title: string },
): Promise<string> {
  // Pages that are wider than 640 pixels have a margin.
  const rules = figures.slice(1).map(({ width }, index) => {
    const wider = figures[index]!.width;
    const below = (wider <= 640 ? wider : wider + 32) - 1;
    return `.w${width} { display: none; }\n@media (max-width: ${below}px) { ` +
      `.w${wider} { display: none; } .w${width} { display: block; } }`;
  });
  const svgs = await Promise.all(
    figures.map(async (figure) => themed(await specSvg(figure), coloring)),
  );
  const body = svgs.map((svg, index) => `<div class="w${figures[index]!.width}">${svg}</div>`);
  const style = `<style>\n${rules.join("\n")}\n</style>`;
  const table = hiddenTable(title, figures[0]!.rows);
  return htmlPage({
    title,
    theme: coloring.theme,
    fonts: await fontRules(svgs),
    body: [style, ...body, table].join("\n"),
  });
}
