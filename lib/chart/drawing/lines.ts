import type { FigureRow, LegendItem } from "../chart.ts";
import { FAINT_OPACITY } from "../colors.ts";
import { formatterFor, type Unit } from "../format.ts";
import type { FigureBody, Look } from "../look.ts";
import { inkOn } from "../page/dark.ts";
import { daysText } from "../periods.ts";
import { largest, lastValue, type Line, pointRows } from "../read/lines.ts";
import { type Drawn, drawnSeries } from "../series_colors.ts";
import { textWidth, wrapText } from "../text/layout.ts";
import { symbolPath, theme } from "../theme.ts";
import { joined } from "../words.ts";
import { AT_RISK_ROOM, atRiskInset, atRiskMarks, usersAtRisk } from "./at_risk.ts";
import { type Axis, axisFor, placeOn } from "./axes.ts";
import { endLabelMarks, type EndLabels, placeEndLabels, type Room } from "./end_labels.ts";
import { band, forecastLine, incompleteLine } from "./line_marks.ts";
import { type Markish, Plot, type PlotOptions } from "./observable_plot.ts";
import { frameText, pixels, type Plane, planeOf } from "./plane.ts";

/** A vertical line at `x` or a horizontal line at `y`, with a name. */
interface Rule {
  readonly x?: number;
  readonly y?: number;
  readonly label: string;
}

/**
 * A member of a group, such as a project of a market sector. The member is drawn as small dots in the color of the
 * group.
 */
interface DotLine extends Line {
  /** The id of the group's line. */
  readonly group: string;
}

/** The data and options of a chart of lines. */
export interface LinesPlan {
  readonly lines: readonly Line[];
  readonly x: {
    readonly name: string;
    readonly dates?: boolean;
    /** Whether the axis shows months since the first month. */
    readonly months?: boolean;
  };
  readonly y: {
    readonly unit: Unit;
    readonly name: string;
    readonly scale?: "auto" | "linear" | "log" | undefined;
    readonly logFrom?: number;
    /** Whether the axis always includes zero. */
    readonly zero?: boolean;
    /** Values that the axis must include in addition to the values of the lines. */
    readonly holds?: readonly number[];
  };
  /** Whether the lines have an order, as cohorts do. Their colors then follow the order. */
  readonly ordered?: boolean;
  /** How bounds are drawn. If undefined, bounds are not drawn. */
  readonly bounds?: "bands" | "whiskers" | undefined;
  /** The name of the bounds in the legend: `95% interval`. */
  readonly interval?: string;
  /** The positions of the whiskers and of the dots on the horizontal axis. */
  readonly whiskersAt?: readonly number[];
  readonly dots?: readonly DotLine[];
  /** Whether each line has its own panel. */
  readonly facets?: boolean;
  /** Whether `y` is a rank, with rank 1 at the top. The marker of a point then contains its `text`. */
  readonly ranks?: boolean;
  readonly rules?: readonly Rule[];
  /** The last observed position, where a forecast begins. */
  readonly observedTo?: number | undefined;
  /** Whether to write the number of users of each month below the axis. */
  readonly atRisk?: boolean;
  /** The minimum space at the left and at the right, in pixels, to align the panels of several figures. */
  readonly sides?: { readonly left: number; readonly right: number };
}

/** A line with its color and marker. */
export type DrawnLine = Line & Drawn;

const TOP = 34;
const BELOW = 44;
const RIGHT = 16;
/** A line with more points than this has no markers. */
const MOST_MARKED = 40;
/** If there are more lines than this, the numbers of users are not written below the axis. */
const MOST_SUMMED = 12;

function placesOf(lines: readonly Line[]): number[] {
  return lines.flatMap(({ points }) => points.map(({ x }) => x));
}

export function axisAcross(lines: readonly Line[], plan: LinesPlan["x"]): Axis {
  const { dates = false, months = false } = plan;
  const places = placesOf(lines);
  if (dates) return axisFor(places, { dates });
  const [low, high] = [Math.min(...places), Math.max(...places)];
  if (!(low < high)) return { type: "linear", domain: [low - 0.5, high + 0.5] };
  const axis = axisFor(places, { scale: "linear" });
  return months || axis.domain[0] < low || axis.domain[1] > high
    ? { type: "linear", domain: [low, high] }
    : axis;
}

