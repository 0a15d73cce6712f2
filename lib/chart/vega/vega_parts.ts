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

/** Name of the field that is the title of a tooltip. */
export const HEADING = "title";

/** For marks that only decorate: no tooltip, and nothing for screen readers. */
export const SILENT = { clip: false, tooltip: null, aria: false };

/** Texts that only decorate, from the field `text`. */
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
  /** The height of the plot, and the distance to the caption. */
  readonly height: number;
  readonly below: number;
  /** Space left of the plot. */
  readonly left: number;
  /** The hint on interactions; left out of static pictures. */
  readonly hint?: string;
  /** The clickable layers; left out of static pictures. */
  readonly controls?: readonly string[];
  readonly rest: VegaSpec;
  readonly layer: readonly VegaSpec[];
  /** Text above the plot, except title and subtitle. */
  readonly title?: VegaSpec;
}

/** The lines of a caption, below the plot, starting at the left edge. */
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

/** A whole spec: style, texts above, layers, and the caption below. */
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

/** A value as a Vega expression. Escapes two separators that JSON allows but that end a line there. */
export function literalOf(value: unknown): string {
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** A vertical axis that takes `left` pixels, with its name written horizontally above it. */
export function upAxis(left: number): VegaSpec {
  return {
    ...{ domain: false, ticks: false, minExtent: left, maxExtent: left },
    ...{ titleAngle: 0, titleAlign: "left", titleBaseline: "bottom", titleX: -left, titleY: -12 },
  };
}

/** An axis of names, `padding` pixels from the plot; an expression gives their lines, at most two. */
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
 * A legend above the plot, in as many columns as fit with the widest label. It begins at the left edge of the plot,
 * `left` pixels from the edge of the axis labels.
 */
function topLegend(labels: readonly string[], { width, left }: LegendRoom): VegaSpec {
  const room = Math.max(120, width - 2 * theme.padding - left);
  const widths = labels.map((label) => textWidth(label, theme.legend));
  const column = Math.min(room, Math.max(...widths) + KEY);
  return {
    orient: "top",
    direction: "horizontal",
    // The name of the axis is below it.
    offset: 26,
    columns: Math.max(1, Math.min(labels.length, Math.floor(room / column))),
    labelLimit: room - KEY,
    title: null,
    values: labels,
  };
}

/** A line identified by its name. */
type NamedLine = Drawn & { readonly label: string };

/** Colors of lines, with a legend of the colored lines if it fits. */
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

/** A spec with the reason why it is empty. */
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
