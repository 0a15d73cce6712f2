import type { LegendItem } from "../chart.ts";
import { along, BLUE_RAMP, SLATE } from "../colors.ts";
import { extentOf } from "../extent.ts";
import { numbersOf } from "../numbers.ts";
import { type Drawn, drawnSeries } from "../series_colors.ts";
import type { FigureBody, Look } from "../look.ts";
import { type Line, type LinePoint, pointRows, pointsOf, sumBy } from "../read/lines.ts";
import { textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { joined } from "../words.ts";
import { axisFor } from "./axes.ts";
import { endLabelMarks, endRoom, labelsFrom, placeEndLabels } from "./end_labels.ts";
import { gapMarks } from "./gaps.ts";
import type { LinesPlan } from "./line_plan.ts";
import { type Markish, Plot } from "./observable_plot.ts";
import { placeRuleNames, ruleMarks, ruleNotes } from "./panel_lines.ts";
import { type Plane, planeOf } from "./plane.ts";
import { referenceMarks, referenceRoom } from "./reference_line.ts";

/** The data and options of a chart of stacked bars over dates. */
interface StacksPlan {
  /** The groups, in the order in which they are stacked. The first group is next to the axis. */
  readonly lines: readonly Line[];
  readonly y: LinesPlan["y"];
  /** The order of the groups in a word, such as `Arrived`. Their colors then follow the order. */
  readonly order?: string;
  /** The totals, drawn over the bars as dots. */
  readonly total?: Line;
  /** The minimum space at the left, in pixels, to align the panels of several figures. */
  readonly left?: number;
  /** Lines with names. */
  readonly rules?: LinesPlan["rules"];
  /** Writes a date. */
  readonly write?: (x: number) => string;
  /** The text of periods without a bar: `no data`. */
  readonly empty?: string;
}

type DrawnPart = Line & Drawn;

/** Bars that are closer than this, in pixels, have neither borders nor gaps, and totals are a line. */
const CLOSE = 9;
/** Bars that are closer than this, in pixels, are an area with steps. */
const DENSE = 3;
/** The width of a bar as a fraction of the distance between dates. */
const BAR = 0.86;
/** The distance that a name can be from its part, in pixels. */
const NEAR = 20;
/** A part of more than this fraction of all values is slate, because it would be a wall of color. */
const WALL = 0.6;
const SIZE = { bottom: 44, right: 14 };
/** The space above the plot area, and what names of vertical lines add to it, in pixels. */
const [TOP, NAMES] = [6, 14];
const HEIGHT = 380;

/** Returns the shortest time between two successive dates, or a month if there is only one date. */
function stepOf(places: readonly number[]): number {
  const steps = places.slice(1).map((at, index) => at - places[index]!);
  return steps.length === 0 ? 30 * 86_400_000 : extentOf(steps)[0];
}

/** Returns the parts with their colors: those of their ids, or a ramp if the parts are ordered. */
function coloredParts({ lines, order }: StacksPlan, look: Look): DrawnPart[] {
  if (order !== undefined) {
    return drawnSeries(lines, { ...look, slate: true }).map((line, at) => (
      line.color !== SLATE
        ? line
        : { ...line, color: along(BLUE_RAMP, lines.length < 2 ? 0 : at / (lines.length - 1)) }
    ));
  }
  const sizeOf = ({ points }: Line) => sumBy(points, ({ y }) => Math.abs(y ?? 0));
  const total = sumBy(lines, sizeOf);
  return drawnSeries(lines, look).map((line) =>
    lines.length > 1 && sizeOf(line) > WALL * total && !isChosen(line, look)
      ? { ...line, color: SLATE }
      : line
  );
}

/** Returns whether the caller chose the color of a part. */
function isChosen({ id, label }: Line, { colors = {} }: Look): boolean {
  return [id, label].some((name) => Object.hasOwn(colors, name));
}

/** Reads the parts of bars: their dates, and which bars lack a part or are not complete. */
function partsOf(plan: StacksPlan, look: Look) {
  const lines = coloredParts(plan, look);
  const points = pointsOf(lines);
  const places = [...new Set(points.map(({ x }) => x))].toSorted((a, b) => a - b);
  const open = new Set(points.flatMap(({ x, complete }) => complete ? [] : [x]));
  const parts = pointRows(lines, false).filter(({ y }) => y !== null && y !== 0);
  return { lines, places, open, parts, signed: parts.some(({ y }) => y! < 0) };
}

type Parts = ReturnType<typeof partsOf>;

/** Returns the height of each bar above zero, and of each bar below zero. */
function heightsOf({ parts, open }: Parts, settled: boolean): number[] {
  return [...Map.groupBy(parts, ({ x, y }) => `${x} ${y! > 0}`).values()]
    .filter(([part]) => open.has(Number(part!.x)) !== settled)
    .map((side) => sumBy(side, ({ y }) => y));
}

/** Returns the size of the panel and its axes. */
function sizeOf(plan: StacksPlan, look: Look, parts: Parts) {
  const { y: { unit, name }, left = 0, rules = [] } = plan;
  const { locale, format, inner: width, height = HEIGHT } = look;
  const { places } = parts;
  const step = stepOf(places);
  const ends = [places[0]! - step / 2, places.at(-1)! + step / 2];
  const heights = heightsOf(parts, true);
  const references = rules.flatMap(({ y }) => y ?? []);
  const names = rules.some(({ x, label }) => x !== undefined && label !== "") ? NAMES : 0;
  const whole = unit === "fraction" && [...heights, ...references].every((at) => at <= 1 + 1e-9);
  return {
    ...SIZE,
    top: TOP + names,
    width,
    height: height + names,
    left,
    x: {
      axis: { ...axisFor(ends, { dates: true }), dates: places },
      style: { unit: "count", locale },
      name: "",
    },
    y: {
      axis: whole
        ? { type: "linear", domain: [0, 1] } as const
        : axisFor([...heights, ...references], {
          zero: true,
          scale: "linear",
          open: heightsOf(parts, false),
        }),
      style: { unit, locale, format },
      name,
    },
  } as const;
}

/**
 * Places the names and values of parts beside the last bar that is complete. Null if a name would be far from its part,
 * so that a legend has the names.
 */
function partLabels(
  plan: StacksPlan,
  look: Look,
  { parts: { lines, places, open, parts, signed }, plane }: {
    readonly parts: Parts;
    readonly plane: Plane;
  },
) {
  const end = places.findLast((x) => !open.has(x)) ?? places.at(-1)!;
  if (signed || plan.order !== undefined || lines.length === 1) return null;
  const { locale, format } = look;
  const last = parts.filter(({ x }) => x === end);
  const write = numbersOf(last.map(({ y }) => y), { unit: plan.y.unit, locale, format });
  let sum = 0;
  const ends = last.map(({ y, label, color }) => {
    const [from, to] = [plane.yOf(sum), plane.yOf(sum += y!)];
    return { label, color, value: write(y!), x: 0, y: (from + to) / 2 };
  });
  const placed = placeEndLabels(ends, {
    top: plane.top - 10,
    bottom: plane.top + plane.inside + 6,
    width: endRoom(look.inner),
  });
  const isNear = placed.labels.length === lines.length &&
    placed.labels.every(({ y, at }) => Math.abs(at - y) <= NEAR);
  return isNear ? { ...placed, end } : null;
}

/** Returns the legend of parts that have no names beside the last bar, and of the totals. */
function legendOf(
  { order, total }: StacksPlan,
  lines: readonly DrawnPart[],
  { named, sums }: { readonly named: boolean; readonly sums: "dot" | "line" | null },
): LegendItem[] {
  const colors: LegendItem[] = order === undefined
    ? named ? [] : lines.map(({ label, color }) => ({ label, color, key: "square" }))
    : [{
      from: `${order} ${lines[0]!.label}`,
      label: lines.at(-1)!.label,
      color: lines[0]!.color,
      key: "ramp",
      colors: lines.map(({ color }) => color),
    }];
  return sums === null ? colors : [...colors, { label: total!.label, color: theme.ink, key: sums }];
}

/** Draws parts as bars, or as areas with steps if the bars are narrow. Missing dates end an area. */
function partMarks(
  { lines, places, open, parts }: Parts,
  { plane, apart, gaps }: {
    readonly plane: Plane;
    readonly apart: number;
    readonly gaps: readonly number[];
  },
): Markish[] {
  const dense = apart < DENSE;
  const half = stepOf(places) / 2 * (apart < CLOSE ? 1 : BAR);
  const area = lines.flatMap(({ points, ...line }) => {
    const known = new Map(points.map(({ x, y }) => [x, open.has(x) ? 0 : y ?? 0]));
    return [...places, ...gaps].toSorted((a, b) => a - b)
      .map((x) => ({ ...line, x: new Date(x), y: known.get(x) ?? 0 }));
  });
  return [
    Plot.areaY(dense ? area : [], {
      x: "x",
      y: "y",
      z: "label",
      fill: "color",
      curve: "step",
      ariaDescription: "part",
    }),
    Plot.rectY(parts.filter(({ x }) => !dense || open.has(Number(x))), {
      x1: ({ x }: LinePoint) => new Date(x - half),
      x2: ({ x }: LinePoint) => new Date(x + half),
      y: "y",
      fill: "color",
      fillOpacity: ({ x }: LinePoint) => open.has(x) ? 0.45 : 1,
      stroke: theme.paper,
      // A thin part has no border, because the border would cover it.
      strokeWidth: ({ y }: LinePoint) =>
        apart < CLOSE || Math.abs(plane.yOf(0) - plane.yOf(y!)) < 3 ? 0 : 0.5,
      ariaDescription: "part",
    }),
  ];
}

/** Draws totals as dots, or as a line if bars are close. Missing dates end the line. */
function totalMarks(
  sums: readonly { readonly x: Date | number; readonly y: number | null }[],
  { apart, gaps }: { readonly apart: number; readonly gaps: readonly number[] },
): Markish[] {
  if (apart >= CLOSE) {
    // A ring in the page color separates the dots from dark bars. The dot of an incomplete period is hollow.
    return [Plot.dot(sums, {
      x: "x",
      y: "y",
      r: 4.5,
      strokeWidth: 1.5,
      stroke: ({ complete }: LinePoint) => complete ? theme.paper : theme.ink,
      fill: ({ complete }: LinePoint) => complete ? theme.ink : theme.paper,
      ariaDescription: "total",
    })];
  }
  const broken = [...sums, ...gaps.map((x) => ({ x: new Date(x), y: null }))]
    .toSorted((a, b) => Number(a.x) - Number(b.x));
  return [3, 1.25].map((strokeWidth, ring) =>
    Plot.line(sums.length > 0 ? broken : [], {
      x: "x",
      y: "y",
      strokeWidth,
      stroke: ring === 0 ? theme.paper : theme.ink,
      ariaDescription: ring === 0 ? "ring" : "total",
    })
  );
}

/** Names the periods between bars that have no bar, if the name has room there. */
function gapLabelsOf(
  { lines, signed }: ReturnType<typeof partsOf>,
  plane: Plane,
  { step, text }: { readonly step: number; readonly text: string },
) {
  const known = pointsOf(lines).flatMap(({ x, y }) => y === null ? [] : [x]);
  const filled = [...new Set(known)].toSorted((a, b) => a - b);
  const bar = plane.xOf(filled[0]! + step) - plane.xOf(filled[0]!);
  const width = textWidth(text, theme.caption) + 8;
  return filled.flatMap((x, at) => {
    const [left, right] = [plane.xOf(x), plane.xOf(filled[at + 1] ?? x)];
    if (right - left - bar < width) return [];
    const y = signed ? plane.yOf(0) - 10 : plane.top + plane.inside / 2;
    return [{ text, width, x: (left + right) / 2, y }];
  });
}

/**
 * Draws stacked bars over dates. The names of parts and their values are beside the last bar that is complete, or all are
 * in a legend.
 */
export function stacksFigure(plan: StacksPlan, look: Look): FigureBody {
  const { total, rules = [] } = plan;
  const parts = partsOf(plan, look);
  const { lines, places, signed } = parts;
  const size = sizeOf(plan, look, parts);
  const { lift } = placeRuleNames(rules, planeOf(size));
  const names = partLabels(plan, look, { parts, plane: planeOf({ ...size, lift }) });
  const right = Math.max(SIZE.right, names?.room ?? 0, referenceRoom(rules, size.y.style));
  const plane = planeOf({ ...size, lift, right });
  const step = stepOf(places);
  const apart = plane.xOf(places[0]! + step) - plane.xOf(places[0]!);
  const sums = total === undefined || !signed
    ? []
    : pointRows([total], true).filter(({ y }) => y !== null);
  // In an area, a missing part has the height 0.
  const gaps = places.flatMap((x, at) =>
    (places[at + 1] ?? x) - x > 1.5 * step ? [x + step, places[at + 1]! - step] : []
  );
  const edge = plane.xOf(places.at(-1)! + step / 2);
  const labels = names === null
    ? []
    : labelsFrom(names, edge).map((label) => ({ ...label, x: edge }));
  const isEarlier = names !== null && names.end !== places.at(-1) && plan.write !== undefined;
  const all = total === undefined ? plan.lines : [...plan.lines, total];
  return {
    axis: plane.label ?? "",
    said: joined([isEarlier ? `values: ${plan.write!(names.end)}` : ""]),
    notes: ruleNotes(rules, plane, look.locale),
    panels: [plane.panel([
      ...partMarks(parts, { plane, apart, gaps }),
      ...ruleMarks(rules, plane),
      ...referenceMarks(rules, plane, { lines: [], labels, beside: edge + 8 }),
      ...totalMarks(sums, { apart, gaps }),
      gapMarks(gapLabelsOf(parts, plane, { step, text: plan.empty ?? "no data" })),
      ...endLabelMarks(labels),
    ])],
    legend: legendOf(plan, lines, {
      named: names !== null,
      sums: sums.length === 0 ? null : apart < CLOSE ? "line" : "dot",
    }),
    rows: pointRows(all, true).map(({ label, x, y }) => ({ group: label, date: x, value: y })),
  };
}
