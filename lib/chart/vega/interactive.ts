import type { PlotSpec, VegaSpec } from "../chart.ts";
import { emptyDocument } from "../drawing/observable_plot.ts";
import type { Tip } from "../drawing/tip.ts";
import { type Block, headingBlock, legendBlock, textBlock } from "../page/page.ts";
import { wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { blockLayers, panelView } from "./panel_view.ts";
import { LOOK } from "./vega_look.ts";

/**
 * Returns a tooltip: the name, the value at its position, and further values. A tooltip draws the texts of the members
 * `title` and `image` in ways of their own.
 */
function tooltipOf({ title, at, values }: Tip): Record<string, string> {
  const lines = Object.entries(values).map(([name, text]) => {
    const key = name === "value" ? at ?? name : name;
    return [/^(?:title|image)$/.test(key) ? `${key} ` : key, text];
  });
  return { title, ...Object.fromEntries(lines) };
}

/** Returns the Vega-Lite spec of a chart from the spec of its drawing. */
export async function interactiveSpec(spec: PlotSpec): Promise<VegaSpec> {
  const { title, subtitle, label, caption, legend, panels, columns, gap } = spec;
  const width = spec.width - 2 * theme.padding;
  const document = await emptyDocument();
  const textOf = (paragraphs: readonly string[]) =>
    textBlock(paragraphs, { ...theme.caption, color: theme.muted, width });
  const viewOf = (block: Block) => (
    block.height === 0
      ? []
      : [{ width, height: block.height, layer: blockLayers(block, { document }) }]
  );
  const headings = panels.map((panel) => headingBlock(panel, panel.width!));
  const views = panels.map((panel, index) => {
    const heading = headings[index]!;
    const { layer, ...view } = panelView(panel, {
      ...{ document, tooltipOf },
      selection: `selected${index}`,
    });
    const above = blockLayers(heading, { document, top: -heading.height });
    return { ...view, layer: [...above, ...layer] };
  });
  return {
    // Notebook front ends support version 5.
    $schema: "https://vega.github.io/schema/vega-lite/v5.json",
    description: `${title}. ${label}`,
    title: {
      text: wrapText(title, { ...theme.title, width }),
      subtitle: wrapText(subtitle, { ...theme.subtitle, width }),
    },
    config: LOOK,
    usermeta: { theme: spec.theme, ...spec.dark && { dark: spec.dark } },
    padding: theme.padding,
    width: spec.width,
    spacing: 12,
    vconcat: [
      ...viewOf(legendBlock(legend, width)),
      {
        columns,
        // Labels at the edges of panels do not move the panels beside them. Headings stand above their panels.
        bounds: "flush",
        spacing: { row: 16 + Math.max(0, ...headings.map(({ height }) => height)), column: gap },
        align: "each",
        concat: views,
      },
      ...viewOf(textOf(caption)),
    ],
  };
}
