import { FAINT_OPACITY } from "../colors.ts";
import { formatDay } from "../format.ts";
import { numbersOf } from "../numbers.ts";
import { daysText } from "../periods.ts";
import { type Line, type LinePoint, pointRows } from "../read/lines.ts";
import { textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { rangeText } from "../words.ts";
import { hasMarkers, isDense, meanOfDays, thinned } from "./density.ts";
import { band, forecastLine, incompleteLine, isAlone, type LineRow } from "./line_marks.ts";
import { drawnDots, type DrawnLine, type LinesPlan, type RuleLine } from "./line_plan.ts";
import { type Markish, Plot } from "./observable_plot.ts";
import { shownOn } from "./axes.ts";
import { inPixels, type Plane } from "./plane.ts";
import { DOT, swarm } from "./swarm.ts";
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
          { [interval]: rangeText([lower, upper], write) },
      },
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

/** The widths of lines by their role, in pixels; else 2, and less in small panels. */
const WIDTHS = { strong: 2.5, reference: 1.5, joined: 1 } as const;
const [WIDTH, PANEL_WIDTH] = [2, 1.5];

/** Draws bands around lines, whiskers of points without neighbors, and dots of members at the positions `dotsAt`. */
function boundMarks(lines: readonly DrawnLine[], plan: LinesPlan, plane: Plane): Markish[] {
  const strong = lines.filter(({ highlighted }) => highlighted);
  const dots = Map.groupBy(rowsOfLines(drawnDots(plan), plan, plane), ({ x }) => Number(x));
  const bounded = ({ lower = null, upper = null }: LinePoint) => lower !== null && upper !== null;
  // A band needs two successive points.
  const alone = strong.flatMap(({ points, color }) => {
    const known = points.map((point) => ({ y: bounded(point) ? 1 : null }));
    return points.filter((point, at) => bounded(point) && isAlone(known, at))
      .map((point) => ({ ...point, color }));
  });
  const opacity = plan.panels === undefined && strong.length > 1 ? 0.1 : 0.16;
  return [
    ...plan.bounds === undefined ? [] : [
      band(rowsOfLines(strong, plan), opacity),
      Plot.ruleX(alone, {
        x: inPixels(({ x }: LinePoint) => plane.xOf(x)),
        y1: "lower",
        y2: "upper",
        stroke: "color",
        strokeWidth: 1.5,
        strokeOpacity: 0.7,
        ariaDescription: "interval",
      }),
    ],
    ...[...dots].map(([x, month]) => {
      const moves = swarm(month.map(({ y }) => plane.yOf(y!)));
      return Plot.dot(month, {
        x: { value: moves.map((move) => plane.xOf(x) + move), scale: null },
        y: "y",
        r: DOT,
        fill: strong[0]?.color ?? theme.muted,
        fillOpacity: 0.4,
        channels: { tip: "tip" },
        ariaDescription: "member",
      });
    }),
  ];
}

