import type { About, Theme, VegaSpec } from "../chart.ts";
import type { ChartLook } from "../look.ts";
import { textWidth, wrapText } from "../text/layout.ts";
import type { Drawn } from "../colors.ts";
import { symbolPath, theme } from "../theme.ts";

/** The style of chainframe's charts, as Vega-Lite's `config`. */
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

/** The name of the field that is the title of a tooltip. */
export const HEADING = "title";

/** The options of decorative marks, which have no tooltip and are hidden from screen readers. */
export const SILENT = { clip: false, tooltip: null, aria: false };

/** Draws decorative texts from the field `text`. */
export function textLayer(
  values: readonly VegaSpec[],
  encoding: VegaSpec,
  mark: VegaSpec = {},
): VegaSpec {
  return {
    data: { values },
    mark: { type: "text", fontSize: theme.label.size, ...SILENT, ...mark },
    encoding: {
      color: { value: theme.muted },
      text: { field: "text", type: "nominal" },
      ...encoding,
    },
  };
}

/** The common parts of every spec: texts, size, and the layers of the drawing. */
interface SpecParts {
  readonly about: About;
  readonly theme: Theme;
  readonly width: number;
  /** The height of the plot. */
  readonly height: number;
  /** The distance from the plot to the caption. */
  readonly below: number;
  /** The space to the left of the plot. */
  readonly left: number;
  /** The hint on interactions. Static pictures do not have it. */
  readonly hint?: string;
  /** The names of the clickable layers. Static pictures do not have these layers. */
  readonly controls?: readonly string[];
  readonly rest: VegaSpec;
  readonly layer: readonly VegaSpec[];
  /** Text above the plot, except title and subtitle. */
  readonly title?: VegaSpec;
}

/** Draws the lines of a caption below the plot, starting at the left edge. */
function captionLayer({ about, width, height, below, left }: SpecParts): VegaSpec[] {
  const { padding, caption: face } = theme;
  const lines = about.caption.filter((line) => line !== "").flatMap((line) =>
    wrapText(line, { ...face, width: width - 2 * padding })
  );
  if (lines.length === 0) return [];
  const place = { x: { value: -left }, y: { value: height + below } };
  return [textLayer([{ text: lines.join("\n") }], place, {
    align: "left",
    baseline: "top",
    lineBreak: "\n",
    aria: true,
    description: { expr: "datum.text" },
    fontSize: face.size,
    lineHeight: face.line,
  })];
}

/** Breaks a title and a subtitle into lines that fit. */
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

/** Returns a whole spec: style, texts above the plot, layers, and the caption below. */
export function vegaSpec(parts: SpecParts): VegaSpec {
  const { about, theme: look, width, height, rest, layer, hint = "", controls = [] } = parts;
  const { padding } = theme;
  const hints = wrapText(hint, { ...theme.subtitle, width: width - 2 * padding });
  const { text, subtitle } = titleLines(about, width);
  return {
    // Notebook front ends support version 5.
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

/**
 * Returns a value as a Vega expression. Escapes two characters that JSON allows, but that end a line in an expression.
 */
export function literalOf(value: unknown): string {
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** Returns a vertical axis that takes `left` pixels. Its name is written horizontally above it. */
export function upAxis(left: number): VegaSpec {
  return {
    ...{ domain: false, ticks: false, minExtent: left, maxExtent: left },
    ...{ titleAngle: 0, titleAlign: "left", titleBaseline: "bottom", titleX: -left, titleY: -12 },
  };
}

/**
 * Returns an axis of names, `padding` pixels from the plot. The expression `lines` gives the lines of each name, at
 * most two.
 */
export function rowAxis(lines: string, padding: number): VegaSpec {
  return {
    domain: false,
    ticks: false,
    labelExpr: lines,
    // Moves the first of two lines up, so that both are centered.
    labelOffset: {
      condition: { test: `length(${lines}) > 1`, value: -theme.label.line / 2 },
      value: 0,
    },
    labelLimit: 0,
    labelLineHeight: theme.label.line,
    labelColor: theme.ink,
    labelPadding: padding,
  };
}

const KEY = 34;

/** The width of the chart, and the distance from its left edge to the plot. */
interface LegendRoom {
  readonly width: number;
  readonly left: number;
}

/**
 * Returns a legend above the plot, with as many columns as fit the widest label. The legend begins at the left edge of
 * the plot, `left` pixels from the edge of the axis labels.
 */
function topLegend(labels: readonly string[], { width, left }: LegendRoom): VegaSpec {
  const room = Math.max(120, width - 2 * theme.padding - left);
  const widths = labels.map((label) => textWidth(label, theme.legend));
  const column = Math.min(room, Math.max(...widths) + KEY);
  return {
    orient: "top",
    direction: "horizontal",
    // The name of the axis is below the legend.
    offset: 26,
    columns: Math.max(1, Math.min(labels.length, Math.floor(room / column))),
    labelLimit: room - KEY,
    title: null,
    values: labels,
  };
}

/** A line that is identified by its name. */
type NamedLine = Drawn & { readonly label: string };

/** Returns the colors of lines. If a legend fits, it contains the colored lines. */
export function groupColors(lines: readonly NamedLine[], legend: LegendRoom | null): VegaSpec {
  const shown = lines.filter(({ highlighted }) => highlighted).map(({ label }) => label);
  return {
    field: "group",
    type: "nominal",
    scale: { domain: lines.map(({ label }) => label), range: lines.map(({ color }) => color) },
    legend: legend === null ? null : topLegend(shown, legend),
  };
}

/** Returns the markers of lines. */
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

/** Returns an empty spec that shows the reason why it is empty. */
export function noDataSpec(look: ChartLook): VegaSpec {
  const place = { x: { value: { expr: "width / 2" } }, y: { value: { expr: "height / 2" } } };
  return vegaSpec({
    ...look,
    height: 120,
    below: 10,
    left: 0,
    rest: {},
    layer: [textLayer([{ text: look.about.label }], place, { fontSize: 14, aria: true })],
  });
}
