import type { PlotFigure } from "../chart.ts";
import { GAIN_COLOR, isHighlighted, OTHER_COLOR } from "../colors.ts";
import type { FieldWords } from "../field_words.ts";
import type { NumberFormat } from "../format.ts";
import type { Look } from "../options.ts";
import { textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { noData, placeOn, valueAlong } from "./axes.ts";
import {
  loadPlot,
  type Markish,
  type ObservablePlot,
  type PlotOptions,
} from "./observable_plot.ts";
import { type Box, boxesAlong, placeNames, RADIUS } from "./name_places.ts";
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
  /** Whether the line of least squares is drawn. */
  readonly trend: boolean;
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
  { view, x, y, size, there }: {
    view: ScatterView;
    /** What names may not touch. */
    there: readonly Box[];
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
    there,
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

/** The least squares of places up on places across, from 0 to 1 along the axes; null where there is no line. */
function fitOf(places: readonly (readonly [x: number, y: number])[]) {
  const mean = (at: 0 | 1) => places.reduce((sum, place) => sum + place[at], 0) / places.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const sum = (of: (dx: number, dy: number) => number) =>
    places.reduce((sum, [x, y]) => sum + of(x - meanX, y - meanY), 0);
  const [xx, xy, yy] = [sum((dx) => dx * dx), sum((dx, dy) => dx * dy), sum((_, dy) => dy * dy)];
  if (places.length < 3 || !(xx > 1e-12)) return null;
  const slope = xy / xx;
  return {
    slope,
    at: (x: number) => meanY + slope * (x - meanX),
    r2: yy > 0 ? slope * xy / yy : null,
  };
}

/** The ends of the line of least squares, as far as there are points and the frame reaches, and what it says. */
function trendOf(
  points: readonly ScatterPoint[],
  x: PlaneAxis,
  y: PlaneAxis,
): { places: [number, number][]; says: string } | null {
  const places = points.map((point) => [placeOn(x, point.x), placeOn(y, point.y)] as const);
  const fit = fitOf(places);
  if (fit === null) return null;
  const { slope, at, r2 } = fit;
  // The frame ends at 0 and 1.
  const cuts = [0, 1].map((edge) => (edge - at(0)) / slope).toSorted((a, b) => a - b);
  const across = places.map(([x]) => x);
  const [first, last] = [Math.min(...across), Math.max(...across)];
  const [from, to] = slope === 0
    ? [first, last]
    : [Math.max(first, cuts[0]!), Math.min(last, cuts[1]!)];
  const powers = ({ domain: [low, high] }: PlaneAxis) => Math.log10(high / low);
  const law = x.type === "log" && y.type === "log"
    ? [`y ∝ x^${(slope * powers(y) / powers(x)).toFixed(2).replace("-", "−")}`]
    : [];
  const said = [...law, ...r2 === null ? [] : [`r² = ${r2.toFixed(2)}`], `n = ${points.length}`];
  return { places: [from, to].map((place) => [place, at(place)]), says: said.join(", ") };
}

/** Where what a line of least squares says stands. */
const SAYS = { dx: 10, dy: 2 };

function trendMarks(
  { line, text }: ObservablePlot,
  { places, says }: NonNullable<ReturnType<typeof trendOf>>,
  { x, y }: { x: PlaneAxis; y: PlaneAxis },
): Markish[] {
  const ends = places.map(([across, up]) => ({ x: valueAlong(x, across), y: valueAlong(y, up) }));
  return [
    line(ends, {
      ...{ x: "x", y: "y", stroke: theme.muted, strokeDasharray: "6 4", ariaDescription: "trend" },
    }),
    text([says], {
      ...{ frameAnchor: "top-left", textAnchor: "start", ...SAYS, fill: theme.muted },
      ariaDescription: "trend text",
    }),
  ];
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
  const trend = view.trend ? trendOf(points, x, y) : null;
  const pixels = trend?.places.map(([at, up]) => (
    [size.left + at * across, TOP + (1 - up) * inside] as const
  ));
  const [left, top] = [size.left + SAYS.dx, TOP + SAYS.dy];
  const there = trend === null ? [] : [
    ...boxesAlong(pixels![0]!, pixels![1]!),
    { left, right: left + textWidth(trend.says, theme.label), top, bottom: top + theme.label.line },
  ];
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
      ...trend === null ? [] : trendMarks(Plot, trend, { x, y }),
      // Points that lie on each other are seen through each other.
      Plot.dot(dots, {
        ...{ x: "x", y: "y", fill: "color", fillOpacity: 0.55, r: RADIUS },
        ...{ stroke: "color", strokeWidth: 1.25, ariaDescription: "value" },
      }),
      ...nameMarks(Plot, points, { view, x, y, size, there }),
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