export function axisUp(lines: readonly Line[], plan: LinesPlan): Axis {
  const { y, bounds, whiskersAt, ranks } = plan;
  const bounded = (x: number) =>
    bounds === "bands" || bounds === "whiskers" && (whiskersAt?.includes(x) ?? true);
  const members = drawnDots(plan).flatMap(({ points }) => points.map(({ y }) => y!));
  const values = lines.flatMap(({ points }) =>
    points.flatMap(({ x, y, predicted, lower, upper }) =>
      [y, predicted, ...bounded(x) ? [lower, upper] : []].flatMap((value) => value ?? [])
    )
  );
  if (ranks) return { type: "linear", domain: [Math.max(...values) + 0.5, 0.5] };
  return axisFor([...values, ...members, ...y.holds ?? []], y);
}

/** Returns the last observed or predicted point of a line, with its value. */
function endOf({ points }: Line) {
  const end = points.findLast(({ y, predicted = null }) => (predicted ?? y) !== null);
  return end === undefined ? undefined : { ...end, value: (end.predicted ?? end.y)! };
}

/** Returns whether lines have the predictions of a model. */
function hasForecast(lines: readonly Line[]): boolean {
  return lines.some(({ points }) => points.some(({ predicted = null }) => predicted !== null));
}

/**
 * Returns the names to write at the ends of the lines that reach the right edge. Returns null if there are fewer than
 * two lines or if the names do not fit.
 */
function namesOf(
  lines: readonly DrawnLine[],
  { at, room }: {
    /** Returns the distance of a value from the top of the panel, in pixels. */
    readonly at: (value: number) => number;
    readonly room: Room;
  },
): EndLabels | null {
  if (lines.length < 2) return null;
  const last = Math.max(...placesOf(lines));
  // The names of highlighted lines are placed first.
  const order = lines.toSorted((a, b) => Number(b.highlighted) - Number(a.highlighted));
  const ends = order.flatMap((line) => {
    const end = endOf(line);
    if (end === undefined || end.x !== last) return [];
    return [{
      label: line.label,
      y: at(end.value),
      optional: !line.highlighted,
      color: line.color,
      symbol: isMarked(line) ? line.symbol : null,
      faint: !line.highlighted,
    }];
  });
  const needed = lines.filter(({ highlighted }) => highlighted).length;
  const strong = ends.filter(({ optional }) => !optional).length;
  if (ends.length === 0 || (strong < needed && needed <= 12)) return null;
  return placeEndLabels(ends, room);
}

/** Returns whether a line has markers. */
function isMarked({ highlighted, points, plain = false }: DrawnLine): boolean {
  return highlighted && !plain && points.length <= MOST_MARKED;
}

/** Returns the points of lines as rows for marks. */
function rowsOfLines(lines: readonly DrawnLine[], { x }: LinesPlan) {
  return pointRows(lines, x.dates ?? false);
}

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
  const members = Map.groupBy(drawnDots(plan), ({ group }) => group);
  const dots = strong.map((line) => ({
    ...line,
    points: (members.get(line.id) ?? []).flatMap(({ points }) => points),
  }));
  const whiskers = strong.map((line) => ({
    ...line,
    points: line.points.filter(({ x, lower = null, upper = null }) =>
      lower !== null && upper !== null && (whiskersAt?.includes(x) ?? true)
    ),
  }));
  return [
    ...bounds === "bands"
      ? [band(rowsOfLines(strong, plan), plan.lines.length > 4 ? 0.1 : 0.16)]
      : [],
    Plot.ruleX(bounds === "whiskers" ? sideBySide(whiskers, plan, plane) : [], {
      x: pixels("at"),
      y1: "lower",
      y2: "upper",
      stroke: "color",
      strokeWidth: 1.5,
      strokeOpacity: 0.7,
      ariaDescription: "interval",
    }),
    Plot.dot(sideBySide(dots, plan, plane), {
      x: pixels("at"),
      y: "y",
      r: 2,
      fill: "color",
      fillOpacity: 0.55,
      ariaDescription: "member",
    }),
  ];
}

