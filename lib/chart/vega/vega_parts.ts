import type { About, VegaSpec } from "../chart.ts";
import type { NumberUnit } from "../format.ts";
import type { Look } from "../look.ts";
import { wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";

/** The width of the labels of a vertical axis of numbers, in pixels. */
export const LEFT = 52;

const LABELS = {
  labelFontSize: theme.label.size,
  titleFontSize: theme.label.size,
  titleFontWeight: "normal",
  titleColor: theme.muted,
} as const;

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
    offset: 14,
  },
  axis: {
    ...LABELS,
    labelColor: theme.muted,
    gridColor: theme.grid,
    domainColor: theme.muted,
    titlePadding: 10,
    labelPadding: 6,
    labelFlush: false,
    labelOverlap: true,
    labelSeparation: 6,
  },
  axisX: { grid: false, labelAngle: 0 },
  // The title of a vertical axis is above the axis.
  axisYQuantitative: {
    domain: false,
    ticks: false,
    minExtent: LEFT,
    maxExtent: LEFT,
    titleAngle: 0,
    titleAlign: "left",
    titleBaseline: "bottom",
    titleX: -LEFT,
    titleY: -12,
  },
  axisYDiscrete: { domain: false, ticks: false, labelColor: theme.ink, labelLimit: 0 },
  legend: {
    ...LABELS,
    labelFontSize: theme.legend.size,
    labelColor: theme.ink,
    symbolOpacity: 1,
    symbolSize: 70,
    // The legend begins at the left edge of the picture, as the title does.
    layout: { top: { frame: "bounds" } },
  },
  text: { color: theme.ink, fontSize: theme.label.size },
} as const;

const FORMATS: Readonly<Record<string, string>> = {
  usd: "$~s",
  fraction: "~%",
  change: "~%",
  count: "~s",
};

/** Returns an expression for the labels of an axis. It writes `$2B` and `$0.5` where d3 writes `$2G` and `$500m`. */
export function labelExpr(unit: NumberUnit): string {
  const format = FORMATS[unit] ?? "~s";
  const plus = unit === "change" ? "(datum.value > 0 ? '+' : '') + " : "";
  if (format.endsWith("%")) return `${plus}format(datum.value, '${format}')`;
  const small = `format(datum.value, '${format.replace("s", "r")}')`;
  return `abs(datum.value) < 1 ? ${small} : replace(replace(format(datum.value, '${format}'), 'G', 'B'), 'k', 'K')`;
}

/** Returns the axis of names at the left, which are cut to a width. */
export function namesAxis(width: number): VegaSpec {
  return { labelLimit: width - 8, minExtent: width, maxExtent: width };
}

/** The selection of lines or colors in the legend. */
export const SELECTED = "selected";

/** Returns the parameter by which a click on a mark or in the legend selects or releases the marks of an entry. */
export function selectionOf(field: string): VegaSpec {
  const select = { type: "point", fields: [field], toggle: "true", on: "click" };
  return { name: SELECTED, select, bind: "legend" };
}

/** The opacity of marks: low if the legend selects other marks. */
export const faded = { condition: { param: SELECTED, value: 1 }, value: 0.2 };

/** The options of marks without a tooltip, which are hidden from screen readers. */
export const quiet = { clip: true, tooltip: null, aria: false };

/** The size of a spec, its layers, and its texts. */
interface SpecParts {
  /** The height of the plot. */
  readonly height: number;
  /** The distance from the plot to the caption. */
  readonly below: number;
  /** The space to the left of the plot. */
  readonly left: number;
  /** The text above the plot. By default, it is the title and subtitle of the chart. */
  readonly title?: VegaSpec;
  readonly layer: readonly VegaSpec[];
  /** Other members of the spec. */
  readonly rest?: VegaSpec;
}

/** Breaks a title and a subtitle into lines that fit. */
export function titleOf(
  { title, subtitle }: Pick<About, "title" | "subtitle">,
  { inner: width }: Look,
): Record<"text" | "subtitle", string[]> {
  return {
    text: wrapText(title, { ...theme.title, width }),
    subtitle: wrapText(subtitle, { ...theme.subtitle, width }),
  };
}

/** Draws texts below the plot, from the left edge of the picture. */
function captionLayer(text: readonly string[], left: number, y: number): VegaSpec {
  const { size: fontSize, line: lineHeight } = theme.caption;
  return {
    data: { values: [{}] },
    mark: {
      type: "text",
      ...{ text, align: "left", baseline: "top", fontSize, lineHeight, tooltip: null, clip: false },
      description: text.join(" "),
    },
    encoding: { x: { value: -left }, y: { value: y }, color: { value: theme.muted } },
  };
}

/** Returns a complete spec: the style, the texts above the plot, the layers, and the caption below the plot. */
export function vegaSpec(look: Look, parts: SpecParts): VegaSpec {
  const { about, theme: colors, width, inner } = look;
  const { height, below, left, title = titleOf(about, look), layer, rest } = parts;
  const caption = about.caption.flatMap((line) =>
    wrapText(line, { ...theme.caption, width: inner })
  );
  return {
    // Notebook front ends support version 5.
    $schema: "https://vega.github.io/schema/vega-lite/v5.json",
    description: `${about.title}. ${about.label}`,
    title,
    config: LOOK,
    usermeta: { theme: colors },
    autosize: { type: "fit-x", contains: "padding" },
    padding: theme.padding,
    width,
    height,
    ...rest,
    layer: [...layer, captionLayer(caption, left, height + below)],
  };
}

/**
 * Returns a value as a Vega expression. Escapes two characters that JSON allows, but that end a line in an expression.
 */
export function literalOf(value: unknown): string {
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** Returns an empty spec that shows the reason why it is empty. */
export function noDataSpec(look: Look): VegaSpec {
  return vegaSpec(look, {
    height: 120,
    below: 10,
    left: 0,
    layer: [{
      data: { values: [{}] },
      mark: { type: "text", text: look.about.label, fontSize: 14, color: theme.muted },
    }],
  });
}
