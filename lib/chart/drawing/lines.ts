import type { LegendItem } from "../chart.ts";
import { numbersOf } from "../numbers.ts";
import { hasForecast } from "../read/lines.ts";
import type { FigureBody, Look } from "../look.ts";
import { textColor } from "../page/dark.ts";
import { drawnSeries } from "../series_colors.ts";
import { textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { AT_RISK_ROOM, atRiskInset, atRiskMarks, usersAtRisk } from "./at_risk.ts";
import { type Axis, placeOn } from "./axes.ts";
import { endLabelMarks, placeEndLabels } from "./end_labels.ts";
import { linePanels } from "./line_panels.ts";
import {
  type DrawnLine,
  endOf,
  lineAxes,
  linePlaces,
  lineRows,
  type LinesPlan,
} from "./line_plan.ts";
import { Plot } from "./observable_plot.ts";
import { lineMarks, placeRuleNames } from "./panel_lines.ts";
import { inPixels, type Plane, planeOf } from "./plane.ts";
import { rankPanel } from "./ranks.ts";

const TOP = 34;
const BELOW = 44;
const RIGHT = 16;
/** If there are more lines than this, the numbers of users are not written below the axis. */
const MOST_SUMMED = 12;
/** The space between the vertical axis and the first whiskers, in pixels. */
const WHISKER_INSET = 10;

/** The lowest part of the axis, as a fraction. A value in this part has its label above the line. */
const LOW = 0.15;

/**
 * If there is only one line, returns marks that write the value at its end. If the line has a forecast, the marks also
 * write the last observed value. `room` is the width to the right of the line.
 */
function endValues(lines: readonly DrawnLine[], { y: { unit } }: LinesPlan, look: Look, up: Axis) {
  const [line] = lines;
  const end = line === undefined || lines.length > 1 ? undefined : endOf(line);
  if (line === undefined || end === undefined) return { marks: () => [], room: 0 };
  const seen = line.points.findLast((point) => point.complete && point.y !== null);
  const shown = [{ x: end.x, y: end.value, last: true }];
  if (seen !== undefined && seen.x !== end.x && end.predicted !== undefined) {
    shown.push({ x: seen.x, y: seen.y!, last: false });
  }
  const { locale, format } = look;
  const write = numbersOf(shown.map(({ y }) => y), { unit, locale, format });
  const marks = ({ xOf, yOf }: Plane) =>
    shown.map(({ x, y, last }) => {
      const low = placeOn(up, y) < LOW;
      return Plot.text([write(y)], {
        x: inPixels(() => xOf(x)),
        y: inPixels(() => yOf(y)),
        fontWeight: "bold",
        fill: theme.ink,
        stroke: theme.paper,
        strokeWidth: 4,
        textAnchor: last || low ? "start" : "end",
        dx: last || low ? 6 : -6,
        dy: last ? 0 : low ? -14 : 14,
        ariaDescription: last ? "end value" : "value where the data ends",
      });
    });
  return { marks, room: textWidth(write(end.value), { ...theme.label, bold: true }) + 12 };
}

function legendOf(lines: readonly DrawnLine[], { bounds, interval }: LinesPlan): LegendItem[] {
  const color = lines.length === 1 ? lines[0]!.color : theme.muted;
  const items = [
    ...hasForecast(lines)
      ? [{ label: "observed", key: "line" }, { label: "forecast", key: "dashed" }] as const
      : [],
    ...bounds === undefined
      ? []
      : [{ label: interval ?? "interval", key: bounds === "bands" ? "band" : "whisker" }] as const,
  ];
  return items.map((item) => ({ ...item, color }));
}

/** Places the names of lines beside their ends: to the right of the panel, or in it if lines end before the others. */
function endNames(
  lines: readonly DrawnLine[],
  { top, inside, xOf, yOf }: Plane,
  look: Look,
) {
  const all = lines.length < 2 ? [] : lines.flatMap((line) => {
    const end = endOf(line);
    const faint = !line.highlighted;
    return end === undefined ? [] : [{ ...line, x: xOf(end.x), y: yOf(end.value), faint }];
  });
  const right = Math.max(...all.map(({ x }) => x));
  const labels = placeEndLabels(all.filter(({ x }) => x === right), {
    ...{ top: top - 12, bottom: top + inside + 8, width: look.inner * 0.28 },
  });
  return {
    all,
    labels,
    early: moved(
      all.filter(({ x, faint }) => x < right && !faint),
      labels.labels.map(({ label, at }) => ({ label, x: right, y: at })),
    ),
  };
}

/** A name and the position at which it begins. */
interface Name {
  readonly label: string;
  readonly x: number;
  readonly y: number;
}

/**
 * Moves names up or down by at most a line so that they overlap neither each other nor names that have a position.
 * Names without a free position are left out.
 */
function moved<End extends Name>(ends: readonly End[], others: readonly Name[]): End[] {
  const placed: End[] = [];
  const overlaps = (a: Name, b: Name) => {
    const left = a.x < b.x ? a : b;
    return Math.abs(a.x - b.x) < textWidth(left.label, theme.label) + 4 &&
      Math.abs(a.y - b.y) < theme.label.line;
  };
  for (const end of ends) {
    const free = [0, -theme.label.line, theme.label.line]
      .map((down) => ({ ...end, y: end.y + down }))
      .find((at) => ![...others, ...placed].some((other) => overlaps(at, other)));
    if (free !== undefined) placed.push(free);
  }
  return placed;
}

/** Draws all lines in one panel. */
function onePanel(plan: LinesPlan, look: Look, lines: readonly DrawnLine[]) {
  const { x, y } = lineAxes(plan, look, lines);
  const users = usersAtRisk(plan.atRisk && lines.length <= MOST_SUMMED ? lines : []);
  const below = users.size === 0 ? 0 : AT_RISK_ROOM;
  const size = {
    width: look.inner,
    height: (look.height ?? 400) + below,
    top: TOP,
    bottom: BELOW + below,
    left: plan.sides?.left ?? 16,
    inset: Math.max(
      atRiskInset(users, look.locale),
      plan.bounds === "whiskers" ? WHISKER_INSET : 0,
    ),
    x,
    y,
  };
  const { lift } = placeRuleNames(plan.rules ?? [], planeOf({ ...size, right: 0 }));
  const known = plan.background ? lines.filter(({ highlighted }) => highlighted) : lines;
  const { all, labels } = endNames(known, planeOf({ ...size, lift, right: 0 }), look);
  const single = endValues(lines, plan, look, y.axis);
  const needed = labels.labels.length > 0 ? labels.room : Math.max(RIGHT, single.room);
  const right = Math.max(plan.sides?.right ?? 0, needed);
  const plane = planeOf({ ...size, lift, right });
  // Names are to the right of hollow marks, too.
  const last = Math.max(...linePlaces(known.map((line) => ({
    ...line,
    points: line.points.filter(({ y, predicted = null }) => (y ?? predicted) !== null),
  }))));
  const { early } = endNames(known, plane, look);
  const named = labels.labels.length + early.length;
  const name = lines.length > 1 ? "Users observed, all groups" : "Users observed";
  return {
    legend: legendOf(lines, plan),
    said: named < all.length ? `${named} of ${all.length} named` : "",
    panels: [plane.panel([
      ...users.size === 0 ? [] : atRiskMarks(users, plane, { x, below: BELOW, name }),
      ...lineMarks(lines, plan, plane),
      ...single.marks(plane),
      ...endLabelMarks(labels, plane.xOf(last)),
      Plot.text(early, {
        x: inPixels("x"),
        y: inPixels("y"),
        dx: 6,
        text: "label",
        textAnchor: "start",
        fill: ({ color }: DrawnLine) => textColor(color),
        stroke: theme.paper,
        strokeWidth: 3,
        channels: { group: "label" },
        ariaDescription: "line label",
      }),
    ])],
  };
}

/** Returns lines with their colors. */
function drawnLines({ lines, panels, ordered = false }: LinesPlan, look: Look): DrawnLine[] {
  // Panels have names, so that color would say nothing.
  const slate = panels !== undefined && look.highlight === undefined;
  return drawnSeries(lines, { ...look, ordered: ordered && panels === undefined, slate });
}

/** Draws lines in one panel, or each line in its own panel. */
export function linesFigure(plan: LinesPlan, look: Look): FigureBody {
  const { panels } = plan;
  const lines = drawnLines(plan, look);
  const draw = panels !== undefined ? linePanels : plan.ranks ? rankPanel : onePanel;
  return { ...draw(plan, look, lines), rows: lineRows(plan) };
}
