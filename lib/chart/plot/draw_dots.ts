import type { PlotFigure } from "../chart.ts";
import { GAIN_COLOR, isHighlighted, OTHER_COLOR } from "../colors.ts";
import type { FieldWords } from "../field_words.ts";
import { formatterFor } from "../format.ts";
import type { ColoredLook } from "../options.ts";
import { rowLabels, textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { noData, placeOn, rowLabelMarks, valueAxisMarks } from "./axes.ts";
import {
  loadPlot,
  type Markish,
  type ObservablePlot,
  type PlotOptions,
} from "./observable_plot.ts";
import { axisName, type PlaneAxis, planeAxis, planeScale } from "./plane_axes.ts";

const BOTTOM = 40;

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
  readonly reference: Reference | undefined;
  /** Of the panel; null where it follows from the rows. */
  readonly height: number | null;
}

/** A value to compare with, and what it is; an empty name is not written. */
export interface Reference {
  readonly value: number;
  readonly label: string;
}

/** A line across all rows, with its name and value above it. */
function referenceMarks(
  Plot: ObservablePlot,
  { value, label }: Reference,
  { axis, write }: { axis: PlaneAxis; write: (value: number) => string },
): Markish[] {
  const place = placeOn(axis, value);
  const textAnchor = place < 0.25 ? "start" : place > 0.75 ? "end" : "middle";
  return [
    Plot.ruleX([value], {
      ...{ stroke: theme.muted, strokeDasharray: "4 3", ariaDescription: "reference" },
    }),
    Plot.text([value], {
      ...{ x: (value: number) => value, frameAnchor: "top", dy: -18, textAnchor },
      text: () => `${label} ${write(value)}`.trim(),
      ...{ fill: theme.muted, ariaDescription: "reference value" },
    }),
  ];
}

/** A line from bound to bound, with a stroke across each of its ends. */
function intervalMarks(
  { ruleY, tickX }: ObservablePlot,
  spans: readonly (KnownDot & { readonly row: number })[],
  rowHeight: number,
): Markish[] {
  const style = { y: "row", stroke: "color", strokeOpacity: 0.55 };
  const inset = (rowHeight - CAP) / 2;
  return [
    ruleY(spans, {
      ...{ ...style, x1: "lower", x2: "upper", strokeWidth: 2, ariaDescription: "interval" },
    }),
    ...["lower", "upper"].map((x) =>
      tickX(spans, {
        ...{ ...style, x, strokeWidth: 1.5, insetTop: inset, insetBottom: inset },
        ariaDescription: `${x} bound`,
      })
    ),
  ];
}

/** How high the strokes at the ends of an interval are. */
const CAP = 8;

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
    reference === undefined ? numbers : [...numbers, reference.value],
    isShare ? { zero: true, scale: "linear" } : {},
  );
}

function dotsPanel(Plot: ObservablePlot, view: DotsView, width: number): PlotOptions {
  const { rows, words, reference, height, locale, format, highlight, colors = {} } = view;
  const labels = rowLabels(rows.map(({ label }) => label), width);
  const style = { unit: words.unit, locale, format };
  const known = rows.flatMap((row, at) => {
    const { value, lower, upper, id, label } = row;
    if (value === null) return [];
    const grey = !isHighlighted(row, highlight);
    const color = colors[id] ?? colors[label] ?? (grey ? OTHER_COLOR : GAIN_COLOR);
    return [{ row: at, value, lower, upper, color }];
  });
  const write = formatterFor([...known.map(({ value }) => value), reference?.value ?? null], style);
  const top = reference === undefined ? 6 : 22;
  const texts = known.map(({ row, value }) => ({ row, text: write(value) }));
  const right = Math.max(...texts.map(({ text }) => textWidth(text, theme.label))) + 14;
  const axis = axisOf(known, view);
  const missing = rows.flatMap(({ value }, row) => value === null ? [row] : []);
  const spans = known.filter(({ lower, upper }) => lower !== null && upper !== null);
  const least = rows.length * labels.rowHeight;
  const inside = Math.max(least, (height ?? 0) - top - BOTTOM);
  return {
    ...{ width, height: inside + top + BOTTOM, marginTop: top, marginBottom: BOTTOM },
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
      ...reference === undefined ? [] : referenceMarks(Plot, reference, { axis, write }),
      ...intervalMarks(Plot, spans, inside / rows.length),
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