/** Draws a pale area between two lines. */
function betweenMarks(
  lines: readonly DrawnLine[],
  { between }: LinesPlan,
  { axis }: Plane,
): Markish[] {
  const [one, other] = (between ?? []).map((name) => lines.find(({ label }) => label === name));
  if (one === undefined || other === undefined) return [];
  const known = new Map(other.points.map(({ x, y }) => [x, y]));
  const at = (y: number | null | undefined) => y == null ? NaN : shownOn(axis, y);
  return [
    Plot.areaY(one.points, {
      x: ({ x }: LinePoint) => new Date(x),
      y1: ({ y }: LinePoint) => at(y),
      y2: ({ x }: LinePoint) => at(known.get(x)),
      fill: one.color,
      fillOpacity: 0.12,
      ariaDescription: "difference",
    }),
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
): {
  readonly names: readonly RuleName[];
  readonly lift: number;
  /** Whether numbers stand in place of the names. */
  readonly numbered: boolean;
} {
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
  const numbered = named.some(({ row }) => row < 0);
  const names = !numbered
    ? named
    : place(lines.map((_, index) => String(index + 1))).map((name) => ({
      ...name,
      row: Math.max(0, name.row),
    }));
  return { names, lift: names.some(({ row }) => row > 0) ? NAME_ROW : 0, numbered };
}

/** Returns a note that explains the numbers of vertical lines, if numbers stand in place of their names. */
export function ruleNotes(rules: readonly RuleLine[], plane: Plane, locale: string): string[] {
  if (!placeRuleNames(rules, plane).numbered) return [];
  const lines = rules.flatMap(({ x, label }) =>
    x === undefined || label === "" ? [] : [{ x, label }]
  )
    .toSorted((a, b) => a.x - b.x);
  return [
    `Vertical lines: ${
      lines.map(({ x, label }, at) => `${at + 1} ${label} (${formatDay(new Date(x), locale)})`)
        .join(", ")
    }.`,
  ];
}

/** Draws thin vertical lines at positions `x`, with their names above the plot area, and horizontal ones at values `y`. */
export function ruleMarks(rules: readonly RuleLine[], plane: Plane): Markish[] {
  const style = { stroke: theme.muted, strokeWidth: 0.75 };
  const at = { x: inPixels(({ x }: RuleName) => plane.xOf(x)) };
  const { names } = placeRuleNames(rules, plane);
  return [
    ...rules.map(({ x, y, label, reference = false }) =>
      x === undefined
        ? Plot.ruleY([y], {
          ...style,
          ...reference && { strokeWidth: WIDTHS.reference },
          ariaDescription: reference ? "reference" : label === "" ? "rule" : label,
        })
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

/** Draws days as thin lines, below thick lines of their means. */
function denseMarks(rows: (some: readonly DrawnLine[]) => LineRow[], data: readonly DrawnLine[]) {
  return [
    incompleteLine(rows(data), { strokeWidth: 0.75, strokeOpacity: 0.35, dots: false }),
    incompleteLine(rows(data.map(meanOfDays)), { dots: false }),
  ];
}

/** Draws the dots of values that a thin line joins. */
function joinedDots(rows: readonly LineRow[]): Markish {
  return Plot.dot(rows.filter(({ y }) => y !== null), {
    x: "x",
    y: "y",
    r: 3,
    stroke: "color",
    strokeWidth: 1.5,
    fill: ({ color, complete }: LineRow) => complete ? color : theme.paper,
    channels: { group: "label" },
    ariaDescription: "value",
  });
}

/** Draws the marks of lines: first faint lines, then bounds, forecasts and colored lines. */
export function lineMarks(given: readonly DrawnLine[], plan: LinesPlan, plane: Plane): Markish[] {
  const lines = given.map((line) => withGaps(line, plan.x));
  const strong = lines.filter(({ highlighted }) => highlighted);
  const faint = lines.filter(({ highlighted }) => !highlighted);
  const data = strong.filter(({ plain, role }) => !plain && role === undefined);
  const dense = isDense(data, plan, plane);
  const rows = (some: readonly DrawnLine[]) =>
    rowsOfLines(some.map((line) => thinned(line, plane)), plan, plane);
  const ofRole = (wanted: Line["role"]) =>
    rows(strong.filter(({ role, plain }) => role === wanted && (role !== undefined || plain)));
  const joined = ofRole("joined");
  const strokeWidth = plan.panels === undefined ? WIDTH : PANEL_WIDTH;
  const marked = plan.lines.filter(({ plain, role }) => !plain && role === undefined);
  const dots = hasMarkers(marked, plane) ? undefined : false;
  return [
    incompleteLine(rows(dense ? faint.map(meanOfDays) : faint), FAINT),
    ...boundMarks(lines, plan, plane),
    ...betweenMarks(lines, plan, plane),
    forecastLine(rows(lines)),
    incompleteLine(joined, { strokeWidth: WIDTHS.joined, dots: false }),
    joinedDots(joined),
    incompleteLine(ofRole(undefined), { strokeWidth, dots: false }),
    incompleteLine(ofRole("reference"), { strokeWidth: WIDTHS.reference, dots: false }),
    incompleteLine(ofRole("strong"), { strokeWidth: WIDTHS.strong, dots: false }),
    ...dense ? denseMarks(rows, data) : [
      incompleteLine(rows(data), { strokeWidth, ...dots === false && { dots } }),
    ],
    ...ruleMarks(plan.rules ?? [], plane),
  ];
}
