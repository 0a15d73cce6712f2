import { OTHER_COLOR, SLATE } from "../colors.ts";
import { factorText, numbersOf, type NumberUnit } from "../numbers.ts";
import type { FigureBody, Look } from "../look.ts";
import { theme } from "../theme.ts";
import { AT_RISK_ROOM, atRiskInset, atRiskMarks } from "./at_risk.ts";
import { axisFor } from "./axes.ts";
import { ruleMarks } from "./panel_lines.ts";
import { Plot } from "./observable_plot.ts";
import { planeOf } from "./plane.ts";

/** An effect at a time since the start. */
export interface EventPoint {
  readonly time: number;
  readonly effect: number | null;
  /** The bounds of this effect alone, and those of all effects together. */
  readonly lower: number | null;
  readonly upper: number | null;
  readonly lower_all: number | null;
  readonly upper_all: number | null;
  readonly entities: number;
  /** Whether the effect rests on few entities, or on other entities than the effect beside it. */
  readonly hollow: boolean;
}

/** The points and axes of an event study. */
interface EventsPlan {
  readonly points: readonly EventPoint[];
  /** Whether the effects are relative changes. */
  readonly relative: boolean;
  /** The name of the horizontal axis. */
  readonly x: string;
  readonly y: { readonly unit: NumberUnit; readonly name: string };
}

/** Relative effects have a logarithmic axis if the largest is more than this times the smallest. */
const LOG_FROM = 4;

const SIZE = { top: 20, below: 44, right: 16 };

/** Draws effects by time since the start with two bounds, and the numbers of treated entities below the axis. */
export function eventsFigure(
  { points, relative, x: name, y }: EventsPlan,
  look: Look,
): FigureBody {
  const { locale, inner: width, height = 380 } = look;
  const times = points.map(({ time }) => time);
  const entities = new Map(points.map(({ time, entities }) => [time, entities]));
  // A logarithmic axis has ratios, which are written as factors.
  const values = points.flatMap(({ effect, lower, upper, lower_all, upper_all }) =>
    [effect, lower, upper, lower_all, upper_all].flatMap((value) => value ?? [])
  );
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const log = relative && 1 + high > LOG_FROM * (1 + low);
  const placeOf = (value: number) => value + (log ? 1 : 0);
  const style = { unit: y.unit, locale, format: look.format };
  const writeRatio = (ratio: number) =>
    look.format === undefined ? factorText(ratio, locale) : numbersOf([], style)(ratio - 1);
  const format = log ? writeRatio : look.format;
  const ends = [low, high, 0].map(placeOf);
  const x = {
    axis: {
      type: "linear" as const,
      domain: [Math.min(...times) - 0.5, Math.max(...times) + 0.5] as const,
    },
    style: { unit: "count" as const, locale },
    name,
    months: true,
  };
  const plane = planeOf({
    width,
    height: height + AT_RISK_ROOM,
    top: SIZE.top,
    bottom: SIZE.below + AT_RISK_ROOM,
    right: SIZE.right,
    inset: atRiskInset(entities, locale),
    x,
    y: {
      axis: axisFor(ends, { scale: log ? "log" : "linear" }),
      style: { ...style, format },
      name: y.name,
      ratios: log,
    },
  });
  // Times that all lie on one side of the start leave no place for its line.
  const [first, last] = x.axis.domain;
  const begins = first <= -0.5 && last >= -0.5 ? [{ x: -0.5, label: "treatment begins" }] : [];
  const color = ({ time }: EventPoint) => time < 0 ? OTHER_COLOR : look.colors?.effect ?? SLATE;
  const span = (lower: "lower" | "lower_all", upper: "upper" | "upper_all", width: number) =>
    Plot.ruleX(points.filter((point) => point[lower] !== null), {
      x: "time",
      y1: (point: EventPoint) => placeOf(point[lower]!),
      y2: (point: EventPoint) => placeOf(point[upper]!),
      stroke: color,
      strokeWidth: width,
      ariaDescription: lower === "lower" ? "interval" : "interval of all times",
    });
  return {
    axis: plane.label ?? "",
    rows: points.map((point) => ({ ...point })),
    panels: [plane.panel([
      Plot.ruleY([placeOf(0)], { stroke: theme.muted, ariaDescription: "no effect" }),
      ...ruleMarks(begins, plane),
      span("lower_all", "upper_all", 0.75),
      span("lower", "upper", 2.5),
      Plot.dot(points.filter(({ effect }) => effect !== null), {
        x: "time",
        y: ({ effect }: EventPoint) => placeOf(effect!),
        r: 4,
        fill: (point: EventPoint) => point.hollow ? theme.paper : color(point),
        stroke: color,
        strokeWidth: 1.5,
        ariaDescription: "effect",
      }),
      ...atRiskMarks(entities, plane, { x, below: SIZE.below, name: "Treated entities" }),
    ])],
  };
}
