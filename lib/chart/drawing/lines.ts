import type { LegendItem } from "../chart.ts";
import { formatterFor } from "../format.ts";
import { hasForecast } from "../read/lines.ts";
import type { FigureBody, Look } from "../look.ts";
import { unnamedNotes } from "../notes.ts";
import { drawnSeries } from "../series_colors.ts";
import { textWidth } from "../text/layout.ts";
import { symbolPath, theme } from "../theme.ts";
import { AT_RISK_ROOM, atRiskInset, atRiskMarks, usersAtRisk } from "./at_risk.ts";
import { type Axis, placeOn } from "./axes.ts";
import { endLabelMarks, placeEndLabels } from "./end_labels.ts";
import { linePanels } from "./line_panels.ts";
import { type DrawnLine, endOf, type LinesPlan, placesOf, rowsOf, sidesOf } from "./line_plan.ts";
import { Plot } from "./observable_plot.ts";
import { lineMarks } from "./panel_lines.ts";
import { pixels, type Plane, planeOf } from "./plane.ts";
import { rankPanel } from "./ranks.ts";

const TOP = 34;
const BELOW = 44;
const RIGHT = 16;
/** If there are more lines than this, the numbers of users are not written below the axis. */
const MOST_SUMMED = 12;
/** The space between the vertical axis and the first whiskers, in pixels. */
const WHISKER_INSET = 10;

/** Returns the ends of the lines that reach the right edge. The ends of highlighted lines come first. */
function endsOf(lines: readonly DrawnLine[], yOf: Plane["yOf"]) {
  const last = Math.max(...placesOf(lines));
  const order = lines.toSorted((a, b) => Number(b.highlighted) - Number(a.highlighted));
  return order.flatMap((line) => {
    const { highlighted, plain = false, symbol } = line;
    const end = endOf(line);
    if (lines.length < 2 || end?.x !== last) return [];
    const faint = !highlighted;
    return [{ ...line, y: yOf(end.value), symbol: faint || plain ? null : symbol, faint }];
  });
}

/** The lowest part of the axis, as a fraction. A value in this part has its label above the line. */
const LOW = 0.15;

/**
 * If there is only one line, returns marks that write the value at its end. If the line has a forecast, the marks also
 * write the last observed value. `room` is the width to the right of the line.
 */
function endValues(lines: readonly DrawnLine[], { y: { unit } }: LinesPlan, look: Look, up: Axis) {
  const [line] = lines;
  const end = line === undefined || lines.length > 1 ? undefined : endOf(line);
  if (line === undefined || !end?.complete) return { marks: () => [], room: 0 };
  const seen = line.points.findLast((point) => point.complete && point.y !== null);
  const shown = [{ x: end.x, y: end.value, last: true }];
  if (seen !== undefined && seen.x !== end.x && end.predicted !== undefined) {
    shown.push({ x: seen.x, y: seen.y!, last: false });
  }
  const { locale, format } = look;
  const write = formatterFor(shown.map(({ y }) => y), { unit, locale, format });
  const marks = ({ xOf, yOf }: Plane) =>
    shown.map(({ x, y, last }) => {
      const low = placeOn(up, y) < LOW;
      return Plot.text([write(y)], {
        x: pixels(() => xOf(x)),
        y: pixels(() => yOf(y)),
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

function legendOf(
  lines: readonly DrawnLine[],
  plan: LinesPlan,
  named: ReadonlySet<string>,
): LegendItem[] {
  const single = lines.length === 1 ? lines[0] : undefined;
  const color = single?.color ?? theme.muted;
  const unnamed = lines.filter(({ highlighted, label }) => highlighted && !named.has(label));
  const items: LegendItem[] = single !== undefined ? [] : unnamed.map((line) => (
    { label: line.label, color: line.color, key: "line", marker: symbolPath(line.symbol) }
  ));
  if (hasForecast(lines)) {
    const marker = symbolPath(single?.symbol ?? "circle");
    items.push({ label: "observed", color, key: "line", marker });
    items.push({ label: "forecast", color, key: "dashed" });
  }
  if (plan.bounds !== undefined) {
    const key = plan.bounds === "bands" ? "band" : "whisker";
    items.push({ label: plan.interval ?? "interval", color, key });
  }
  return items;
}

/** Draws all lines in one panel. */
function onePanel(plan: LinesPlan, look: Look, lines: readonly DrawnLine[]) {
  const { x, y } = sidesOf(plan, look, lines);
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
  const { yOf, inside } = planeOf({ ...size, right: 0 });
  const room = { top: TOP - 12, bottom: TOP + inside + 8, width: look.inner * 0.28 };
  const known = plan.background ? lines.filter(({ highlighted }) => highlighted) : lines;
  const labels = placeEndLabels(endsOf(known, yOf), room);
  const named = new Set(labels.labels.flatMap(({ ends }) => ends.map(({ label }) => label)));
  const unnamed = known.filter(({ label, highlighted }) => !highlighted && !named.has(label));
  const ends = endValues(lines, plan, look, y.axis);
  const needed = named.size > 0 ? labels.room : Math.max(RIGHT, ends.room);
  const plane = planeOf({ ...size, right: Math.max(plan.sides?.right ?? 0, needed) });
  const name = lines.length > 1 ? "Users observed, all groups" : "Users observed";
  return {
    legend: legendOf(lines, plan, named),
    notes: lines.length === 1 ? [] : unnamedNotes(unnamed.length, lines.length),
    panels: [plane.panel([
      ...users.size === 0 ? [] : atRiskMarks(users, plane, { x, below: BELOW, name }),
      ...lineMarks(lines, plan, plane),
      ...ends.marks(plane),
      ...endLabelMarks(labels, plane.left + plane.across + size.inset),
    ])],
  };
}

/** Draws lines in one panel, or each line in its own panel. */
export function linesFigure(plan: LinesPlan, look: Look): FigureBody {
  const lines = drawnSeries(plan.lines, { ...look, ordered: plan.ordered ?? false });
  const draw = plan.panels !== undefined ? linePanels : plan.ranks ? rankPanel : onePanel;
  return { ...draw(plan, look, lines), rows: rowsOf(plan) };
}