/**
 * Draws vertical dashed lines at positions `x`, and horizontal dashed lines at values `y`. The names of vertical lines
 * are above the plot area.
 */
export function ruleMarks(rules: readonly Rule[], { xOf, left, across }: Plane): Markish[] {
  const style = { stroke: theme.muted, strokeDasharray: "2 2" };
  return rules.flatMap(({ x, y, label }) => {
    if (x === undefined) {
      return [Plot.ruleY([y], { ...style, ariaDescription: label === "" ? "rule" : label })];
    }
    const at = { x: pixels(() => xOf(x)) };
    const textAnchor = xOf(x) > left + 0.75 * across ? "end" : "start";
    return [
      Plot.ruleX([x], { ...at, ...style, ariaDescription: "rule" }),
      frameText(label, "top", { ...at, textAnchor, dy: -11, ariaDescription: "rule name" }),
    ];
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
        textAnchor: last || low ? "start" : "end",
        dx: last || low ? 6 : -6,
        dy: last ? 0 : low ? -14 : 14,
        ariaDescription: last ? "end value" : "value where the data ends",
      });
    });
  return { marks, room: textWidth(write(end.value), { ...theme.label, bold: true }) + 12 };
}

/** Draws the marks of lines: first faint lines, then bounds, forecasts and colored lines. */
function lineMarks(lines: readonly DrawnLine[], plan: LinesPlan, plane: Plane): Markish[] {
  const { observedTo = NaN } = plan;
  const strong = lines.filter(({ highlighted }) => highlighted);
  const data = strong.filter(({ plain }) => !plain);
  const rows = (some: readonly DrawnLine[]) => rowsOfLines(some, plan);
  const end = Number.isFinite(observedTo) ? [{ x: observedTo, label: "data ends" }] : [];
  return [
    incompleteLine(rows(lines.filter(({ highlighted }) => !highlighted)), FAINT),
    ...boundMarks(lines, plan, plane),
    forecastLine(rows(lines)),
    incompleteLine(rows(strong.filter(({ plain }) => plain)), { dots: false }),
    incompleteLine(rows(data), { dots: data.every(isMarked) }),
    ...ruleMarks([...plan.rules ?? [], ...end], plane),
  ];
}

const FAINT = { strokeWidth: 1, strokeOpacity: FAINT_OPACITY, dots: false };

function legendOf(
  lines: readonly DrawnLine[],
  plan: LinesPlan,
  named: ReadonlySet<string>,
): LegendItem[] {
  const single = lines.length === 1 ? lines[0] : undefined;
  const color = single?.color ?? theme.muted;
  const unnamed = lines.filter(({ highlighted, label }) => highlighted && !named.has(label));
  const gray = plan.ordered ? lines.filter(({ highlighted }) => !highlighted) : [];
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
  if (gray.length > 1) {
    const colors = [...new Set(gray.map(({ color }) => color))];
    items.push({ label: `${gray[0]!.label} to ${gray.at(-1)!.label}`, color, key: "ramp", colors });
  }
  return items;
}

/**
 * Returns one line for each member of a group. The points of the line are the dots that are drawn: the points at
 * `whiskersAt` that have a value.
 */
export function drawnDots({ dots = [], whiskersAt = [] }: LinesPlan): DotLine[] {
  return dots.map((line) => ({
    ...line,
    points: line.points.filter(({ x, y }) => y !== null && whiskersAt.includes(x)),
  }));
}

function rowsOf(plan: LinesPlan): FigureRow[] {
  const { lines, x, bounds } = plan;
  const points = lines.flatMap(({ points }) => points);
  const forecast = points.some(({ predicted }) => predicted !== undefined);
  const sized = points.some(({ size }) => size !== undefined);
  const open = points.some(({ complete }) => !complete);
  return [...lines, ...drawnDots(plan)].flatMap(({ label, points }) =>
    points.map((point) => ({
      group: label,
      [x.dates ? "date" : x.months ? "month" : "x"]: x.dates ? new Date(point.x) : point.x,
      value: point.y,
      ...bounds === undefined ? {} : { lower: point.lower ?? null, upper: point.upper ?? null },
      ...forecast ? { predicted: point.predicted ?? null } : {},
      ...sized ? { size: point.size ?? null } : {},
      ...point.text === undefined ? {} : { rank: Number(point.text) },
      ...open ? { complete: point.complete } : {},
    }))
  );
}

