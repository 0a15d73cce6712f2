import type { About } from "../about.ts";
import { wrapText } from "../text/wrap_text.ts";
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
