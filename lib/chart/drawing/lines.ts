import type { FigureRow, LegendItem } from "../chart.ts";
import { type Drawn, drawnSeries, FAINT_OPACITY } from "../colors.ts";
import { formatterFor, type Unit } from "../format.ts";
import type { FigureBody, Look } from "../look.ts";
import { daysText } from "../periods.ts";
import { lastValue, type Line } from "../series.ts";
import { textWidth, wrapText } from "../text/layout.ts";
import { symbolPath, theme } from "../theme.ts";
import { AT_RISK_ROOM, atRiskInset, atRiskMarks, monthTicks, usersAtRisk } from "./at_risk.ts";
import { type Axis, axisFor, placeOn } from "./axes.ts";
import { endLabelMarks, type EndLabels, placeEndLabels, type Room } from "./end_labels.ts";
import { band, forecastLine, incompleteLine, rankDots } from "./line_marks.ts";
import { type Markish, Plot, type PlotOptions } from "./observable_plot.ts";
import { insideOf, type Plane, planeOf, type PlanePlan, type PlaneSide } from "./plane.ts";

/** A horizontal or vertical line at a value, with its name. */
interface Rule {
  readonly x?: number;
  readonly y?: number;
  readonly label: string;
}

/** Labels of the horizontal axis. */
interface AcrossWords {
  readonly name: string;
  readonly dates?: boolean;
  /** Whether the axis has months since the first month. Its ticks are whole numbers, as many as fit. */
  readonly months?: boolean;
}

/** Labels of the vertical axis. */
interface UpWords {
  readonly unit: Unit;
  readonly name: string;
  readonly scale?: "auto" | "linear" | "log" | undefined;
  readonly logFrom?: number;
  /** Whether the axis always includes zero. */
  readonly zero?: boolean;
  /** Values that the axis must include in addition to the values of the lines. */
  readonly holds?: readonly number[];
}

/** A member of a group, such as a project, drawn as small dots in the color of the group. */
export interface DotLine extends Line {
  /** The id of the group's line. */
  readonly group: string;
}

/** The data and options of a chart of lines. */
export interface LinesPlan {
  readonly lines: readonly Line[];
  readonly x: AcrossWords;
  readonly y: UpWords;
  /** Whether the lines have an order, as cohorts do. Their colors then follow the order. */
  readonly ordered?: boolean;
  /** How bounds are drawn. */
  readonly bounds?: "bands" | "whiskers" | undefined;
  /** The name of the bounds in the legend: `95% interval`. */
  readonly interval?: string;
  /** The positions of the whiskers and of the dots. */
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
  /** The minimum space at both sides. It aligns the panels of several figures. */
  readonly sides?: { readonly left: number; readonly right: number };
  /** Additional entries of the legend. */
  readonly legend?: readonly LegendItem[];
}

/** A line with its color and marker. */
export type DrawnLine = Line & Drawn;

/** The content of one panel. */
interface PanelPlan {
  readonly plan: LinesPlan;
  readonly look: Look;
  readonly lines: readonly DrawnLine[];
  readonly x: PlaneSide;
  readonly y: PlaneSide;
}

const TOP = 34;
const BELOW = 44;
const RIGHT = 10;
/** A line with more points than this has no markers. */
const MOST_MARKED = 40;
/** If there are more lines than this, their numbers of users are not added. */
const MOST_SUMMED = 12;
const RANK_RADIUS = 9;
const RANK_ROOM = 27;
/** Dashes that distinguish ranks in addition to colors, because all markers of ranks are circles with numbers. */
const DASHES = ["", "8 3", "2 3"];

export function axisAcross(
  lines: readonly Line[],
  { dates = false, months = false }: AcrossWords,
): Axis {
  const places = lines.flatMap(({ points }) => points.map(({ x }) => x));
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
  const points = lines.flatMap(({ points }) => points);
  const seen = drawnDots(plan).flatMap(({ points }) => points.map(({ y }) => y!));
  const drawn = (x: number) =>
    bounds === "bands" || bounds === "whiskers" && (whiskersAt?.includes(x) ?? true);
  const values = points.flatMap(({ x, y, predicted, lower, upper }) =>
    [y, predicted, ...drawn(x) ? [lower, upper] : []].flatMap((value) => value ?? [])
  );
  if (ranks) return { type: "linear", domain: [Math.max(...values) + 0.5, 0.5] };
  return axisFor([...values, ...seen, ...y.holds ?? []], y);
}