/** Returns the two axes of a panel of lines. */
function sidesOf(plan: LinesPlan, { locale, format }: Look, lines: readonly DrawnLine[]) {
  const { x, y, ranks = false } = plan;
  return {
    x: {
      ...x,
      axis: axisAcross(lines, x),
      style: { unit: "count" as const, locale },
      whole: placesOf(lines).every(Number.isInteger),
    },
    y: {
      axis: axisUp(lines, plan),
      style: { unit: y.unit, locale, format },
      name: y.name,
      hidden: ranks,
    },
  };
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
    inset: atRiskInset(users, look.locale),
    x,
    y,
  };
  const { yOf, inside } = planeOf({ ...size, right: 0 });
  const room = { top: TOP - 12, bottom: TOP + inside + 8, width: look.inner * 0.28, farthest: 90 };
  const labels = namesOf(lines, { at: yOf, room });
  const ends = endValues(lines, plan, look, y.axis);
  const needed = labels?.room ?? Math.max(RIGHT, ends.room);
  const plane = planeOf({ ...size, right: Math.max(plan.sides?.right ?? 0, needed) });
  const name = lines.length > 1 ? "Users observed, all groups" : "Users observed";
  return {
    legend: legendOf(lines, plan, new Set(labels?.labels.map(({ label }) => label))),
    panels: [plane.panel([
      ...users.size === 0 ? [] : atRiskMarks(users, plane, { x, below: BELOW, name }),
      ...lineMarks(lines, plan, plane),
      ...ends.marks(plane),
      ...labels === null ? [] : endLabelMarks(labels, plane.left + plane.across + size.inset),
    ])],
  };
}

const RANK = { radius: 9, height: 27, top: 16, bottom: 36 };

/** Draws the ranks of lines, with their names at both ends. */
function rankPanel(plan: LinesPlan, look: Look, lines: readonly DrawnLine[]) {
  const { x, y } = sidesOf(plan, look, lines);
  const { radius, top, bottom } = RANK;
  const width = look.inner * 0.24;
  const places = placesOf(lines);
  const ends = [...new Set([Math.min(...places), Math.max(...places)])].map((x) =>
    lines.flatMap((line) => {
      const y = line.points.find((point) => point.x === x)?.y ?? null;
      const [text = ""] = wrapText(line.label, { ...theme.label, width, lines: 1 });
      return y === null ? [] : [{ ...line, x, y, text }];
    })
  );
  const [left = 16, right = left] = ends.map((names) => {
    const widest = Math.max(0, ...names.map(({ label }) => textWidth(label, theme.label)));
    return Math.min(width, widest) + radius + 10;
  });
  const plane = planeOf({
    width: look.inner,
    height: look.height ?? top + bottom + Math.floor(y.axis.domain[0]) * RANK.height,
    top,
    bottom,
    left: ends.length > 1 ? left : 16,
    right,
    x,
    y,
  });
  const rows = rowsOfLines(lines, plan);
  const known = rows.filter(({ y }) => y !== null);
  const roomy = plane.across / Math.max(1, (lines[0]?.points.length ?? 1) - 1) >= 22;
  const curve = "bump-x";
  return {
    panels: [plane.panel([
      incompleteLine(rows.filter(({ highlighted }) => !highlighted), {
        ...FAINT,
        curve,
        strokeWidth: 1.5,
      }),
      incompleteLine(rows.filter(({ highlighted }) => highlighted), {
        curve,
        strokeWidth: 2.5,
        dots: false,
      }),
      Plot.dot(known, {
        x: "x",
        y: "y",
        r: roomy ? radius : 3.5,
        stroke: "color",
        strokeWidth: 1.5,
        fill: "color",
        ariaDescription: "rank",
      }),
      Plot.text(roomy ? known : [], {
        x: "x",
        y: "y",
        text: "text",
        fill: ({ color }: DrawnLine) => inkOn(color),
        stroke: "color",
        strokeWidth: 2,
        fontWeight: "bold",
        ariaDescription: "rank text",
      }),
      ...ends.map((names, side) => {
        const last = side === ends.length - 1;
        return Plot.text(names, {
          x: pixels(({ x }: { x: number }) => plane.xOf(x)),
          y: "y",
          text: "text",
          textAnchor: last ? "start" : "end",
          dx: (last ? 1 : -1) * (radius + 6),
          fill: ({ highlighted }: DrawnLine) => highlighted ? theme.ink : theme.muted,
          ariaDescription: "line label",
        });
      }),
    ])],
  };
}

