import { titleIn, unitText } from "../../table/track/descriptions.ts";
import type { DataFrame } from "../../table/columns/polars.ts";
import type { PlotSpec, VegaSpec } from "../chart.ts";
import { emptyDocument } from "../drawing/observable_plot.ts";
import type { Tip } from "../drawing/tip.ts";
import { type Block, headingBlock, legendBlock, textBlock } from "../page/page.ts";
import { textValues } from "../read/rows.ts";
import { wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { blockLayers, panelView } from "./panel_view.ts";
import { LOOK } from "./vega_look.ts";

/** Returns a function that writes a tooltip with all columns of a row of a frame. Missing values are left out. */
function tooltipsOf(frame: DataFrame): (tip: Tip) => Record<string, string> {
  const named = frame.columns.map((name) => {
    const [title, unit] = [titleIn(frame, name), unitText(frame, name)];
    const text = title.toLowerCase().includes(unit) ? title : `${title}, ${unit}`;
    // A tooltip draws the picture that a member `image` names.
    return [/^(?:title|image)$/.test(text) ? `${text} ` : text, textValues(frame, name)] as const;
  });
  return ({ values, frameRow: row, ...texts }) => ({
    ...texts,
    ...values,
    ...row !== undefined && Object.fromEntries(named.flatMap(([text, values]) => {
      const value = values[row] ?? null;
      return value === null ? [] : [[text, value]];
    })),
  });
}

/** Returns the Vega-Lite spec of a chart from the spec of its drawing. */
export async function interactiveSpec(spec: PlotSpec, frame: DataFrame): Promise<VegaSpec> {
  const { title, subtitle, label, caption, legend, panels, columns, gap } = spec;
  const width = spec.width - 2 * theme.padding;
  const [document, tooltipOf] = [await emptyDocument(), tooltipsOf(frame)];
  const textOf = (paragraphs: readonly string[]) =>
    textBlock(paragraphs, { ...theme.caption, color: theme.muted, width });
  const viewOf = (block: Block) => (
    block.height === 0
      ? []
      : [{ width, height: block.height, layer: blockLayers(block, { document }) }]
  );
  const views = panels.map((panel, index) => {
    const { title, subtitle } = panel;
    const { layer, ...view } = panelView(panel, {
      ...{ document, tooltipOf },
      selection: `selected${index}`,
    });
    const heading = headingBlock({ title, subtitle }, panel.width!);
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
    usermeta: { theme: spec.theme },
    padding: theme.padding,
    width: spec.width,
    spacing: 12,
    vconcat: [
      ...viewOf(legendBlock(legend, width)),
      { columns, spacing: { row: 16, column: gap }, align: "each", concat: views },
      ...viewOf(textOf(caption)),
    ],
  };
}
