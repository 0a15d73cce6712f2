import type { PlotFigure } from "../chart.ts";
import { GAIN_COLOR, isHighlighted, OTHER_COLOR } from "../colors.ts";
import type { FieldWords } from "../field_words.ts";
import type { NumberFormat } from "../format.ts";
import type { Look } from "../options.ts";
import { theme } from "../theme.ts";
import { noData, placeOn, valueAlong } from "./axes.ts";
import {
  loadPlot,
  type Markish,
  type ObservablePlot,
  type PlotOptions,
} from "./observable_plot.ts";
import { placeNames, RADIUS } from "./name_places.ts";
import {
  acrossMarks,
  axisName,
  heightOf,
  type PlaneAxis,
  planeAxis,
  planeScale,
  upwardAxis,
} from "./plane_axes.ts";

/** A named point. */
export interface ScatterPoint {
  readonly id: string;
  readonly label: string;
  readonly x: number;
  readonly y: number;
}

/** Points of any frame: what the chart says, what it draws, and how it looks. */
export interface ScatterView extends Look {
  readonly height: number;
  readonly words: { readonly x: FieldWords; readonly y: FieldWords };
  /** Highest first. */
  readonly points: readonly ScatterPoint[];
  readonly scale: "auto" | "linear" | "log";
  readonly highlight: readonly string[] | undefined;
  readonly colors: Readonly<Record<string, string>> | undefined;
  readonly format: NumberFormat | undefined;
  readonly locale: string;
}

const TOP = 30;
const BOTTOM = 44;
/** The names that found a place; those that are highlighted choose first. */
function nameMarks(
  Plot: ObservablePlot,
  points: readonly ScatterPoint[],
  { view, x, y, size }: {
    view: ScatterView;
    x: PlaneAxis;
    y: PlaneAxis;
    size: {
      readonly left: number;
      readonly across: number;
      readonly inside: number;
      readonly width: number;
    };
  },
): Markish[] {
  const chosen = view.highlight === undefined
    ? points
    : points.toSorted((a, b) =>
      Number(isHighlighted(b, view.highlight)) - Number(isHighlighted(a, view.highlight))
    );
  const places = placeNames(
    chosen.map(({ label, x: at, y: up }) => ({
      label,
      x: size.left + placeOn(x, at) * size.across,
      y: TOP + heightOf(y, up, size.inside),
    })),
    { left: size.left, right: size.width, top: TOP - 10, bottom: TOP + size.inside },
  );
  /** A place so many pixels from a point. */
  const beside = (point: ScatterPoint, dx: number, dy: number) => ({
    x: valueAlong(x, placeOn(x, point.x) + dx / size.across),
    y: valueAlong(y, placeOn(y, point.y) - dy / size.inside),
  });
  return chosen.flatMap((point, index) => {
    const place = places[index];
    if (place === null || place === undefined) return [];
    const { dx, dy, anchor } = place;
    const part = (RADIUS + 1) / Math.hypot(dx, dy);
    const ends = {
      from: beside(point, part * dx, part * dy),
      to: beside(point, dx + (anchor === "start" ? -2 : 2), dy),
    };
    return [
      ...place.far
        ? [
          Plot.link([ends], {
            ...{ x1: (d: typeof ends) => d.from.x, y1: (d: typeof ends) => d.from.y },
            ...{ x2: (d: typeof ends) => d.to.x, y2: (d: typeof ends) => d.to.y },
            ...{ stroke: theme.muted, strokeWidth: 0.75, ariaDescription: "leader" },
          }),
        ]
        : [],
      Plot.text([point], {
        ...{ x: "x", y: "y", text: () => place.text, dx, dy, textAnchor: anchor },
        ariaDescription: "point name",
        fill: isHighlighted(point, view.highlight) ? theme.ink : theme.muted,
      }),
    ];
  });
}

function scatterPanel(Plot: ObservablePlot, view: ScatterView, width: number): PlotOptions {
  const { points, words, locale, format, height, scale, highlight, colors = {} } = view;
  const x = planeAxis(points.map(({ x }) => x), { scale });
  const y = planeAxis(points.map(({ y }) => y), { scale });
  const inside = height - TOP - BOTTOM;
  const upward = upwardAxis(y, {
    ...{ style: { unit: words.y.unit, locale, format }, length: inside },
    name: axisName(words.y),
  });
  const right = 24;
  const across = width - upward.room - right;
  const dots = points.map((point) => ({
    ...point,
    color: colors[point.id] ?? colors[point.label] ??
      (isHighlighted(point, highlight) ? GAIN_COLOR : OTHER_COLOR),
  }));
  const size = { left: upward.room, across, inside, width };
  return {
    ...{ width, height, marginTop: TOP, marginBottom: BOTTOM },
    ...{ marginLeft: upward.room, marginRight: right },
    x: planeScale(x),
    y: planeScale(y),
    color: { type: "identity" },
    marks: [
      ...upward.marks(Plot),
      ...acrossMarks(Plot, x, {
        ...{ style: { unit: words.x.unit, locale }, length: across },
        name: axisName(words.x),
      }),
      Plot.dot(dots, {
        ...{ x: "x", y: "y", fill: "color", r: RADIUS, stroke: theme.paper },
        ariaDescription: "value",
      }),
      ...nameMarks(Plot, points, { view, x, y, size }),
    ],
  };
}

/** The figure of points. */
export async function scatterFigure(view: ScatterView): Promise<PlotFigure> {
  const { about, theme: look, width, points } = view;
  const Plot = await loadPlot();
  const inner = width - 2 * theme.padding;
  const panel = points.length === 0
    ? noData(Plot, about.label, inner)
    : scatterPanel(Plot, view, inner);
  return {
    ...about,
    ...{ width, theme: look, columns: 1, gap: 0, legend: [], panels: [panel] },
    rows: points.map(({ label, x, y }) => ({ label, x, y })),
  };
}
