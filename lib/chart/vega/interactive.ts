import { excerptOf } from "../../table/show/excerpt.ts";
import { titleIn } from "../../table/track/descriptions.ts";
import type { DataFrame } from "../../table/build/polars.ts";
import type { LegendItem, PlotSpec, VegaSpec } from "../chart.ts";
import type { BarsPlan } from "../drawing/bars.ts";
import type { CellsPlan } from "../drawing/cells.ts";
import type { LinesPlan } from "../drawing/line_plan.ts";
import type { ScatterPlan } from "../drawing/scatter.ts";
import type { Look } from "../look.ts";
import { textValues } from "../read/rows.ts";
import { textWidth, wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { barsViews } from "./bars.ts";
import { cellsViews } from "./cells.ts";
import { dotsViews } from "./dots.ts";
import { linesViews } from "./lines.ts";
import { inColor, inPlace, quiet, textLayer, type Tooltip } from "./view.ts";
import { LOOK } from "./vega_look.ts";

/** The data of a chart of one form, and its options. A chart without values has no data. */
export interface Form {
  readonly look: Look;
  readonly lines?: LinesPlan;
  readonly bars?: BarsPlan;
  readonly cells?: CellsPlan;
  readonly dots?: ScatterPlan;
}

/** Returns a function that makes tooltips with all columns of a row of a frame. Missing values are left out. */
function tooltipOf(frame: DataFrame): Tooltip {
  const { columns } = excerptOf(frame, { rows: 0, columns: frame.columns });
  const named = columns.map(({ name, unit }) => {
    const title = titleIn(frame, name);
    const text = title.toLowerCase().includes(unit) ? title : `${title}, ${unit}`;
    // A tooltip draws the picture that a member `image` names.
    return [/^(?:title|image)$/.test(text) ? `${text} ` : text, textValues(frame, name)] as const;
  });
  return (texts, row) => ({
    ...texts,
    ...row !== undefined && Object.fromEntries(named.flatMap(([text, values]) => {
      const value = values[row] ?? null;
      return value === null ? [] : [[text, value]];
    })),
  });
}

function viewsOf(
  { lines, bars, cells, dots, look }: Form,
  spec: PlotSpec,
  tip: Tooltip,
): VegaSpec[] {
  if (lines !== undefined) return linesViews(lines, look, spec, tip);
  if (bars !== undefined) return barsViews(bars, look, spec, tip);
  if (cells !== undefined) return cellsViews(cells, look, spec, tip);
  if (dots !== undefined) return dotsViews(dots, look, spec, tip);
  return [textView([look.about.label], look.inner)];
}

function textView(lines: readonly string[], width: number, left = 0): VegaSpec {
  const { size: fontSize, line } = theme.caption;
  return {
    width: width - left,
    height: lines.length * line,
    layer: textLayer(lines.map((text, at) => ({ x: -left, y: at * line + line / 2, text })), {
      fontSize,
    }),
  };
}

/** Draws the keys of a legend in a row. */
function legendView(legend: readonly LegendItem[], width: number, left: number): VegaSpec {
  let end = -left;
  const keys = legend.map(({ label, color, key, hollow = false }) => {
    const x = end;
    end += textWidth(label, theme.legend) + 42;
    return {
      x,
      x2: x + 18,
      text: label,
      color,
      thick: key === "band" || key === "square",
      hollow,
      dash: key === "dashed",
    };
  });
  const rule = (test: string, mark: VegaSpec) => ({
    transform: [{ filter: test }],
    mark: { type: "rule", ...quiet, ...mark },
    encoding: { x: inPlace("x"), x2: { field: "x2" }, y: { value: 10 }, color: inColor },
  });
  return {
    ...{ width: width - left, height: theme.legend.line, data: { values: keys } },
    layer: [
      rule("!datum.thick && !datum.dash", { strokeWidth: 2 }),
      rule("datum.dash", { strokeWidth: 2, strokeDash: [5, 3] }),
      rule("datum.thick", { strokeWidth: 10, opacity: 0.4 }),
      ...textLayer(keys.map(({ x2, text }) => ({ x: x2 + 6, y: 10, text })), {
        fontSize: theme.legend.size,
        color: theme.ink,
      }),
    ],
  };
}

/**
 * Returns the Vega-Lite spec of a chart from its form and from the spec of its drawing, which has the texts, and the
 * sizes and domains of the panels.
 */
export function interactiveSpec(form: Form, spec: PlotSpec, frame: DataFrame): VegaSpec {
  const { title, subtitle, label, caption, legend, columns, gap, width, axis } = spec;
  const inner = width - 2 * theme.padding;
  const wrapped = (text: string, face: typeof theme.title | typeof theme.caption) =>
    wrapText(text, { ...face, width: inner });
  // Views are aligned at the left edge of their plots.
  const left = (form.cells === undefined ? spec.panels[0]! : spec.panels[1]!).marginLeft ?? 0;
  const views = viewsOf(form, spec, tooltipOf(frame));
  const heading = {
    subtitleFontSize: theme.label.size,
    subtitleLineHeight: theme.label.line,
    anchor: "start",
    frame: "bounds",
    fontSize: theme.panel.size,
    offset: 8,
  };
  return {
    // Notebook front ends support version 5.
    $schema: "https://vega.github.io/schema/vega-lite/v5.json",
    description: `${title}. ${label}`,
    title: {
      text: wrapped(title, theme.title),
      subtitle: wrapText(subtitle, { ...theme.subtitle, width: inner }),
    },
    config: LOOK,
    usermeta: { theme: spec.theme },
    padding: theme.padding,
    width,
    spacing: 12,
    align: "none",
    vconcat: [
      ...legend.length === 0 ? [] : [legendView(legend, inner, left)],
      ...axis === undefined ? [] : [textView(wrapped(axis, theme.caption), inner, left)],
      {
        ...{ columns, spacing: { row: 16, column: gap }, align: "each" },
        concat: views.map(({ title, subtitle = "", ...view }, index) => ({
          ...title !== undefined && {
            title: {
              ...heading,
              text: wrapText(title as string, {
                ...theme.panel,
                width: spec.panels[index]!.width!,
              }),
              subtitle,
            },
          },
          ...view,
        })),
      },
      textView(caption.flatMap((line) => wrapped(line, theme.caption)), inner, left),
    ],
  };
}
