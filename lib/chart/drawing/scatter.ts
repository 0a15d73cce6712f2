import { extentOf } from "../extent.ts";
import { type Drawn, drawnSeries } from "../series_colors.ts";
import type { FigureBody, Look } from "../look.ts";
import { axisName, type Measure } from "../measures.ts";
import { unnamedNotes } from "../notes.ts";
import { sumBy } from "../read/lines.ts";
import { theme } from "../theme.ts";
import { joined } from "../words.ts";
import { type Axis, axisFor, isCut } from "./axes.ts";
import { boxesAlong, type PlacedName, placeNames, RADIUS } from "./name_places.ts";
import { type Markish, Plot } from "./observable_plot.ts";
import { numbersOf } from "../numbers.ts";
import { inPixels, type Plane, planeOf } from "./plane.ts";
import { tipChannel } from "./tip.ts";

/** A named point. */
interface ScatterPoint {
  readonly id: string;
  readonly label: string;
  readonly x: number;
  readonly y: number;
}

/** The points and the options of a scatter plot. */
interface ScatterPlan {
  /** The points, in descending order of `y`. */
  readonly points: readonly ScatterPoint[];
  readonly x: Measure;
  readonly y: Measure;
  readonly scale: "auto" | "linear" | "log";
  /** Whether the least-squares line is drawn. */
  readonly trend: boolean;
}

type DrawnPoint = ScatterPoint & Drawn;

const SIZE = { top: 30, bottom: 44, right: 24 };

/**
 * Draws names beside their points. A leader line connects a distant name with its point.
 */
function nameMarks(names: readonly (DrawnPoint & PlacedName)[]): Markish[] {
  const leaders = names.filter(({ far }) => far).map(({ x, y, textX, textY, anchor }) => {
    const part = (RADIUS + 1) / Math.hypot(textX - x, textY - y);
    const x2 = textX + (anchor === "start" ? -2 : 2);
    return { x1: x + part * (textX - x), y1: y + part * (textY - y), x2, y2: textY };
  });
  return [
    Plot.link(leaders, {
      x1: inPixels("x1"),
      y1: inPixels("y1"),
      x2: inPixels("x2"),
      y2: inPixels("y2"),
      stroke: theme.muted,
      strokeWidth: 0.75,
      ariaDescription: "leader",
    }),
    ...(["start", "middle", "end"] as const).map((textAnchor) =>
      Plot.text(names.filter(({ anchor }) => anchor === textAnchor), {
        x: inPixels("textX"),
        y: inPixels("textY"),
        text: "text",
        textAnchor,
        fill: ({ highlighted }: DrawnPoint) => highlighted ? theme.ink : theme.muted,
        ariaDescription: "point name",
      })
    ),
  ];
}

/**
 * Returns the least-squares line through the drawn points, and its numbers as text. If an axis is logarithmic, the line
 * is thus fitted to the logarithms of its values. The line goes from the first to the last point, within the plot area.
 * Returns null if there are fewer than three points, or if all points have the same `x`.
 */
function trendOf(points: readonly DrawnPoint[], [x, y]: readonly [Axis, Axis], plane: Plane) {
  const { top, inside, across, xOf, yOf } = plane;
  const [meanX, meanY] = (["x", "y"] as const)
    .map((name) => sumBy(points, (point) => point[name]) / points.length) as [number, number];
  const sum = (of: (dx: number, dy: number) => number) =>
    sumBy(points, ({ x, y }) => of(x - meanX, y - meanY));
  const [xx, xy, yy] = [sum((dx) => dx * dx), sum((dx, dy) => dx * dy), sum((_, dy) => dy * dy)];
  if (points.length < 3 || !(xx > 1e-12 * across ** 2)) return null;
  const slope = xy / xx;
  const [first, last] = extentOf(points.map(({ x }) => x));
  const edges = slope === 0
    ? [-Infinity, Infinity]
    : [top, top + inside].map((edge) => meanX + (edge - meanY) / slope);
  const ends = [
    Math.max(first, Math.min(...edges)),
    Math.min(last, Math.max(...edges)),
  ].map((at) => [at, meanY + slope * (at - meanX)] as const);
  const power = slope * (xOf(10) - xOf(1)) / (yOf(10) - yOf(1));
  const law = x.type === "log" && y.type === "log"
    ? `y ∝ x^${power.toFixed(2).replace("-", "−")}`
    : "";
  const r2 = yy > 0 ? `r² = ${(slope * xy / yy).toFixed(2)}` : "";
  return { ends, text: joined([law, r2, `n = ${points.length}`], ", ") };
}

