import type { LegendItem } from "../chart.ts";
import { OTHER_COLOR } from "../colors.ts";
import { extentOf } from "../extent.ts";
import { numbersOf } from "../numbers.ts";
import { hasForecast } from "../read/lines.ts";
import type { FigureBody, Look } from "../look.ts";
import { drawnSeries } from "../series_colors.ts";
import { theme } from "../theme.ts";
import { joined } from "../words.ts";
import { AT_RISK_ROOM, atRiskInset, atRiskMarks, usersAtRisk } from "./at_risk.ts";
import { covered } from "./covered.ts";
import {
  crossings,
  DENSE,
  hasMarkers,
  isDense,
  isThinned,
  meanOfDays,
  THINNED,
} from "./density.ts";
import {
  boxOf,
  type End,
  endLabelMarks,
  endRoom,
  labelsFrom,
  placeEndLabels,
  placeInside,
} from "./end_labels.ts";
import { gapLabels, gapMarks, gapNote, missingIn } from "./gaps.ts";
import { linePanels } from "./line_panels.ts";
import {
  drawnDots,
  type DrawnLine,
  endOf,
  lineAxes,
  lineRows,
  type LinesPlan,
} from "./line_plan.ts";
import { Plot } from "./observable_plot.ts";
import { lineMarks, placeRuleNames, ruleNotes } from "./panel_lines.ts";
import { inPixels, type Plane, planeOf } from "./plane.ts";
import { rankPanel } from "./ranks.ts";
import { referenceMarks } from "./reference_line.ts";
import { DOT, swarm } from "./swarm.ts";

/** The space above the plot area, and what names of vertical lines add to it, in pixels. */
export const [TOP, NAMES] = [6, 14];
const HEIGHT = 380;
const BELOW = 44;
const RIGHT = 16;
/** If there are more lines than this, the numbers of users are not written below the axis. */
const MOST_SUMMED = 12;
/** The distance that a name of a line in one panel can be from the end of the line, in pixels. */
const NEAR = 12;
/** So many lines can cross each other as often as they do. More lines cross at most `CROSSINGS` times a line. */
const [FEW, CROSSINGS] = [4, 2];

function legendOf(lines: readonly DrawnLine[]): LegendItem[] {
  if (!hasForecast(lines)) return [];
  const color = lines.length === 1 ? lines[0]!.color : theme.muted;
  return [{ label: "observed", key: "line", color }, { label: "forecast", key: "dashed", color }];
}

/**
 * Returns the ends of lines with their names and values. A single line has no name, because the title has it. If its end
 * is a forecast, its last observed point is an end, too.
 */
function endsOf(
  lines: readonly DrawnLine[],
  plan: LinesPlan,
  { xOf, yOf, plan: { y: { style } } }: Plane,
): (End & { readonly place: number })[] {
  const [alone] = lines.length === 1 ? lines : [];
  const ends = lines.flatMap((line) => {
    const end = endOf(line);
    if (end === undefined) return [];
    const seen = alone?.points.findLast((point) => point.complete && point.y !== null);
    const observed = seen !== undefined && end.predicted !== undefined && seen.x !== end.x
      ? [{ line, x: seen.x, value: seen.y! }]
      : [];
    return [...observed, { ...end, line }];
  });
  const write = numbersOf(ends.map(({ value }) => value), style);
  return ends.map(({ line: { label, color, highlighted }, x, value }) => ({
    label: alone === undefined ? label : "",
    value: highlighted ? write(value) : "",
    ...alone === undefined && plan.x.write && { ended: `ended ${plan.x.write(x)}` },
    color,
    faint: !highlighted,
    place: x,
    x: xOf(x),
    y: yOf(value),
  }));
}

/** Returns the space that dots of members take at the right of a position, in pixels. */
function dotsBeside(plan: LinesPlan, place: number, { yOf }: Plane): number {
  const heights = drawnDots(plan).flatMap(({ points }) =>
    points.flatMap(({ x, y }) => x === place ? [yOf(y!)] : [])
  );
  return heights.length < 2 ? 0 : Math.max(0, ...swarm(heights)) + DOT;
}

/** Places the names of lines: to the right of the panel, or inside the plot area if lines end before the others. */
function endNames(
  lines: readonly DrawnLine[],
  plan: LinesPlan,
  { plane, look }: { readonly plane: Plane; readonly look: Look },
) {
  const { top, inside } = plane;
  const all = endsOf(lines, plan, plane);
  const [, last] = extentOf(all.map(({ place }) => place));
  const beside = placeEndLabels(all.filter(({ place }) => place === last), {
    top: top - 12,
    bottom: top + inside + 8,
    width: endRoom(look.inner),
  });
  const dots = dotsBeside(plan, last, plane);
  const labels = labelsFrom(beside, plane.xOf(last) + dots);
  const early = placeInside(
    all.filter(({ place, faint }) => place < last && !faint),
    { right: look.inner, taken: labels, lines, plane },
  );
  return { all, room: beside.room + dots, labels: [...labels, ...early] };
}

/** Returns the lines whose values end at the labels: means, if days are close together. */
function shownLines(lines: readonly DrawnLine[], plan: LinesPlan, plane: Plane) {
  const dense = isDense(lines, plan, plane);
  return { dense, lines: dense ? lines.map(meanOfDays) : lines };
}

