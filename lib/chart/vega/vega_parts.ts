import type { About } from "../chart.ts";
import { type RowLabels, textWidth, wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";

/** A Vega-Lite spec, as its documentation describes it: plain data, to change and redraw. */
export type VegaSpec = Readonly<Record<string, unknown>>;

const CONFIG = {
  background: theme.paper,
  font: theme.fontFamily,
  padding: theme.padding,
  view: { stroke: null },
  title: {
    anchor: "start",
    frame: "bounds",
    fontSize: theme.title.size,
    fontWeight: "bold",
    color: theme.ink,
    subtitleFontSize: theme.caption.size,
    subtitleColor: theme.muted,
    subtitleLineHeight: theme.caption.line,
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
    symbolSize: 60,
    symbolStrokeWidth: 2,
  },
} as const;

/** The parts that the specs have in common: look, words, caption below the subtitle. */
export function vegaSpec(
  { title, subtitle, caption, label }: About,
  { width, ...rest }: VegaSpec & { readonly width: number },
): VegaSpec {
  const { padding, caption: face } = theme;
  const lines = [subtitle, ...caption].filter((line) => line !== "").flatMap((line) =>
    wrapText(line, { ...face, width: width - 2 * padding })
  );
  const titles = wrapText(title, { ...theme.title, width: width - 2 * padding });
  return {
    // The front ends of notebooks know version 5.
    $schema: "https://vega.github.io/schema/vega-lite/v5.json",
    description: `${title}. ${label}`,
    title: { text: titles, subtitle: lines },
    config: CONFIG,
    autosize: { type: "fit-x", contains: "padding" },
    width,
    ...rest,
  };
}

/** An axis of names at the left, each on up to two lines, `padding` pixels from the plot. */
export function rowAxis(names: readonly string[], labels: RowLabels, padding: number): VegaSpec {
  const lines = Object.fromEntries(names.map((name, row) => [name, labels.lines[row]!]));
  const expression = JSON.stringify(lines);
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

/**
 * A legend above the plot, in as many columns as the widest of its labels leaves room for. It begins where the
 * plot begins, `left` pixels from the axis labels' left end.
 */
export function topLegend(
  labels: readonly string[],
  { width, left }: { width: number; left: number },
): VegaSpec {
  const room = Math.max(120, width - 2 * theme.padding - left);
  const widths = labels.map((label) => textWidth(label, theme.legend));
  const column = Math.min(room, Math.max(...widths) + KEY);
  return {
    orient: "top",
    direction: "horizontal",
    columns: Math.max(1, Math.min(labels.length, Math.floor(room / column))),
    labelLimit: room - KEY,
    title: null,
  };
}

/** The body of a spec that says why it is empty. */
export function noDataSpec(says: string): VegaSpec {
  return {
    height: 120,
    data: { values: [{ says }] },
    mark: { type: "text", fontSize: 14, color: theme.muted },
    encoding: { text: { field: "says", type: "nominal" } },
  };
}
