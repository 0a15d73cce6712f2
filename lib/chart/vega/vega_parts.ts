import type { About, Theme, VegaSpec } from "../chart.ts";
import type { Look } from "../look.ts";
import { type RowLabels, textWidth, wrapText } from "../text/layout.ts";
import type { Drawn } from "../colors.ts";
import { symbolPath, theme } from "../theme.ts";

/** The look of our charts, as Vega-Lite's `config`. */
export const LOOK = {
  background: theme.paper,
  font: theme.fontFamily,
  view: { stroke: null },
  title: {
    anchor: "start",
    frame: "bounds",
    fontSize: theme.title.size,
    fontWeight: "bold",
    color: theme.ink,
    subtitleFontSize: theme.subtitle.size,
    subtitleColor: theme.muted,
    subtitleLineHeight: theme.subtitle.line,
    subtitlePadding: 6,
    offset: 14,
  },
  axis: {
    labelFontSize: theme.label.size,
    titleFontSize: theme.label.size,
    titleFontWeight: "normal",
    labelColor: theme.muted,
    titleColor: theme.muted,
    gridColor: theme.grid,
    domainColor: theme.muted,
    tickColor: theme.muted,
    titlePadding: 10,
    labelFlush: false,
    labelPadding: 6,
  },
  legend: {
    labelFontSize: theme.legend.size,
    titleFontSize: theme.label.size,
    titleFontWeight: "normal",
    labelColor: theme.ink,
    titleColor: theme.muted,
    labelLimit: 300,
    symbolOpacity: 1,
    labelOffset: 7,
    symbolSize: 70,
    symbolStrokeWidth: 2,
  },
  text: { color: theme.ink },
} as const;

/** Name of the field that is the title of a tooltip. */
export const HEADING = "title";

/** An invisible rim, so that the mouse finds small points. */
export const RIM = { stroke: theme.paper, strokeOpacity: 0, strokeWidth: 12 };

/** How a spec looks, and what it says. */
export interface VegaLook extends Look {
  readonly about: About;
  readonly theme: Theme;
}

/** What every spec has: words, size, and the layers of the drawing. */
interface SpecParts {
  readonly about: About;
  readonly theme: Theme;
  readonly width: number;
  /** The height of the plot, and how far below it the caption begins. */
  readonly height: number;
  readonly below: number;
  /** Space left of the plot. */
  readonly left: number;
  /** What a reader can do; a picture does not say it. */
  readonly hint?: string;
  /** The layers that are there to be clicked on; a picture is without them. */
  readonly controls?: readonly string[];
  readonly rest: VegaSpec;
  readonly layer: readonly VegaSpec[];
  /** Text above the plot, except title and subtitle. */
  readonly title?: VegaSpec;
}

/** The lines of a caption, below the plot and from the left edge on. */
function captionLayer({ about, width, height, below, left }: SpecParts): VegaSpec[] {
  const { padding, caption: face } = theme;
  const lines = about.caption.filter((line) => line !== "").flatMap((line) =>
    wrapText(line, { ...face, width: width - 2 * padding })
  );
  if (lines.length === 0) return [];
  return [{
    data: { values: [{ caption: lines.join("\n") }] },
    mark: {
      ...{ type: "text", align: "left", baseline: "top", lineBreak: "\n", tooltip: null },
      ...{ clip: false, description: { expr: "datum.caption" } },
      ...{ fontSize: face.size, lineHeight: face.line, color: theme.muted },
    },
    encoding: {
      x: { value: -left },
      y: { value: height + below },
      text: { field: "caption", type: "nominal" },
      color: { value: theme.muted },
    },
  }];
}

/** A title and a subtitle in lines that fit. */
export function titleLines({ title, subtitle }: About, width: number): {
  text: string[];
  subtitle: string[];
} {
  const room = width - 2 * theme.padding;
  return {
    text: wrapText(title, { ...theme.title, width: room }),
    subtitle: wrapText(subtitle, { ...theme.subtitle, width: room }),
  };
}

