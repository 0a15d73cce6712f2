import { isHighlighted, OTHER_COLOR, seriesColors, SLATE } from "../colors.ts";
import type { FigureBody, Look } from "../look.ts";
import { axisName, type Measure } from "../measures.ts";
import { textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { type Axis, axisFor, placeOn, valueAlong } from "./axes.ts";
import { type Box, boxesAlong, placeNames, RADIUS } from "./name_places.ts";
import { type Markish, Plot } from "./observable_plot.ts";
import { type Plane, planeOf } from "./plane.ts";

/** A named point. */
interface ScatterPoint {
  readonly id: string;
  readonly label: string;
  readonly x: number;
  readonly y: number;
}

/** The points and the options of a scatter plot. */
interface ScatterPlan {
  /** The points, highest first. */
  readonly points: readonly ScatterPoint[];
  readonly x: Measure;
  readonly y: Measure;
  readonly scale: "auto" | "linear" | "log";
  /** Whether the least-squares line is drawn. */
  readonly trend: boolean;
}

const TOP = 30;
const BOTTOM = 44;
const RIGHT = 24;

interface Placed {
  readonly plane: Plane;
  readonly x: Axis;
  readonly y: Axis;
  readonly width: number;
  /** Boxes that names must not overlap. */
  readonly there: readonly Box[];
}

/** Draws the names that have a free position. Highlighted names are placed first. */
function nameMarks(points: readonly ScatterPoint[], look: Look, placed: Placed): Markish[] {
  const { plane, x, y, width, there } = placed;
  const { highlight } = look;
  const chosen = highlight === undefined
    ? points
    : points.toSorted((a, b) =>
      Number(isHighlighted(b, highlight)) - Number(isHighlighted(a, highlight))
    );
  const room = { left: plane.left, right: width, top: TOP - 10, bottom: TOP + plane.inside };
  const places = placeNames(
    chosen.map(({ label, x, y }) => ({ label, x: plane.xOf(x), y: plane.yOf(y) })),
    room,
    there,
  );
  /** Returns the position a number of pixels from a point. */
  const beside = (point: ScatterPoint, dx: number, dy: number) => ({
    x: valueAlong(x, placeOn(x, point.x) + dx / plane.across),
    y: valueAlong(y, placeOn(y, point.y) - dy / plane.inside),
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
    const leader = Plot.link(place.far ? [ends] : [], {
      x1: (d: typeof ends) => d.from.x,
      y1: (d: typeof ends) => d.from.y,
      x2: (d: typeof ends) => d.to.x,
      y2: (d: typeof ends) => d.to.y,
      stroke: theme.muted,
      strokeWidth: 0.75,
      ariaDescription: "leader",
    });
    const name = Plot.text([point], {
      x: "x",
      y: "y",
      text: () => place.text,
      dx,
      dy,
      textAnchor: anchor,
      fill: isHighlighted(point, highlight) ? theme.ink : theme.muted,
      ariaDescription: "point name",
    });
    return place.far ? [leader, name] : [name];
  });
}

/** Returns the least-squares line, in positions from 0 to 1 along the axes. Null if there is no such line. */
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

/** Returns the ends of the least-squares line, within the points and the frame, and the label of the line. */
function trendOf(
  points: readonly ScatterPoint[],
  x: Axis,
  y: Axis,
): { places: [number, number][]; says: string } | null {
  const places = points.map((point) => [placeOn(x, point.x), placeOn(y, point.y)] as const);
  const fit = fitOf(places);
  if (fit === null) return null;
  const { slope, at, r2 } = fit;
  // The frame extends from position 0 to position 1.
  const cuts = [0, 1].map((edge) => (edge - at(0)) / slope).toSorted((a, b) => a - b);
  const across = places.map(([x]) => x);
  const [first, last] = [Math.min(...across), Math.max(...across)];
  const [from, to] = slope === 0
    ? [first, last]
    : [Math.max(first, cuts[0]!), Math.min(last, cuts[1]!)];
  const powers = ({ domain: [low, high] }: Axis) => Math.log10(high / low);
  const law = x.type === "log" && y.type === "log"
    ? [`y ∝ x^${(slope * powers(y) / powers(x)).toFixed(2).replace("-", "−")}`]
    : [];
  const said = [...law, ...r2 === null ? [] : [`r² = ${r2.toFixed(2)}`], `n = ${points.length}`];
  return { places: [from, to].map((place) => [place, at(place)]), says: said.join(", ") };
}

/** The offset of the label of the least-squares line. */
const SAYS = { dx: 10, dy: 2 };

function trendMarks({ places, says }: NonNullable<ReturnType<typeof trendOf>>, x: Axis, y: Axis) {
  const ends = places.map(([across, up]) => ({ x: valueAlong(x, across), y: valueAlong(y, up) }));
  return [
    Plot.line(ends, {
      x: "x",
      y: "y",
      stroke: theme.muted,
      strokeDasharray: "6 4",
      ariaDescription: "trend",
    }),
    Plot.text([says], {
      frameAnchor: "top-left",
      textAnchor: "start",
      ...SAYS,
      fill: theme.muted,
      ariaDescription: "trend text",
    }),
  ];
}

/** Draws points with their names. */
export function scatterFigure({ points, ...plan }: ScatterPlan, look: Look): FigureBody {
  const { locale, format, highlight, colors = {}, inner: width, height = 440 } = look;
  const x = axisFor(points.map(({ x }) => x), { scale: plan.scale });
  const y = axisFor(points.map(({ y }) => y), { scale: plan.scale });
  const plane = planeOf({
    width,
    height,
    top: TOP,
    bottom: BOTTOM,
    right: RIGHT,
    x: { axis: x, style: { unit: plan.x.unit, locale }, name: axisName(plan.x) },
    y: { axis: y, style: { unit: plan.y.unit, locale, format }, name: axisName(plan.y) },
  });
  const own = seriesColors(points, { highlight, colors });
  const dots = points.map((point, index) => {
    const chosen = colors[point.id] ?? colors[point.label];
    const strong = isHighlighted(point, highlight);
    const color = highlight === undefined ? SLATE : strong ? own[index]! : OTHER_COLOR;
    return { ...point, color: chosen ?? color };
  });
  const trend = plan.trend ? trendOf(points, x, y) : null;
  const ends = trend?.places.map(([at, up]) => (
    [plane.left + at * plane.across, TOP + (1 - up) * plane.inside] as const
  ));
  const [left, top] = [plane.left + SAYS.dx, TOP + SAYS.dy];
  const there = trend === null ? [] : [
    ...boxesAlong(ends![0]!, ends![1]!),
    { left, right: left + textWidth(trend.says, theme.label), top, bottom: top + theme.label.line },
  ];
  return {
    rows: points.map(({ label, x, y }) => ({ label, x, y })),
    panels: [plane.panel([
      ...trend === null ? [] : trendMarks(trend, x, y),
      // Points are transparent, so that overlapping points are visible.
      Plot.dot(dots, {
        x: "x",
        y: "y",
        fill: "color",
        fillOpacity: 0.55,
        r: RADIUS,
        stroke: "color",
        strokeWidth: 1.25,
        ariaDescription: "value",
      }),
      ...nameMarks(points, look, { plane, x, y, width, there }),
    ])],
  };
}
