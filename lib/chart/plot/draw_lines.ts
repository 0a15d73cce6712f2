import type { FigureRow, LegendItem, PlotFigure } from "../chart.ts";
import { type Drawn, drawnSeries, FAINT_OPACITY } from "../colors.ts";
import type { FieldWords } from "../field_words.ts";
import type { ColoredLook } from "../options.ts";
import { symbolPath, theme } from "../theme.ts";
import { noData, valueAlong } from "./axes.ts";
import { endLabelMarks, type EndLabels, endLabels } from "./end_labels.ts";
import { loadPlot, type ObservablePlot, type PlotOptions } from "./observable_plot.ts";
import {
  acrossMarks,
  heightOf,
  type PlaneAxis,
  planeAxis,
  planeScale,
  upwardAxis,
  valueOn,
} from "./plane_axes.ts";

/** A point of a line: dates in milliseconds; null where there is no value. */
export interface SeriesPoint {
  readonly at: number;
  readonly value: number | null;
}

/** A line with its points from left to right. */
export interface SeriesLine {
  readonly id: string;
  readonly label: string;
  readonly points: readonly SeriesPoint[];
}

/** Lines of any frame: what the chart says, what it draws, and how it looks. */
export interface LinesView extends ColoredLook {
  readonly height: number;
  readonly words: FieldWords;
  readonly lines: readonly SeriesLine[];
}

/** A line with its colour and marker. */
export type DrawnLine = SeriesLine & Drawn;

const TOP = 30;
const BOTTOM = 44;

/** The lines of a view with their colours and markers. */
export function drawnLines({ lines, highlight, colors }: LinesView): DrawnLine[] {
  return drawnSeries(lines, { highlight, colors });
}

/** The names at the ends of the lines, for those that end at the right edge. */
function namesOf(lines: readonly DrawnLine[], plan: {
  readonly y: PlaneAxis;
  readonly last: number;
  readonly inside: number;
  readonly width: number;
}): EndLabels | null {
  const { y, last, inside, width } = plan;
  // Those in colour choose their places first.
  const order = lines.toSorted((a, b) => Number(b.prominent) - Number(a.prominent));
  const ends = order.flatMap(({ label, points, prominent }) => {
    const end = points.findLast(({ value }) => value !== null);
    if (end?.at !== last) return [];
    return [{ label, y: TOP + heightOf(y, end.value!, inside), optional: !prominent }];
  });
  const needed = lines.filter(({ prominent }) => prominent).length;
  if (lines.length < 2 || ends.filter(({ optional }) => !optional).length < needed) return null;
  return endLabels(ends, {
    top: TOP - 12,
    bottom: TOP + inside + 8,
    width: width * 0.28,
    farthest: 90,
  });
}

/** Whether points are few enough to be marked one by one. */
function isMarked(lines: readonly DrawnLine[]): boolean {
  return lines.every(({ points }) => points.length <= 40);
}

function lineMarks(Plot: ObservablePlot, lines: readonly DrawnLine[], x: PlaneAxis) {
  const few = isMarked(lines);
  return lines.toSorted((a, b) => Number(a.prominent) - Number(b.prominent)).flatMap((line) => {
    const { points, color, prominent, symbol } = line;
    const rows = points.map(({ at, value }) => ({ at: valueOn(x, at), value }));
    return [
      Plot.line(rows, {
        ...{ x: "at", y: "value", stroke: color, strokeWidth: prominent ? 2 : 1 },
        strokeOpacity: prominent ? 1 : FAINT_OPACITY,
        ariaDescription: "series",
      }),
      ...prominent && few
        ? [
          Plot.dot(rows.filter(({ value }) => value !== null), {
            ...{ x: "at", y: "value", fill: color, symbol, r: 2.5, ariaDescription: "value" },
          }),
        ]
        : [],
    ];
  });
}

