import type { VegaSpec } from "../chart.ts";
import { DIVERGING_COLORS, SEQUENTIAL_COLORS, SERIES_COLORS } from "../colors.ts";
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
  range: {
    category: SERIES_COLORS,
    ramp: SEQUENTIAL_COLORS,
    heatmap: SEQUENTIAL_COLORS,
    ordinal: SEQUENTIAL_COLORS,
    diverging: DIVERGING_COLORS,
  },
} as const;

/** Writes a tick with K, M and B, as the charts of Plot do. */
const SHORT = "abs(datum.value) < 1000 ? format(datum.value, ',~g') : " +
  "replace(replace(format(datum.value, '~s'), 'k', 'K'), 'G', 'B')";

/** Returns the channels `x` and `y` with short numbers, unless they have a format. */
function shortNumbers(encoding: VegaSpec): VegaSpec {
  return Object.fromEntries(
    Object.entries(encoding).map(([name, channel]) => {
      const { type, axis = {} } = (channel ?? {}) as { type?: string; axis?: VegaSpec | null };
      const isShort = (name === "x" || name === "y") && type === "quantitative" && axis !== null &&
        !("format" in axis) && !("labelExpr" in axis);
      return [
        name,
        isShort ? { ...channel as object, axis: { ...axis, labelExpr: SHORT } } : channel,
      ];
    }),
  );
}

/** Returns a spec of the user's own with short numbers on its axes. */
function withShortNumbers(spec: unknown): unknown {
  if (Array.isArray(spec)) return spec.map(withShortNumbers);
  if (typeof spec !== "object" || spec === null) return spec;
  return Object.fromEntries(
    Object.entries(spec).map(([name, part]) => [
      name,
      name === "encoding"
        ? shortNumbers(part as VegaSpec)
        : /^(layer|spec|[hv]?concat)$/.test(name)
        ? withShortNumbers(part)
        : part,
    ]),
  );
}

/** Returns a spec of the user's own in the width and with the numbers of chainframe's charts. */
export function houseSpec(spec: VegaSpec): VegaSpec {
  const isView = ["mark", "layer"].some((name) => name in spec);
  const size = {
    width: 800,
    autosize: { type: "fit-x", contains: "padding" },
    padding: theme.padding,
  };
  return { ...isView && !("width" in spec) && size, ...withShortNumbers(spec) as VegaSpec };
}