/** A whole spec: look, words above, the layers, the caption below. */
export function vegaSpec(parts: SpecParts): VegaSpec {
  const { about, theme: look, width, height, rest, layer, hint = "", controls = [] } = parts;
  const { padding } = theme;
  const hints = wrapText(hint, { ...theme.subtitle, width: width - 2 * padding });
  const { text, subtitle } = titleLines(about, width);
  return {
    // The front ends of notebooks know version 5.
    $schema: "https://vega.github.io/schema/vega-lite/v5.json",
    description: `${about.title}. ${about.label}`,
    title: parts.title ?? { text, subtitle: [...subtitle, ...hints] },
    config: LOOK,
    usermeta: { theme: look, hints, controls },
    autosize: { type: "fit-x", contains: "padding" },
    padding,
    ...{ width, height },
    ...rest,
    layer: [...layer, ...captionLayer(parts)],
  };
}

/** A value as an expression of Vega holds it: two separators that JSON allows end a line there. */
export function literalOf(value: unknown): string {
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** An axis of values that takes `left` pixels, with its name above it, where it can be read. */
export function upAxis(left: number): VegaSpec {
  return {
    ...{ domain: false, ticks: false, minExtent: left, maxExtent: left },
    ...{ titleAngle: 0, titleAlign: "left", titleBaseline: "bottom", titleX: -left, titleY: -12 },
  };
}

/** An axis of names at the left, each on up to two lines, `padding` pixels from the plot. */
export function rowAxis(names: readonly string[], labels: RowLabels, padding: number): VegaSpec {
  const lines = Object.fromEntries(names.map((name, row) => [name, labels.lines[row]!]));
  const expression = literalOf(lines);
  return {
    domain: false,
    ticks: false,
    labelExpr: `${expression}[datum.label]`,
    // The first of two lines would stand where the middle of both belongs.
    labelOffset: {
      condition: {
        test: `length(${expression}[datum.value]) > 1`,
        value: -theme.label.line / 2,
      },
      value: 0,
    },
    labelLimit: 0,
    labelLineHeight: theme.label.line,
    labelColor: theme.ink,
    labelPadding: padding,
  };
}

const KEY = 34;

/** The width of the chart, and how far from its left end the plot begins. */
interface LegendRoom {
  readonly width: number;
  readonly left: number;
}

/**
 * A legend above the plot, in as many columns as the widest of its labels leaves room for. It begins where the
 * plot begins, `left` pixels from the axis labels' left end.
 */
function topLegend(labels: readonly string[], { width, left }: LegendRoom): VegaSpec {
  const room = Math.max(120, width - 2 * theme.padding - left);
  const widths = labels.map((label) => textWidth(label, theme.legend));
  const column = Math.min(room, Math.max(...widths) + KEY);
  return {
    orient: "top",
    direction: "horizontal",
    // Below it stands the name of the axis.
    offset: 26,
    columns: Math.max(1, Math.min(labels.length, Math.floor(room / column))),
    labelLimit: room - KEY,
    title: null,
    values: labels,
  };
}

/** A line identified by its name. */
type NamedLine = Drawn & { readonly label: string };

/** Colors of lines, with a legend of those that are not gray if there is room. */
export function groupColors(lines: readonly NamedLine[], legend: LegendRoom | null): VegaSpec {
  const shown = lines.filter(({ highlighted }) => highlighted).map(({ label }) => label);
  return {
    field: "group",
    type: "nominal",
    scale: { domain: lines.map(({ label }) => label), range: lines.map(({ color }) => color) },
    legend: legend === null ? null : topLegend(shown, legend),
  };
}

/** The markers of lines. */
export function groupShapes(lines: readonly NamedLine[]): VegaSpec {
  return {
    field: "group",
    type: "nominal",
    scale: {
      domain: lines.map(({ label }) => label),
      range: lines.map(({ symbol }) => symbolPath(symbol)),
    },
  };
}

/** A spec that says why it is empty. */
export function noDataSpec(
  about: About,
  { theme: look, width }: Pick<SpecParts, "theme" | "width">,
): VegaSpec {
  return vegaSpec({
    ...{ about, theme: look, width, height: 120, below: 10, left: 0, rest: {} },
    layer: [{
      data: { values: [{ says: about.label }] },
      mark: { type: "text", fontSize: 14, color: theme.muted },
      encoding: { text: { field: "says", type: "nominal" } },
    }],
  });
}
