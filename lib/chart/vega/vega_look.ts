import { theme } from "../theme.ts";

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
    tickColor: theme.muted,
    titlePadding: 10,
    labelPadding: 6,
    labelFlush: false,
    labelOverlap: true,
    labelSeparation: 6,
  },
  axisX: { grid: false, labelAngle: 0 },
  axisYQuantitative: { domain: false, ticks: false },
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