/** Returns the last point of a line, observed or predicted, with its value. */
export function endOf({ points }: Line) {
  const end = points.findLast(({ y, predicted = null }) => (predicted ?? y) !== null);
  return end === undefined ? undefined : { ...end, value: (end.predicted ?? end.y)! };
}

/** Returns whether lines have the predictions of a model. */
export function hasForecast(lines: readonly Line[]): boolean {
  return lines.some(({ points }) => points.some(({ predicted = null }) => predicted !== null));
}

/** Returns names at the ends of the lines that reach the right edge, or null if the names do not fit. */
export function namesOf(
  lines: readonly DrawnLine[],
  { at, room }: {
    /** Returns the distance of a value from the top, in pixels. */
    readonly at: (value: number) => number;
    readonly room: Room;
  },
): EndLabels | null {
  if (lines.length < 2) return null;
  const last = Math.max(...lines.flatMap(({ points }) => points.map(({ x }) => x)));
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
export function isMarked({ highlighted, points, plain = false }: DrawnLine): boolean {
  return highlighted && !plain && points.length <= MOST_MARKED;
}

/** Draws the names of ranked lines at both ends, each name beside its marker. */
function rankNames(
  { lines, look }: PanelPlan,
  plane: Plane,
  at: readonly number[],
): Markish[] {
  const face = { ...theme.label, width: rankNameRoom(look), lines: 1 };
  return at.flatMap((x, side) => {
    const ends = lines.flatMap((line) => {
      const point = line.points.find((point) => point.x === x && point.y !== null);
      return point === undefined ? [] : [{ ...line, x: placeAcross(plane, x), y: point.y }];
    });
    const right = side === at.length - 1;
    return [
      Plot.text(ends, {
        x: "x",
        y: "y",
        text: ({ label }: DrawnLine) => wrapText(label, face)[0] ?? "",
        textAnchor: right ? "start" : "end",
        dx: (right ? 1 : -1) * (RANK_RADIUS + 6),
        fill: ({ highlighted }: DrawnLine) => highlighted ? theme.ink : theme.muted,
        ariaDescription: "line label",
      }),
    ];
  });
}

function placeAcross(plane: Plane, x: number): number | Date {
  return plane.after(0) instanceof Date ? new Date(x) : x;
}

/** Returns the rows of the marks. */
function markRows(lines: readonly DrawnLine[], dates: boolean) {
  return lines.flatMap((line) => {
    const { id, label, color, symbol, highlighted, points, plain = false } = line;
    return points.map((point) => ({
      ...point,
      x: dates ? new Date(point.x) : point.x,
      id: label,
      key: id,
      label,
      color,
      symbol,
      highlighted,
      plain,
      marked: isMarked(line),
    }));
  });
}

type MarkRow = ReturnType<typeof markRows>[number];

const WHISKER_STEP = 4;

/**
 * Returns the distance between the whiskers of two lines in the same month. It keeps the whiskers of different months
 * apart.
 */
function whiskerStep({ whiskersAt = [] }: LinesPlan, count: number, plane: Plane): number {
  const places = whiskersAt.map(plane.xOf).toSorted((a, b) => a - b);
  const apart = Math.min(...places.slice(1).map((place, index) => place - places[index]!));
  return Math.min(WHISKER_STEP, 0.75 * apart / count);
}

/** Draws bands around the lines, or whiskers side by side at some positions. */
function boundMarks(rows: readonly MarkRow[], plan: LinesPlan, plane: Plane): Markish[] {
  const { bounds, whiskersAt, lines } = plan;
  const strong = rows.filter(({ highlighted }) => highlighted);
  if (bounds === "bands") return [band(strong, lines.length > 4 ? 0.1 : 0.16)];
  if (bounds !== "whiskers") return [];
  const bounded = strong.filter(({ lower = null, upper = null }) =>
    lower !== null && upper !== null
  );
  // Lines without bounds, such as a trend, need no space for whiskers.
  const groups = Map.groupBy(bounded, ({ label }) => label);
  const names = lines.map(({ label }) => label).filter((label) => groups.has(label));
  const step = whiskerStep(plan, names.length, plane);
  return names.map((label, index) =>
    Plot.ruleX(groups.get(label)!.filter(({ x }) => whiskersAt?.includes(Number(x)) ?? true), {
      x: "x",
      y1: "lower",
      y2: "upper",
      stroke: "color",
      strokeWidth: 1.5,
      strokeOpacity: 0.7,
      dx: (index - (names.length - 1) / 2) * step,
      ariaDescription: "interval",
    })
  );
}

/** Draws the dots of all groups, with the groups side by side. */
function dotMarks(plan: LinesPlan, lines: readonly DrawnLine[], plane: Plane): Markish[] {
  const step = whiskerStep(plan, lines.length, plane);
  const dots = Map.groupBy(drawnDots(plan), ({ group }) => group);
  return lines.flatMap(({ id, color, highlighted }, index) => {
    const own = dots.get(id) ?? [];
    return highlighted && own.length > 0
      ? [
        Plot.dot(own.flatMap(({ points }) => points), {
          x: "x",
          y: "y",
          r: 2,
          fill: color,
          fillOpacity: 0.55,
          dx: (index - (lines.length - 1) / 2) * step,
          ariaDescription: "member",
        }),
      ]
      : [];
  });
}

/** Draws dashed lines at values or positions. The names of positions are above the frame. */
export function ruleMarks(rules: readonly Rule[], plane: Plane): Markish[] {
  const style = { stroke: theme.muted, strokeDasharray: "2 2" };
  return rules.flatMap(({ x, y, label }) => {
    if (y !== undefined) {
      return [Plot.ruleY([y], { ...style, ariaDescription: label === "" ? "rule" : label })];
    }
    const at = placeAcross(plane, x!);
    const right = plane.xOf(x!) > plane.left + 0.75 * plane.across;
    return [
      Plot.ruleX([at], { ...style, ariaDescription: "rule" }),
      Plot.text([label], {
        x: () => at,
        frameAnchor: "top",
        textAnchor: right ? "end" : "start",
        dy: -11,
        fill: theme.muted,
        ariaDescription: "rule name",
      }),
    ];
  });
}

/** Returns the value at the end of a single line. If a forecast follows, this is the last observed value. */
function endValues({ lines, look, y }: PanelPlan) {
  const [line] = lines;
  if (line === undefined || lines.length > 1) return { texts: [], room: 0 };
  const end = endOf(line);
  const seen = line.points.findLast((point) => point.complete && point.y !== null);
  if (end === undefined || !end.complete) return { texts: [], room: 0 };
  const { value } = end;
  const both = seen !== undefined && seen.x !== end.x && end.predicted !== undefined;
  const write = formatterFor([value, ...both ? [seen.y] : []], { ...y.style, format: look.format });
  const texts = [{ x: end.x, y: value, text: write(value), end: true }];
  if (both) texts.push({ x: seen.x, y: seen.y!, text: write(seen.y!), end: false });
  return { texts, room: textWidth(write(value), { ...theme.label, bold: true }) + 12 };
}

/** Values in this lowest fraction of the axis have their label above the line. */
const LOW = 0.15;

function endValueMarks(panel: PanelPlan, plane: Plane): Markish[] {
  const { texts } = endValues(panel);
  return texts.map(({ x, y, text, end }) => {
    const low = placeOn(panel.y.axis, y) < LOW;
    return Plot.text([{ x: placeAcross(plane, x), y, text }], {
      x: "x",
      y: "y",
      text: "text",
      fontWeight: "bold",
      textAnchor: end || low ? "start" : "end",
      dx: end || low ? 6 : -6,
      dy: end ? 0 : low ? -14 : 14,
      ariaDescription: end ? "end value" : "value where the data ends",
    });
  });
}

/** Draws the marks of lines: first faint lines, then bounds, forecasts and colored lines. */
function lineMarks(panel: PanelPlan, plane: Plane): Markish[] {
  const { plan, lines, x } = panel;
  const rows = markRows(lines, x.axis.type === "utc");
  const strong = rows.filter(({ highlighted }) => highlighted);
  const fitted = strong.filter(({ plain }) => plain);
  const data = strong.filter(({ plain }) => !plain);
  const faint = rows.filter(({ highlighted }) => !highlighted);
  if (plan.ranks) {
    const curve = "bump-x" as const;
    const names = lines.map(({ label }) => label);
    const roomy = plane.across / Math.max(1, (lines[0]?.points.length ?? 1) - 1) >= 22;
    return [
      incompleteLine(faint, { curve, strokeWidth: 1.5, strokeOpacity: FAINT_OPACITY, dots: false }),
      ...DASHES.map((strokeDasharray, each) => {
        const rows = strong.filter(({ label }) => names.indexOf(label) % DASHES.length === each);
        return incompleteLine(rows, { curve, strokeWidth: 2.5, dots: false, strokeDasharray });
      }),
      rankDots(rows, { radius: roomy ? RANK_RADIUS : 3.5, texts: roomy }),
    ];
  }
  const { observedTo = NaN } = plan;
  const end = Number.isFinite(observedTo) ? [{ x: observedTo, label: "data ends" }] : [];
  return [
    incompleteLine(faint, { strokeWidth: 1, strokeOpacity: FAINT_OPACITY, dots: false }),
    ...boundMarks(rows, plan, plane),
    ...dotMarks(plan, lines, plane),
    forecastLine(rows),
    incompleteLine(fitted, { strokeWidth: 2, dots: false }),
    incompleteLine(data, { strokeWidth: 2, dots: data.every(({ marked }) => marked) }),
    ...ruleMarks([...plan.rules ?? [], ...end], plane),
  ];
}

function legendOf(
  lines: readonly DrawnLine[],
  plan: LinesPlan,
  named: ReadonlySet<string>,
): LegendItem[] {
  const single = lines.length === 1 ? lines[0] : undefined;
  const neutral = single?.color ?? theme.muted;
  const marker = symbolPath(single?.symbol ?? "circle");
  const forecast = hasForecast(lines);
  const unnamed = lines.filter(({ highlighted, label }) => highlighted && !named.has(label));
  const gray = plan.ordered ? lines.filter(({ highlighted }) => !highlighted) : [];
  return [
    ...single === undefined && !plan.ranks
      ? unnamed.map(({ label, color, symbol }): LegendItem => (
        { label, color, key: "line", marker: symbolPath(symbol) }
      ))
      : [],
    ...forecast
      ? [
        { label: "observed", color: neutral, key: "line", marker } as const,
        { label: "forecast", color: neutral, key: "dashed" } as const,
      ]
      : [],
    ...plan.bounds === undefined ? [] : [{
      label: plan.interval ?? "interval",
      color: neutral,
      key: plan.bounds === "bands" ? "band" as const : "whisker" as const,
    }],
    ...gray.length < 2 ? [] : [{
      label: `${gray[0]!.label} to ${gray.at(-1)!.label}`,
      color: neutral,
      key: "ramp" as const,
      colors: [...new Set(gray.map(({ color }) => color))],
    }],
    ...plan.legend ?? [],
  ];
}

/** Returns the visible dots in the form of lines. */
export function drawnDots({ dots = [], whiskersAt = [] }: LinesPlan): DotLine[] {
  return dots.map((line) => ({
    ...line,
    points: line.points.filter(({ x, y }) => y !== null && whiskersAt.includes(x)),
  }));
}

function rowsOf(plan: LinesPlan): FigureRow[] {
  const { lines, x, bounds } = plan;
  const forecast = lines.some(({ points }) =>
    points.some(({ predicted }) => predicted !== undefined)
  );
  const sized = lines.some(({ points }) => points.some(({ size }) => size !== undefined));
  const open = lines.some(({ points }) => points.some(({ complete }) => !complete));
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
function sidesOf(plan: LinesPlan, look: Look, lines: readonly DrawnLine[]) {
  const { x, y, ranks = false } = plan;
  const style = { unit: y.unit, locale: look.locale, format: look.format };
  const places = lines.flatMap(({ points }) => points.map(({ x }) => x));
  return {
    x: {
      axis: axisAcross(lines, x),
      style: { unit: "count" as const, locale: look.locale },
      name: x.name,
      whole: places.every(Number.isInteger),
    },
    y: { axis: axisUp(lines, plan), style, name: y.name, hidden: ranks },
  };
}

/** Returns the maximum width of a name beside a rank. */
function rankNameRoom({ inner }: Look): number {
  return inner * 0.24;
}

function rankRoom(lines: readonly DrawnLine[], x: number, look: Look): number {
  const named = lines.filter(({ points }) => points.some((p) => p.x === x && p.y !== null));
  const widest = Math.max(0, ...named.map(({ label }) => textWidth(label, theme.label)));
  return Math.min(rankNameRoom(look), widest) + RANK_RADIUS + 10;
}

/** Draws all lines in one panel. */
function onePanel(plan: LinesPlan, look: Look, lines: readonly DrawnLine[]) {
  const { x, y } = sidesOf(plan, look, lines);
  const panel: PanelPlan = { plan, look, lines, x, y };
  const observed = usersAtRisk(plan.atRisk && lines.length <= MOST_SUMMED ? lines : []);
  const users = observed.size === 0 ? null : observed;
  const bottom = BELOW + (users === null ? 0 : AT_RISK_ROOM);
  const ranks = plan.ranks ? Math.floor(Math.max(...y.axis.domain)) : 0;
  const height = plan.ranks
    ? look.height ?? 16 + 36 + ranks * RANK_ROOM
    : (look.height ?? 400) + bottom - BELOW;
  const size = plan.ranks ? { height, top: 16, bottom: 36 } : { height, top: TOP, bottom };
  const inside = insideOf(size);
  const at = (value: number) => size.top + (1 - placeOn(y.axis, value)) * inside;
  const labels = plan.ranks ? null : namesOf(lines, {
    at,
    room: { top: TOP - 12, bottom: TOP + inside + 8, width: look.inner * 0.28, farthest: 90 },
  });
  const places = [...new Set(lines.flatMap(({ points }) => points.map(({ x }) => x)))];
  const ends = [Math.min(...places), Math.max(...places)].slice(places.length > 1 ? 0 : 1);
  const { room } = endValues(panel);
  const plane = planeOf({
    ...size,
    width: look.inner,
    right: plan.ranks
      ? rankRoom(lines, ends.at(-1)!, look)
      : Math.max(plan.sides?.right ?? 0, labels?.room ?? Math.max(RIGHT + 6, room)),
    left: plan.ranks && ends.length > 1 ? rankRoom(lines, ends[0]!, look) : plan.sides?.left ?? 16,
    x,
    y,
    inset: users === null ? 0 : atRiskInset(users, look.locale),
    ...plan.x.months ? { across: monthMarks(panel, users) } : {},
  });
  const named = new Set(labels?.labels.map(({ label }) => label));
  return {
    legend: legendOf(lines, plan, named),
    panels: [plane.panel([
      ...lineMarks(panel, plane),
      ...plan.ranks ? [] : endValueMarks(panel, plane),
      ...labels === null ? [] : endLabelMarks(labels, plane),
      ...plan.ranks ? rankNames(panel, plane, ends) : [],
    ])],
  };
}

/** Draws the months since the first month, and the number of users in each month. */
function monthMarks(
  { plan, lines, x, look }: PanelPlan,
  users: ReadonlyMap<number, number> | null,
): NonNullable<PlanePlan["across"]> {
  return (length, left) => {
    const [first, last] = x.axis.domain;
    const at = monthTicks([Math.ceil(first), Math.floor(last)], length);
    return [
      Plot.axisX({
        ticks: at,
        tickFormat: String,
        fill: theme.muted,
        stroke: theme.muted,
        label: plan.x.name,
        labelAnchor: "center",
        labelArrow: "none",
        labelOffset: 36,
      }),
      ...users === null ? [] : atRiskMarks({
        users,
        ticks: at,
        left,
        below: BELOW,
        several: lines.length > 1,
        apart: length * ((at[1] ?? 1) - (at[0] ?? 0)) / Math.max(1, last - first),
        locale: look.locale,
      }),
    ];
  };
}

const FACET = { gap: 20, narrowest: 108, top: 10, bottom: 34, right: 8 };

/**
 * Draws one panel per line, the largest line first. All panels share one axis, which is drawn at the left of each row.
 */
function facetPanels(plan: LinesPlan, look: Look, lines: readonly DrawnLine[]) {
  const { x, y } = sidesOf(plan, look, lines);
  const inside = Math.max(84, Math.min(120, (look.height ?? 400) * 0.3));
  const { gap, narrowest, top, bottom, right } = FACET;
  const height = top + inside + bottom;
  const shared = { height, top, bottom, right, x, y, most: 4, named: false };
  const { left: room, label } = planeOf({ ...shared, width: look.inner });
  const most = Math.max(1, Math.min(4, Math.floor((look.inner - room + gap) / (narrowest + gap))));
  // Uses as few rows as possible, and distributes the panels evenly.
  const columns = Math.ceil(lines.length / Math.ceil(lines.length / most));
  const body = (look.inner - room - gap * (columns - 1)) / columns;
  const ranked = lines.toSorted((a, b) =>
    (lastValue(b) ?? -Infinity) - (lastValue(a) ?? -Infinity) || 0
  );
  const last = facetValues(plan, look, ranked);
  const fits = ranked.every((line) => {
    const name = textWidth(line.label, { ...theme.panel });
    return name + 10 + textWidth(last?.texts.get(line.label) ?? "", theme.label) <= body - right;
  });
  const panels = ranked.map((line, index): PlotOptions => {
    const bare = index % columns > 0;
    const drawn = { ...line, symbol: "circle" as const };
    const plane = planeOf({ ...shared, width: bare ? body : body + room, bare });
    const text = fits ? last?.texts.get(line.label) ?? "" : "";
    return plane.panel([
      ...lineMarks({ plan, look, lines: [drawn], x, y }, plane),
      Plot.text(text === "" ? [] : [text], {
        frameAnchor: "top-right",
        textAnchor: "end",
        dy: -22,
        fill: theme.muted,
        ariaDescription: "last value",
      }),
    ], line.label);
  });
  const beside = fits && last !== null ? last.words : null;
  return {
    columns,
    gap,
    axis: [label, beside].filter((part) => part !== null).join("; "),
    legend: plan.legend ?? [],
    panels,
  };
}

/** Returns the last position that is complete for all lines, and the values at this position as texts. */
function facetValues({ y, x }: LinesPlan, look: Look, lines: readonly DrawnLine[]) {
  const points = lines.flatMap(({ points }) => points);
  const at = [...Map.groupBy(points.filter(({ y }) => y !== null), ({ x }) => x)]
    .filter(([, points]) => points.every(({ complete }) => complete))
    .map(([x]) => x);
  if (at.length === 0 || !x.dates) return null;
  const last = Math.max(...at);
  const valueOf = ({ points }: Line) => points.find(({ x }) => x === last)?.y ?? null;
  const write = formatterFor(lines.map(valueOf), {
    ...y,
    locale: look.locale,
    format: look.format,
  });
  const texts = new Map(lines.map((line) => {
    const value = valueOf(line);
    return [line.label, value === null ? "" : write(value)] as const;
  }));
  return { texts, words: `beside the names: ${daysText([last], look.locale)}` };
}

/** Draws lines in one panel, or each line in its own panel. */
export function linesFigure(plan: LinesPlan, look: Look): FigureBody {
  const { highlight, colors } = look;
  const lines = drawnSeries(plan.lines, { highlight, colors, ordered: plan.ordered ?? false });
  const body = plan.facets ? facetPanels(plan, look, lines) : onePanel(plan, look, lines);
  return { ...body, rows: rowsOf(plan) };
}
