import { excerptOf } from "../../table/show/excerpt.ts";
import { titleIn } from "../../table/track/descriptions.ts";
import type { DataFrame } from "../../table/build/polars.ts";
import type { LegendItem, PlotSpec, VegaSpec } from "../chart.ts";
import { emptyDocument, type PlotOptions } from "../drawing/observable_plot.ts";
import type { Tip } from "../drawing/tip.ts";
import { textValues } from "../read/rows.ts";
import { textWidth, wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { inPlace, panelView, quiet } from "./panel_view.ts";
import { LOOK } from "./vega_look.ts";

/** Returns a function that writes a tooltip with all columns of a row of a frame. Missing values are left out. */
function tooltipsOf(frame: DataFrame): (tip: Tip) => Record<string, string> {
  const { columns } = excerptOf(frame, { rows: 0, columns: frame.columns });
  const named = columns.map(({ name, unit }) => {
    const title = titleIn(frame, name);
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

/** Draws texts at positions in pixels. */
function textLayer(
  rows: readonly { readonly x: number; readonly y: number; readonly text: string }[],
  mark: VegaSpec,
): VegaSpec {
  return {
    data: { values: rows },
    mark: { type: "text", align: "left", baseline: "alphabetic", ...quiet, ...mark },
    encoding: { x: inPlace("x"), y: inPlace("y"), text: { field: "text" } },
  };
}

/** Draws paragraphs, each wrapped to the width. */
function textView(texts: readonly string[], width: number): VegaSpec {
  const { size, line } = theme.caption;
  const lines = texts.flatMap((text) => wrapText(text, { size, width }));
  return {
    ...{ width, height: lines.length * line },
    ...textLayer(lines.map((text, at) => ({ x: 0, y: at * line + size, text })), {
      ...{ fontSize: size, color: theme.muted },
    }),
  };
}

/** The keys of a legend. Other keys are squares. */
const KEYS: Partial<Record<LegendItem["key"], VegaSpec>> = {
  line: { type: "rule", strokeWidth: 2 },
  whisker: { type: "rule", strokeWidth: 1.5 },
  dashed: { type: "rule", strokeWidth: 2, strokeDash: [5, 3] },
  band: { type: "rect", opacity: 0.2 },
};

/** Draws a legend in a row. */
function legendView(legend: readonly LegendItem[], width: number): VegaSpec {
  const { size, line } = theme.legend;
  let end = 0;
  const items = legend.map((item) => {
    const x = end;
    end += textWidth(item.label, theme.legend) + 42;
    return { ...item, text: item.label, x };
  });
  return {
    ...{ width, height: line },
    layer: [
      ...items.map(({ x, color, key }) => {
        const mark = KEYS[key] ?? { type: "rect" };
        return {
          data: { values: [{}] },
          mark: { color, ...quiet, ...mark },
          encoding: {
            ...{ x: { value: x }, x2: { value: x + 18 } },
            ...mark.type === "rect" ? { y: { value: 3 }, y2: { value: 14 } } : { y: { value: 9 } },
          },
        };
      }),
      textLayer(items.map(({ x, text }) => ({ x: x + 24, y: 13, text })), { fontSize: size }),
    ],
  };
}

/** Draws the title of a panel above the panel. */
function titleLayers({ title, width, marginLeft = 0 }: PlotOptions, hasAxis: boolean): VegaSpec[] {
  if (title == null) return [];
  const { size, line } = theme.panel;
  const x = hasAxis ? marginLeft : 0;
  const lines = wrapText(String(title), { ...theme.panel, width: width! - x, lines: 2 });
  return [textLayer(
    lines.map((text, at) => ({ x, y: (at - lines.length) * line + size, text })),
    { fontSize: size, fontWeight: "bold" },
  )];
}

/** Returns the Vega-Lite spec of a chart from the spec of its drawing. */
export async function interactiveSpec(spec: PlotSpec, frame: DataFrame): Promise<VegaSpec> {
  const { title, subtitle, label, caption, legend, panels, columns, gap, axis } = spec;
  const width = spec.width - 2 * theme.padding;
  const [document, tooltipOf] = [await emptyDocument(), tooltipsOf(frame)];
  const views = panels.map((panel, index) => {
    const { layer, ...view } = panelView(panel, {
      ...{ document, tooltipOf },
      selection: `selected${index}`,
    });
    return { ...view, layer: [...titleLayers(panel, axis !== undefined), ...layer] };
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
      ...legend.length === 0 ? [] : [legendView(legend, width)],
      ...axis === undefined ? [] : [textView([axis], width)],
      { columns, spacing: { row: 16, column: gap }, align: "each", concat: views },
      textView(caption, width),
    ],
  };
}