const NO_TREND = "No line of least squares: fewer than three points with different places across.";

/** Draws points with their names. */
export function scatterFigure({ points, ...plan }: ScatterPlan, look: Look): FigureBody {
  const { locale, format, inner: width, height = 440 } = look;
  const x = axisFor(points.map(({ x }) => x), { scale: plan.scale, unit: plan.x.unit });
  const y = axisFor(points.map(({ y }) => y), { scale: plan.scale, unit: plan.y.unit });
  const plane = planeOf({
    ...SIZE,
    named: true,
    width,
    height,
    x: { axis: x, style: { unit: plan.x.unit, locale }, name: axisName(plan.x) },
    y: { axis: y, style: { unit: plan.y.unit, locale, format }, name: axisName(plan.y) },
  });
  const { left, top, inside, xOf, yOf } = plane;
  const drawn = drawnSeries(points, { ...look, slate: look.highlight === undefined })
    .map((point) => ({ ...point, x: xOf(point.x), y: yOf(point.y), at: point }));
  // The names of highlighted points are placed first.
  const named = drawn.toSorted((a, b) => Number(b.highlighted) - Number(a.highlighted));
  // A zero in the strip beside a logarithmic axis has no place on a straight line.
  const isOn = ({ floor = -Infinity }: Axis, value: number) => value >= floor;
  const onAxes = drawn.filter(({ at }) => isOn(x, at.x) && isOn(y, at.y));
  const trend = plan.trend ? trendOf(onAxes, [x, y], plane) : null;
  const places = placeNames(named, {
    room: { left, right: width, top: top - 10, bottom: top + inside },
    line: [
      ...trend === null ? [] : boxesAlong(trend.ends[0]!, trend.ends[1]!),
      ...y.type === "linear" && !isCut(y)
        ? boxesAlong([left, yOf(0)], [width - SIZE.right, yOf(0)])
        : [],
    ],
  });
  const names = places.flatMap((place, index) =>
    place === null ? [] : [{ ...named[index]!, ...place }]
  );
  const unnamed = points.filter(({ label }) => label !== "").length - names.length;
  const exact = (side: "x" | "y") => numbersOf([], plane.plan[side].style, "exact");
  const [writeX, writeY] = [exact("x"), exact("y")];
  return {
    rows: points.map(({ label, x, y }) => ({ label, x, y })),
    notes: [
      ...plan.trend ? [trend === null ? NO_TREND : `Line: least squares, ${trend.text}.`] : [],
      ...unnamedNotes(unnamed, points.length),
    ],
    panels: [plane.panel([
      Plot.line(trend?.ends ?? [], {
        x: inPixels("0"),
        y: inPixels("1"),
        stroke: theme.muted,
        ariaDescription: "trend",
      }),
      // Points are transparent, so that overlapping points are visible.
      Plot.dot(drawn, {
        x: inPixels("x"),
        y: inPixels("y"),
        fill: "color",
        fillOpacity: 0.55,
        r: RADIUS,
        stroke: "color",
        strokeWidth: 1.25,
        channels: tipChannel(({ label, at: { x, y } }: typeof drawn[number]) => (
          { title: label, values: { [plan.x.title]: writeX(x), [plan.y.title]: writeY(y) } }
        )),
        ariaDescription: "value",
      }),
      ...nameMarks(names),
    ])],
  };
}