function linesPanel(
  Plot: ObservablePlot,
  lines: readonly DrawnLine[],
  view: LinesView & { readonly dates: boolean; readonly scale: "auto" | "linear" | "log" },
  name: string,
): { panel: PlotOptions; labels: EndLabels | null } {
  const { width: outer, height, words, locale, format, dates, scale } = view;
  const width = outer - 2 * theme.padding;
  const points = lines.flatMap(({ points }) => points).filter(({ value }) => value !== null);
  const y = planeAxis(points.map(({ value }) => value!), { scale });
  const places = lines.flatMap(({ points }) => points.map(({ at }) => at));
  const x = dates
    ? planeAxis(places, { dates })
    : { ...planeAxis(places, { scale: "linear" }), domain: spanOf(places) };
  const inside = height - TOP - BOTTOM;
  const style = { unit: words.unit, locale, format };
  const upward = upwardAxis(y, { style, length: inside, name: words.axis });
  const last = Math.max(...places);
  const labels = namesOf(lines, { y, last, inside, width });
  const right = labels === null ? 16 : labels.room;
  const valueAt = (at: number) => valueAlong(y, 1 - (at - TOP) / inside);
  const whole = places.every(Number.isInteger);
  const across = {
    whole,
    style: { unit: "count" as const, locale },
    length: width - upward.room - right,
  };
  return {
    labels,
    panel: {
      ...{ width, height, marginTop: TOP, marginBottom: BOTTOM },
      ...{ marginLeft: upward.room, marginRight: right },
      x: planeScale(x),
      y: planeScale(y),
      marks: [
        ...upward.marks(Plot),
        ...acrossMarks(Plot, x, { ...across, name }),
        ...lineMarks(Plot, lines, x),
        ...labels === null ? [] : endLabelMarks(Plot, {
          ...{ labels, valueAt },
          after: (pixels) =>
            valueOn(x, last + pixels * (x.domain[1] - x.domain[0]) / across.length),
          styleOf: (label) => {
            const line = lines.find((line) => line.label === label)!;
            const { color, symbol, prominent } = line;
            const marked = prominent && isMarked(lines);
            return {
              color,
              symbol: marked ? symbol : null,
              ink: prominent ? theme.ink : theme.muted,
            };
          },
        }),
      ],
    },
  };
}

function spanOf(places: readonly number[]): [number, number] {
  const [low, high] = [Math.min(...places), Math.max(...places)];
  return low < high ? [low, high] : [low - 0.5, high + 0.5];
}

/** The points of all lines. */
export function rowsOf(lines: readonly SeriesLine[], dates: boolean): FigureRow[] {
  return lines.flatMap(({ label, points }) =>
    points.map(({ at, value }) => ({ group: label, x: dates ? new Date(at) : at, value }))
  );
}

/** The figure of lines. */
export async function linesFigure(
  view: LinesView & {
    /** Whether dates stand across, and what it is if not. */
    readonly dates: boolean;
    readonly name: string;
    readonly scale: "auto" | "linear" | "log";
  },
): Promise<PlotFigure> {
  const { about, theme: look, width, dates, name } = view;
  const Plot = await loadPlot();
  const page = {
    ...about,
    width,
    theme: look,
    columns: 1,
    gap: 0,
    rows: rowsOf(view.lines, dates),
  };
  if (view.lines.length === 0) {
    const empty = noData(Plot, about.label, width - 2 * theme.padding);
    return { ...page, legend: [], panels: [empty] };
  }
  const lines = drawnLines(view);
  const { panel, labels } = linesPanel(Plot, lines, view, name);
  const named = new Set(labels?.labels.map(({ label }) => label));
  const legend = lines.length === 1
    ? []
    : lines.filter(({ prominent, label }) => prominent && !named.has(label)).map(
      ({ label, color, symbol }): LegendItem => (
        { label, color, key: "line", marker: symbolPath(symbol) }
      ),
    );
  return { ...page, legend, panels: [panel] };
}
