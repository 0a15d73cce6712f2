import { FAINT_OPACITY } from "../colors.ts";
import { type LinePoint, pointRows, pointsOf } from "../read/lines.ts";
import { textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { band, forecastLine, incompleteLine, isAlone } from "./line_marks.ts";
import { drawnDots, type DrawnLine, type LinesPlan, type Rule } from "./line_plan.ts";
import { type Markish, Plot } from "./observable_plot.ts";
import { frameText, pixels, type Plane } from "./plane.ts";

/** Returns the points of lines as rows for marks. */
export function rowsOfLines(lines: readonly DrawnLine[], { x }: LinesPlan) {
  return pointRows(lines, x.dates ?? false);
}

/** The style of lines that are drawn only for comparison. */
export const FAINT = { strokeWidth: 1, strokeOpacity: FAINT_OPACITY, dots: false };

const WHISKER_STEP = 4;

/** Returns the points of lines with their horizontal positions in pixels. Points of the same month are side by side. */
function sideBySide(
  lines: readonly DrawnLine[],
  { whiskersAt = [] }: LinesPlan,
  { xOf }: Plane,
) {
  const shown = lines.filter(({ points }) => points.length > 0);
  const places = whiskersAt.map(xOf).toSorted((a, b) => a - b);
  const apart = Math.min(...places.slice(1).map((place, index) => place - places[index]!));
  // Points of different months must not overlap.
  const step = Math.min(WHISKER_STEP, 0.75 * apart / shown.length);
  return shown.flatMap(({ points, color }, index) =>
    points.map((point) => (
      { ...point, color, at: xOf(point.x) + (index - (shown.length - 1) / 2) * step }
    ))
  );
}

/** The distance between the centers of neighboring dots of a swarm, in pixels. */
const APART = 4.5;

/**
 * Moves dots of a month to the left and to the right, by as few pixels as possible, so that they do not overlap. Dots
 * that would reach the dots of another month are not moved.
 */
function swarm<Dot extends { readonly at: number; readonly y: number | null }>(
  dots: readonly Dot[],
  { whiskersAt = [] }: LinesPlan,
  { xOf, yOf }: Plane,
): Dot[] {
  const months = whiskersAt.map(xOf);
  const placed: (readonly [at: number, down: number])[] = [];
  return dots.map((dot) => {
    const down = yOf(dot.y!);
    const near = placed.filter(([, other]) => Math.abs(other - down) < APART);
    const next = months.map((month) => Math.abs(month - dot.at)).filter((apart) => apart > 1);
    const steps = Array.from(
      { length: 0.9 * Math.min(...next) },
      (_, step) => (step % 2 ? -1 : 1) * step / 2,
    );
    const at = steps.map((step) =>
      dot.at + step
    ).find((at) => near.every((other) => Math.hypot(other[0] - at, other[1] - down) >= APART)) ??
      dot.at;
    placed.push([at, down]);
    return { ...dot, at };
  });
}

/** Draws bands around the lines, or whiskers and dots side by side at the positions `whiskersAt`. */
function boundMarks(lines: readonly DrawnLine[], plan: LinesPlan, plane: Plane): Markish[] {
  const { bounds, whiskersAt } = plan;
  const strong = lines.filter(({ highlighted }) => highlighted);
  const members = Map.groupBy(drawnDots(plan), ({ group }) => group);
  const dots = strong.map((line) => ({
    ...line,
    points: pointsOf(members.get(line.id) ?? []),
  }));
  const bounded = ({ lower = null, upper = null }: LinePoint) => lower !== null && upper !== null;
  const whiskers = strong.map((line) => {
    const known = line.points.map((point) => ({ y: bounded(point) ? 1 : null }));
    // A band needs two successive points.
    const points = line.points.filter((point, at) =>
      bounded(point) &&
      (bounds === "bands" ? isAlone(known, at) : whiskersAt?.includes(point.x) ?? true)
    );
    return { ...line, points };
  });
  return [
    ...bounds === "bands"
      ? [
        band(
          rowsOfLines(strong, plan),
          plan.panels === undefined && strong.length > 4 ? 0.1 : 0.16,
        ),
      ]
      : [],
    Plot.ruleX(bounds === undefined ? [] : sideBySide(whiskers, plan, plane), {
      x: pixels("at"),
      y1: "lower",
      y2: "upper",
      stroke: "color",
      strokeWidth: 1.5,
      strokeOpacity: 0.7,
      ariaDescription: "interval",
    }),
    Plot.dot(swarm(sideBySide(dots, plan, plane), plan, plane), {
      x: pixels("at"),
      y: "y",
      r: 2,
      fill: "color",
      fillOpacity: 0.4,
      ariaDescription: "member",
    }),
  ];
}

/**
 * Draws vertical dashed lines at positions `x`, and horizontal dashed lines at values `y`. The names of vertical lines
 * are above the plot area. A name that would cover the name before it is left out.
 */
export function ruleMarks(rules: readonly Rule[], { xOf, left, across }: Plane): Markish[] {
  const style = { stroke: theme.muted, strokeDasharray: "2 2" };
  let free = -Infinity;
  return rules.toSorted((a, b) => (a.x ?? 0) - (b.x ?? 0)).flatMap(({ x, y, label }) => {
    if (x === undefined) {
      return [Plot.ruleY([y], { ...style, ariaDescription: label === "" ? "rule" : label })];
    }
    const at = { x: pixels(() => xOf(x)) };
    const textAnchor = xOf(x) > left + 0.75 * across ? "end" : "start";
    const width = textWidth(label, theme.label);
    const start = xOf(x) - (textAnchor === "end" ? width : 0);
    const named = start > free;
    if (named) free = start + width + 8;
    return [
      Plot.ruleX([x], { ...at, ...style, ariaDescription: "rule" }),
      frameText(named ? label : "", "top", {
        ...at,
        textAnchor,
        dy: -11,
        ariaDescription: "rule name",
      }),
    ];
  });
}

/** Adds an empty point between months that do not follow each other, so that no line or band joins them. */
function withGaps(line: DrawnLine, { months = false }: LinesPlan["x"]): DrawnLine {
  const points = line.points.flatMap((point, at) => {
    const gap = months && (line.points[at + 1]?.x ?? point.x) - point.x > 1;
    return gap ? [point, { x: point.x + 1, y: null, complete: true }] : [point];
  });
  return { ...line, points };
}

/** Draws the marks of lines: first faint lines, then bounds, forecasts and colored lines. */
export function lineMarks(given: readonly DrawnLine[], plan: LinesPlan, plane: Plane): Markish[] {
  const lines = given.map((line) => withGaps(line, plan.x));
  const strong = lines.filter(({ highlighted }) => highlighted);
  const data = strong.filter(({ plain }) => !plain);
  const rows = (some: readonly DrawnLine[]) => rowsOfLines(some, plan);
  return [
    incompleteLine(rows(lines.filter(({ highlighted }) => !highlighted)), FAINT),
    ...boundMarks(lines, plan, plane),
    forecastLine(rows(lines)),
    incompleteLine(rows(strong.filter(({ plain }) => plain)), { dots: false }),
    incompleteLine(rows(data)),
    ...ruleMarks(plan.rules ?? [], plane),
  ];
}
