import type { About, VegaSpec } from "../chart.ts";
import type { ChartLook } from "../look.ts";
import { wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";

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

/** The size of a spec, its layers, and its texts. */
interface SpecParts {
  /** The height of the plot. */
  readonly height: number;
  /** The distance from the plot to the caption. */
  readonly below: number;
  /** The space to the left of the plot. */
  readonly left: number;
  /** A hint on how to use the interactive chart. Static pictures do not contain this hint. */
  readonly hint?: string;
  /** The text above the plot. By default, it is the title and subtitle of the chart. */
  readonly title?: VegaSpec;
  readonly layer: readonly VegaSpec[];
  /** Other members of the spec. */
  readonly rest?: VegaSpec;
}

/** Breaks a title and a subtitle into lines that fit. */
export function titleLines(
  { title, subtitle }: Pick<About, "title" | "subtitle">,
  width: number,
): {
  text: string[];
  subtitle: string[];
} {
  const room = width - 2 * theme.padding;
  return {
    text: wrapText(title, { ...theme.title, width: room }),
    subtitle: wrapText(subtitle, { ...theme.subtitle, width: room }),
  };
}

/** Returns a complete spec: the style, the texts above the plot, the layers, and the caption below the plot. */
export function vegaSpec({ about, theme: look, width }: ChartLook, parts: SpecParts): VegaSpec {
  const { height, below, left, hint = "", layer, rest } = parts;
  const { padding, caption: face } = theme;
  const room = width - 2 * padding;
  const hints = wrapText(hint, { ...theme.subtitle, width: room });
  const { text, subtitle } = titleLines(about, width);
  const caption = about.caption.flatMap((line) => wrapText(line, { ...face, width: room }));
  const place = { x: { value: -left }, y: { value: height + below } };
  return {
    // Notebook front ends support version 5.
    $schema: "https://vega.github.io/schema/vega-lite/v5.json",
    description: `${about.title}. ${about.label}`,
    title: parts.title ?? { text, subtitle: [...subtitle, ...hints] },
    config: LOOK,
    usermeta: { theme: look, hints },
    autosize: { type: "fit-x", contains: "padding" },
    padding,
    ...{ width, height },
    ...rest,
    layer: [
      ...layer,
      ...caption.length === 0 ? [] : [textLayer([{ text: caption.join("\n") }], place, {
        align: "left",
        baseline: "top",
        lineBreak: "\n",
        aria: true,
        description: { expr: "datum.text" },
        fontSize: face.size,
        lineHeight: face.line,
      })],
    ],
  };
}

/**
 * Returns a value as a Vega expression. Escapes two characters that JSON allows, but that end a line in an expression.
 */
export function literalOf(value: unknown): string {
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/**
 * Returns an axis of names, `padding` pixels from the plot. The expression `lines` returns the one or two lines of a
 * name.
 */
export function rowAxis(lines: string, padding: number): VegaSpec {
  return {
    domain: false,
    ticks: false,
    labelExpr: lines,
    // Moves a name of two lines up, so that the name is centered in its row.
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

/** Returns an empty spec that shows the reason why it is empty. */
export function noDataSpec(look: ChartLook): VegaSpec {
  const place = { x: { value: { expr: "width / 2" } }, y: { value: { expr: "height / 2" } } };
  const layer = [textLayer([{ text: look.about.label }], place, { fontSize: 14, aria: true })];
  return vegaSpec(look, { height: 120, below: 10, left: 0, layer });
}
