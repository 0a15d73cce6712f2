import type { FigureRow } from "../chart.ts";
import { extentOf } from "../extent.ts";
import type { NumberUnit } from "../numbers.ts";
import type { Look } from "../look.ts";
import { type Line, pointsOf } from "../read/lines.ts";
import type { Drawn } from "../series_colors.ts";
import { joined } from "../words.ts";
import { requirePlace } from "../reference.ts";
import { type Axis, axisFor, cutText } from "./axes.ts";

/** A vertical line at `x` or a horizontal line at `y`, with a name. */
export interface RuleLine {
  readonly x?: number;
  readonly y?: number;
  readonly label: string;
  /** Whether the horizontal line is a reference, whose name and value are written beside it. */
  readonly reference?: boolean;
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
    /** Whether each point is a day. Days that are close together have a mean of seven days. */
    readonly daily?: boolean;
    /** Whether the axis shows months since the first month. */
    readonly months?: boolean;
    /** Writes a position. By default, it is a number, or a number of months. */
    readonly write?: (x: number) => string;
  };
  readonly y: {
    readonly unit: NumberUnit;
    readonly name: string;
    readonly scale?: "auto" | "linear" | "log" | undefined;
    readonly logFrom?: number | undefined;
    /** Whether the axis always includes zero. */
    readonly zero?: boolean;
    /** Values that the axis must include in addition to the values of the lines. */
    readonly holds?: readonly number[];
  };
  /** Whether the lines have an order, as cohorts do. Their colors then follow the order. */
  readonly ordered?: boolean;
  /** Whether bounds are drawn as bands. A point without neighbors has a whisker. */
  readonly bounds?: "bands" | undefined;
  /** The name of the bounds in tooltips: `95% interval`. */
  readonly interval?: string;
  readonly dots?: readonly DotLine[];
  /** The positions of the dots on the horizontal axis. */
  readonly dotsAt?: readonly number[];
  /**
   * Draws each line in its own panel. The panels share an axis, or each has its own, or the values decide (`auto`). With
   * `behind`, they share an axis, and all other lines are faint.
   */
  readonly panels?: "auto" | "shared" | "own" | "behind" | undefined;
  /** Whether lines have panels only if one panel has no room for them. */
  readonly ifCrowded?: boolean;
  /** Two lines, by their labels, with a pale area between them. */
  readonly between?: readonly [string, string];
  /** Whether `y` is a rank, with rank 1 at the top. The marker of a point then contains its `text`. */
  readonly ranks?: boolean;
  /** Whether only highlighted lines have names beside the panel, because the others are background. */
  readonly background?: boolean;
  readonly rules?: readonly RuleLine[];
  /** The reason for missing values, for the note on gaps. */
  readonly empty?: string;
  /** What the sizes of points count, such as `Users`, if they are written below the axis. */
  readonly atRisk?: string;
  /** The minimum space at the left and at the right, in pixels, to align the panels of several figures. */
  readonly sides?: { readonly left: number; readonly right: number };
}

/** A line with its color and marker. */
export type DrawnLine = Line & Drawn;

export function linePlaces(lines: readonly Line[]): number[] {
  return pointsOf(lines).map(({ x }) => x);
}

function axisAcross(lines: readonly Line[], plan: LinesPlan["x"]): Axis {
  const { dates = false, months = false } = plan;
  const places = linePlaces(lines);
  if (dates) return axisFor(places, { dates });
  const [low, high] = extentOf(places);
  if (!(low < high)) return { type: "linear", domain: [low - 0.5, high + 0.5] };
  const axis = axisFor(places, { scale: "linear" });
  return months || axis.domain[0] < low || axis.domain[1] > high
    ? { type: "linear", domain: [low, high] }
    : axis;
}

function axisUp(lines: readonly Line[], plan: LinesPlan): Axis {
  const { y, bounds, ranks } = plan;
  const members = pointsOf(drawnDots(plan)).map(({ y }) => y!);
  const valuesOf = (settled: boolean) =>
    pointsOf(lines).filter(({ complete }) => complete === settled)
      .flatMap(({ y, predicted, lower, upper }) =>
        [y, predicted, ...bounds === undefined ? [] : [lower, upper]].flatMap((value) =>
          value ?? []
        )
      );
  const [values, open] = [valuesOf(true), valuesOf(false)];
  // A reference extends the axis, and changes neither its type nor its scale.
  const references = plan.rules?.flatMap(({ reference, y }) => reference ? y ?? [] : []) ?? [];
  if (ranks) return { type: "linear", domain: [extentOf(values)[1] + 0.5, 0.5] };
  const axis = axisFor([...values, ...members, ...y.holds ?? []], {
    ...y,
    open: [...open, ...references],
  });
  for (const value of references) requirePlace(axis.type, value);
  return axis;
}

/** Returns the last observed or predicted point of a line, with its value: the last complete one, if there is one. */
export function endOf({ points }: Line) {
  const known = points.filter(({ y, predicted = null }) => (predicted ?? y) !== null);
  const end = known.findLast(({ complete }) => complete) ?? known.at(-1);
  return end === undefined ? undefined : { ...end, value: (end.predicted ?? end.y)! };
}

/**
 * Returns one line for each member of a group. The points of the line are the dots that are drawn: the points at
 * `dotsAt` that have a value.
 */
export function drawnDots({ dots = [], dotsAt = [] }: LinesPlan): DotLine[] {
  return dots.map((line) => ({
    ...line,
    points: line.points.filter(({ x, y }) => y !== null && dotsAt.includes(x)),
  }));
}

/** Returns the data rows of the drawn lines. */
export function lineRows(plan: LinesPlan): FigureRow[] {
  const { lines, x, bounds } = plan;
  const points = pointsOf(lines);
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
export function lineAxes(plan: LinesPlan, { locale, format }: Look, lines: readonly DrawnLine[]) {
  const { x, y, ranks = false } = plan;
  const axis = axisUp(lines, plan);
  return {
    x: {
      ...x,
      axis: axisAcross(lines, x),
      style: { unit: "count" as const, locale },
      whole: linePlaces(lines).every(Number.isInteger),
    },
    y: {
      axis,
      style: { unit: y.unit, locale, format },
      name: joined([y.name, ranks ? "" : cutText(axis)], ", "),
      hidden: ranks,
    },
  };
}
