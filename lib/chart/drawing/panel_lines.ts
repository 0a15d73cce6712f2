import { FAINT_OPACITY } from "../colors.ts";
import { numbersOf } from "../numbers.ts";
import { daysText } from "../periods.ts";
import { type Line, type LinePoint, pointRows } from "../read/lines.ts";
import { textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { band, forecastLine, incompleteLine, isAlone } from "./line_marks.ts";
import { drawnDots, type DrawnLine, type LinesPlan, type RuleLine } from "./line_plan.ts";
import { type Markish, Plot } from "./observable_plot.ts";
import { shownOn } from "./axes.ts";
import { inPixels, type Plane } from "./plane.ts";
import type { Tip } from "./tip.ts";

/**
 * Returns the points of lines as rows for marks, with functions that return their tooltips. A zero beside a logarithmic
 * axis is in its strip.
 */
export function rowsOfLines<Each extends Line>(
  lines: readonly Each[],
  plan: LinesPlan,
  plane?: Plane,
) {
  const rows = pointRows(lines, plan.x.dates ?? false);
  if (plane === undefined) return rows;
  const { axis, plan: { y: { style } } } = plane;
  const { x: { dates, months, name, write: when }, interval = "interval" } = plan;
  const write = numbersOf([], style, "exact");
  return rows.map((row) => {
    const { y, label, plain = false, complete, predicted = null, lower = null, upper = null } = row;
    const value = y ?? predicted;
    const x = Number(row.x);
    const tip = (): Tip => ({
      title: label,
      at: when?.(x) ?? (dates ? daysText([x], style.locale) : `${months ? "month" : name} ${x}`),
      values: {
        value: write(value!) +
          (y === null ? " (forecast)" : complete ? "" : " (period not complete)"),
        ...lower !== null && upper !== null &&
          { [interval]: `${write(lower)} to ${write(upper)}` },
      },
      frameRow: row.frameRow,
    });
    return {
      ...row,
      y: y === null ? null : shownOn(axis, y),
      tip: value === null || plain ? undefined : tip,
    };
  });
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

/** Draws bands around the lines, or whiskers and dots side by side at the positions `whiskersAt`. */
function boundMarks(lines: readonly DrawnLine[], plan: LinesPlan, plane: Plane): Markish[] {
  const { bounds, whiskersAt } = plan;
  const strong = lines.filter(({ highlighted }) => highlighted);
  const dots = Map.groupBy(rowsOfLines(drawnDots(plan), plan, plane), ({ x }) => Number(x));
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
      x: inPixels("at"),
      y1: "lower",
      y2: "upper",
      stroke: "color",
      strokeWidth: 1.5,
      strokeOpacity: 0.7,
      ariaDescription: "interval",
    }),
    // Dots of a month are moved to the left and to the right, so that they do not overlap.
    ...[...dots].map(([x, month]) =>
      Plot.dot(
        month,
        Plot.dodgeX({ anchor: "middle", padding: 0.5 }, {
          y: "y",
          r: 2,
          dx: plane.xOf(x) - plane.left - (plane.across + plane.inset) / 2,
          fill: strong[0]?.color ?? theme.muted,
          fillOpacity: 0.4,
          channels: { tip: "tip" },
          ariaDescription: "member",
        }),
      )
    ),
  ];
}

/** The height of a row of names of vertical lines, in pixels. */
const NAME_ROW = 13;

/** A text above a vertical line, in one of two rows. */
type RuleName = RuleLine & {
  readonly x: number;
  readonly row: number;
  readonly anchor: "start" | "end";
};

/**
 * Places the names of vertical lines in two rows above the plot area. If a name has no room, all lines have numbers in
 * order of their dates. `lift` is the height of the second row.
 */
export function placeRuleNames(
  rules: readonly RuleLine[],
  { xOf, left, across }: Pick<Plane, "xOf" | "left" | "across">,
): { readonly names: readonly RuleName[]; readonly lift: number } {
  const lines = rules.flatMap(({ x, label }) =>
    x === undefined || label === "" ? [] : [{ x, label }]
  )
    .toSorted((a, b) => a.x - b.x);
  const place = (texts: readonly string[]) => {
    const free = [-Infinity, -Infinity];
    return lines.map(({ x }, index): RuleName => {
      const anchor = xOf(x) > left + 0.75 * across ? "end" : "start";
      const width = textWidth(texts[index]!, theme.label);
      const start = xOf(x) - (anchor === "end" ? width : 0);
      const row = free.findIndex((end) => start >= end);
      if (row >= 0) free[row] = start + width + 8;
      return { x, label: texts[index]!, row, anchor };
    });
  };
  const named = place(lines.map(({ label }) => label));
  const names = named.every(({ row }) => row >= 0)
    ? named
    : place(lines.map((_, index) => String(index + 1))).map((name) => ({
      ...name,
      row: Math.max(0, name.row),
    }));
  return { names, lift: names.some(({ row }) => row > 0) ? NAME_ROW : 0 };
}

/** Draws thin vertical lines at positions `x`, with their names above the plot area, and horizontal ones at values `y`. */
export function ruleMarks(rules: readonly RuleLine[], plane: Plane): Markish[] {
  const style = { stroke: theme.muted, strokeWidth: 0.75 };
  const at = { x: inPixels(({ x }: RuleName) => plane.xOf(x)) };
  const { names } = placeRuleNames(rules, plane);
  return [
    ...rules.map(({ x, y, label }) =>
      x === undefined
        ? Plot.ruleY([y], { ...style, ariaDescription: label === "" ? "rule" : label })
        : Plot.ruleX([{ x }], { ...at, ...style, ariaDescription: "rule" })
    ),
    ...(["start", "end"] as const).flatMap((textAnchor) =>
      [0, 1].map((row) =>
        Plot.text(names.filter((name) => name.anchor === textAnchor && name.row === row), {
          ...at,
          text: "label",
          frameAnchor: "top",
          textAnchor,
          fill: theme.muted,
          dy: -11 - row * NAME_ROW,
          ariaDescription: "rule name",
        })
      )
    ),
  ];
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
  const rows = (some: readonly DrawnLine[]) => rowsOfLines(some, plan, plane);
  return [
    incompleteLine(rows(lines.filter(({ highlighted }) => !highlighted)), FAINT),
    ...boundMarks(lines, plan, plane),
    forecastLine(rows(lines)),
    incompleteLine(rows(strong.filter(({ plain }) => plain)), { dots: false }),
    incompleteLine(rows(data)),
    ...ruleMarks(plan.rules ?? [], plane),
  ];
}