const FACET = { gap: 20, narrowest: 108, top: 10, bottom: 34, right: 8 };

/**
 * Draws one panel per line, starting with the largest line. All panels have the same vertical axis, which is drawn at
 * the left of each row.
 */
function facetPanels(plan: LinesPlan, look: Look, lines: readonly DrawnLine[]) {
  const { gap, narrowest, ...margins } = FACET;
  const inside = Math.max(84, Math.min(120, (look.height ?? 400) * 0.3));
  const size = {
    ...margins,
    ...sidesOf(plan, look, lines),
    height: margins.top + inside + margins.bottom,
    most: 4,
    named: false,
  };
  const { left: room, label } = planeOf({ ...size, width: look.inner });
  const most = Math.max(1, Math.min(4, Math.floor((look.inner - room + gap) / (narrowest + gap))));
  // Uses as few rows as possible, and distributes the panels evenly.
  const columns = Math.ceil(lines.length / Math.ceil(lines.length / most));
  const body = (look.inner - room - gap * (columns - 1)) / columns;
  const last = facetValues(plan, look, lines);
  const { kept } = largest(lines, { limit: Infinity, sizeOf: lastValue });
  const fits = lines.every((line) =>
    textWidth(line.label, theme.panel) + 10 + textWidth(last.textOf(line), theme.label) <=
      body - margins.right
  );
  const panels = kept.map((line, index): PlotOptions => {
    const bare = index % columns > 0;
    const plane = planeOf({ ...size, width: bare ? body : body + room, bare });
    const value = { dy: -22, ariaDescription: "last value" };
    return plane.panel([
      ...lineMarks([{ ...line, symbol: "circle" }], plan, plane),
      ...fits ? [frameText(last.textOf(line), "top-right", value)] : [],
    ], line.label);
  });
  return { columns, gap, axis: joined([label ?? "", fits ? last.words : ""]), panels };
}

/**
 * Returns a function that writes the value of a line at the last position that is complete for all lines. Also returns
 * a text that describes this position.
 */
function facetValues({ y, x }: LinesPlan, { locale, format }: Look, lines: readonly Line[]) {
  const known = lines.flatMap(({ points }) => points.filter(({ y }) => y !== null));
  const at = [...Map.groupBy(known, ({ x }) => x)]
    .filter(([, points]) => points.every(({ complete }) => complete))
    .map(([x]) => x);
  const last = Math.max(...at);
  const valueOf = ({ points }: Line) => points.find(({ x }) => x === last)?.y ?? null;
  const write = formatterFor(lines.map(valueOf), { ...y, locale, format });
  const textOf = (line: Line) => {
    const value = x.dates ? valueOf(line) : null;
    return value === null ? "" : write(value);
  };
  const words = x.dates && at.length > 0 ? `beside the names: ${daysText([last], locale)}` : "";
  return { textOf, words };
}

/** Draws lines in one panel, or each line in its own panel. */
export function linesFigure(plan: LinesPlan, look: Look): FigureBody {
  const lines = drawnSeries(plan.lines, { ...look, ordered: plan.ordered ?? false });
  const draw = plan.facets ? facetPanels : plan.ranks ? rankPanel : onePanel;
  return { ...draw(plan, look, lines), rows: rowsOf(plan) };
}
