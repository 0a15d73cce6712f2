import type { PlotFigure } from "../chart.ts";
import { GAIN_COLOR, isHighlighted, OTHER_COLOR } from "../colors.ts";
import type { FieldWords } from "../field_words.ts";
import { formatterFor } from "../format.ts";
import type { ColoredLook } from "../options.ts";
import { rowLabels, textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { noData, rowLabelMarks, valueAxisMarks } from "./axes.ts";
import {
  loadPlot,
  type Markish,
  type ObservablePlot,
  type PlotOptions,
} from "./observable_plot.ts";
import { axisName, planeAxis, planeScale } from "./plane_axes.ts";

/** A group with its value and its interval; null where there is none. */
export interface DotRow {
  readonly id: string;
  readonly label: string;
  readonly value: number | null;
  readonly lower: number | null;
  readonly upper: number | null;
}

/** Dots with intervals: what the chart says, its rows, and how it looks. */
export interface DotsView extends ColoredLook {
  readonly words: FieldWords;
  /** Largest first; none where no value is known. */
  readonly rows: readonly DotRow[];
  /** A value to compare with. */
  readonly reference: number | undefined;
}

/** A line across all rows, with its value above it. */
function referenceMarks(
  Plot: ObservablePlot,
  reference: number,
  write: (value: number) => string,
): Markish[] {
  return [
    Plot.ruleX([reference], {
      ...{ stroke: theme.muted, strokeDasharray: "4 3", ariaDescription: "reference" },
    }),
    Plot.text([reference], {
      ...{ x: (value: number) => value, text: write, frameAnchor: "top", dy: -18 },
      ...{ fill: theme.muted, ariaDescription: "reference value" },
    }),
  ];
}

/** What is known of a row. */
interface KnownDot {
  readonly value: number;
  readonly lower: number | null;
  readonly upper: number | null;
}

/** The axis of the values, their intervals and the reference. */
function axisOf(known: readonly KnownDot[], { words, reference }: DotsView) {
  const numbers = known.flatMap((
    { value, lower, upper },
  ) => [value, lower ?? value, upper ?? value]);
  // Shares are compared by their distance, however near to zero a bound is.
  const isShare = words.unit === "share" || words.unit === "change";
  return planeAxis(
    reference === undefined ? numbers : [...numbers, reference],
    isShare ? { zero: true, scale: "linear" } : {},
  );
}

function dotsPanel(Plot: ObservablePlot, view: DotsView, width: number): PlotOptions {
  const { rows, words, reference, locale, format, highlight, colors = {} } = view;
  const labels = rowLabels(rows.map(({ label }) => label), width);
  const style = { unit: words.unit, locale, format };
  const known = rows.flatMap((row, at) => {
    const { value, lower, upper, id, label } = row;
    if (value === null) return [];
    const grey = !isHighlighted(row, highlight);
    const color = colors[id] ?? colors[label] ?? (grey ? OTHER_COLOR : GAIN_COLOR);
    return [{ row: at, value, lower, upper, color }];
  });
  const write = formatterFor([...known.map(({ value }) => value), reference ?? null], style);
  const top = reference === undefined ? 6 : 22;
  const texts = known.map(({ row, value }) => ({ row, text: write(value) }));
  const right = Math.max(...texts.map(({ text }) => textWidth(text, theme.label))) + 14;
  const axis = axisOf(known, view);
  const missing = rows.flatMap(({ value }, row) => value === null ? [row] : []);
  const spans = known.filter(({ lower, upper }) => lower !== null && upper !== null);
  return {
    ...{
      width,
      height: rows.length * labels.rowHeight + top + 40,
      marginTop: top,
      marginBottom: 40,
    },
    ...{ marginLeft: labels.width + 6, marginRight: right },
    x: { ...planeScale(axis), inset: 6 },
    y: { type: "band", domain: rows.map((_, row) => row), axis: null, padding: 0 },
    color: { type: "identity" },
    marks: [
      ...valueAxisMarks(Plot, axis, {
        ...{
          style,
          width: width - labels.width - right - 18,
          name: words.axis === "%" ? axisName(words) : words.axis,
        },
      }),
      ...rowLabelMarks(Plot, labels, 12),
      ...axis.type !== "log" && axis.domain[0] < 0
        ? [Plot.ruleX([0], { stroke: theme.muted })]
        : [],
      ...reference === undefined ? [] : referenceMarks(Plot, reference, write),
      Plot.ruleY(spans, {
        ...{ y: "row", x1: "lower", x2: "upper", stroke: "color", strokeWidth: 2 },
        ...{ strokeOpacity: 0.45, ariaDescription: "interval" },
      }),
      Plot.dot(known, { y: "row", x: "value", fill: "color", r: 5, ariaDescription: "value" }),
      Plot.text(texts, {
        ...{ y: "row", text: "text", frameAnchor: "right", textAnchor: "end", dx: right },
        ariaDescription: "value text",
      }),
      Plot.text(missing, {
        ...{ y: (row: number) => row, text: () => "no value", frameAnchor: "left" },
        ...{ textAnchor: "start", dx: 6, fill: theme.muted, ariaDescription: "missing" },
      }),
    ],
  };
}

/** The figure of dots with intervals. */
export async function dotsFigure(view: DotsView): Promise<PlotFigure> {
  const { about, theme: look, width, rows } = view;
  const Plot = await loadPlot();
  const inner = width - 2 * theme.padding;
  const panel = rows.length === 0 ? noData(Plot, about.label, inner) : dotsPanel(Plot, view, inner);
  return {
    ...about,
    ...{ width, theme: look, columns: 1, gap: 0, legend: [], panels: [panel] },
    rows: rows.map(({ label, value, lower, upper }) => ({ label, value, lower, upper })),
  };
}