/** Computes the layout of all lines in one panel, with the labels of their ends. */
function layoutOf(plan: LinesPlan, look: Look, lines: readonly DrawnLine[]) {
  const { x, y } = lineAxes(plan, look, lines);
  const users = usersAtRisk(plan.atRisk !== undefined && lines.length <= MOST_SUMMED ? lines : []);
  const below = users.size === 0 ? 0 : AT_RISK_ROOM;
  const names = plan.rules?.some(({ x, label }) => x !== undefined && label !== "") ? NAMES : 0;
  const size = {
    width: look.inner,
    height: (look.height ?? HEIGHT) + below + names,
    top: TOP + names,
    bottom: BELOW + below,
    left: plan.sides?.left ?? 0,
    inset: atRiskInset(users, look.locale),
    x,
    y,
  };
  const { lift } = placeRuleNames(plan.rules ?? [], planeOf({ ...size, right: RIGHT }));
  const planeWith = (right: number) => planeOf({ ...size, lift, right });
  const known = plan.background ? lines.filter(({ highlighted }) => highlighted) : lines;
  const first = planeWith(0);
  const isClose = isDense(known, plan, planeWith(endRoom(look.inner)));
  const shown = isClose ? shownLines(known, plan, planeWith(endRoom(look.inner))).lines : known;
  const { labels, room } = endNames(shown, plan, { plane: first, look });
  const right = Math.max(plan.sides?.right ?? 0, labels.length > 0 ? room : RIGHT);
  const plane = planeWith(right);
  return { plane, users, known, x, ...endNames(shown, plan, { plane, look }) };
}

/** Draws dots at the ends of colored lines that have no other markers. */
function endDots(ends: readonly End[]) {
  return Plot.dot(ends.filter(({ faint }) => !faint), {
    x: inPixels("x"),
    y: inPixels("y"),
    r: 3.5,
    fill: "color",
    channels: { group: "label" },
    ariaDescription: "end",
  });
}

/** Draws all lines in one panel. */
function onePanel(
  plan: LinesPlan,
  look: Look,
  lines: readonly DrawnLine[],
): Omit<FigureBody, "rows"> {
  const { plane, users, x, all, labels, known } = layoutOf(plan, look, lines);
  const dense = isDense(known, plan, plane);
  const strong = lines.filter(({ highlighted }) => highlighted);
  const gaps = dense ? { labels: [], unnamed: 0 } : gapLabels(strong, plan, {
    plane,
    taken: labels.map(boxOf),
  });
  const unnamed = all.filter(({ label }) => !labels.some((each) => each.label === label)).length;
  const name = `${plan.atRisk} observed${lines.length > 1 ? ", all groups" : ""}`;
  return {
    legend: legendOf(lines),
    axis: plane.label ?? "",
    said: joined([
      dense ? DENSE : "",
      unnamed > 0 ? `${all.length - unnamed} of ${all.length} named` : "",
    ]),
    notes: [
      ...gapNote(dense ? missingIn(strong) : gaps.unnamed, lines, plan.empty),
      ...isThinned(lines, plane) ? [THINNED] : [],
      ...ruleNotes(plan.rules ?? [], plane, look.locale),
    ],
    panels: [plane.panel([
      ...users.size === 0 ? [] : atRiskMarks(users, plane, { x, below: BELOW, name }),
      ...lineMarks(lines, plan, plane),
      ...referenceMarks(plan.rules ?? [], plane, { lines: strong, labels }),
      gapMarks(gaps.labels),
      endDots(hasMarkers(lines, plane) ? [] : all),
      // Labels are readable above the dots of members.
      ...endLabelMarks(
        plan.dots?.length ? labels.map((label) => ({ ...label, inside: true })) : labels,
      ),
    ])],
  };
}

/** Returns lines with their colors. */
function drawnLines({ lines, panels, ordered = false }: LinesPlan, look: Look): DrawnLine[] {
  // Panels have names, so that color would say nothing.
  const slate = panels !== undefined && look.highlight === undefined;
  return drawnSeries(lines, { ...look, ordered: ordered && panels === undefined, slate })
    .map((line) => line.role === "reference" ? { ...line, color: OTHER_COLOR } : line);
}

/** Returns whether one panel has room for the names of all lines, near their ends, and lines can be followed. */
function fitsTogether(plan: LinesPlan, look: Look, lines: readonly DrawnLine[]): boolean {
  const { all, labels, plane } = layoutOf(plan, look, lines);
  const strong = lines.filter(({ highlighted }) => highlighted);
  return labels.length === all.length &&
    labels.every(({ y, at, lines }) => Math.abs(at - y) <= NEAR && lines.length === 1) &&
    labels.every((label) => !label.inside || covered(boxOf(label), strong, plane) === 0) &&
    (lines.length <= FEW || crossings(lines) <= CROSSINGS * lines.length);
}

/** Draws lines in one panel, or each line in its own panel. */
export function linesFigure(given: LinesPlan, look: Look): FigureBody {
  const single: LinesPlan = { ...given, panels: undefined };
  const colored = drawnLines(single, look);
  const together = given.panels === undefined ||
    given.ifCrowded === true && (given.lines.length < 2 || fitsTogether(single, look, colored));
  if (together) {
    const draw = given.ranks ? rankPanel : onePanel;
    return { ...draw(single, look, colored), rows: lineRows(given) };
  }
  return { ...linePanels(given, look, drawnLines(given, look)), rows: lineRows(given) };
}
