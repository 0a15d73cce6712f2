import type { NumberStyle } from "../format.ts";
import { acrossMarks, type Axis, placeOn, scaleOptions, upwardAxis, valueAlong } from "./axes.ts";
import type { Markish, PlotOptions } from "./observable_plot.ts";

/** The labels and numbers along one axis. */
export interface PlaneSide {
  readonly axis: Axis;
  readonly style: NumberStyle;
  readonly name: string;
  /** Whether ticks are at whole numbers only. */
  readonly whole?: boolean;
  /** Whether ticks and grid are left out. */
  readonly hidden?: boolean;
}

/** A panel with two axes: its size, margins and axis labels. */
export interface PlanePlan {
  readonly width: number;
  readonly height: number;
  readonly top: number;
  readonly bottom: number;
  /** The width at the right, for example for names. */
  readonly right: number;
  readonly x: PlaneSide;
  readonly y: PlaneSide;
  /** The space between the vertical axis and the first position. */
  readonly inset?: number;
  /** The width at the left if the vertical axis is hidden; otherwise the minimum width. */
  readonly left?: number;
  /** Whether the panel has no axis of its own, because a panel to its left has the axis of the row. */
  readonly bare?: boolean;
  /** Maximum number of ticks on the vertical axis. */
  readonly most?: number;
  /** Whether the name of the vertical axis is written above it. */
  readonly named?: boolean;
  /** Draws the horizontal axis, if it is not the usual axis. */
  readonly across?: (length: number, left: number) => Markish[];
}

/** A panel with two axes. */
export interface Plane {
  /** The distances from the left and the top of the panel to the frame, and the lengths of both axes, in pixels. */
  readonly left: number;
  readonly top: number;
  readonly across: number;
  readonly inside: number;
  /** Returns the distance of a value from the left or the top of the panel, in pixels. */
  readonly xOf: (value: number) => number;
  readonly yOf: (value: number) => number;
  /** Returns the value a number of pixels to the right of the end of the horizontal axis. */
  readonly after: (pixels: number) => number | Date;
  /** Returns the value at a height in pixels. */
  readonly valueAt: (y: number) => number;
  /** The name of the vertical axis. */
  readonly label: string | null;
  /** Returns the options of `Plot.plot` with axes and the given marks. */
  readonly panel: (marks: readonly Markish[], title?: string) => PlotOptions;
}

/** Returns the height of the frame of a panel. */
export function insideOf({ height, top, bottom }: Pick<PlanePlan, "height" | "top" | "bottom">) {
  return height - top - bottom;
}

/** Lays out a panel with two axes. */
export function planeOf(plan: PlanePlan): Plane {
  const { width, height, top, bottom, right, x, y, inset = 0, bare = false, named = true } = plan;
  const inside = insideOf(plan);
  const { most = 7 } = plan;
  const upward = upwardAxis(y.axis, { ...y, length: inside, most, named, least: plan.left ?? 0 });
  const left = y.hidden ? plan.left ?? 0 : bare ? 0 : upward.room;
  const across = width - left - right - inset;
  const upMarks = y.hidden ? [] : bare ? upward.grid : upward.marks;
  const acrossOf = plan.across ?? ((length: number) => acrossMarks(x.axis, { ...x, length }));
  const after = (pixels: number) => {
    const value = valueAlong(x.axis, 1 + pixels / across);
    return x.axis.type === "utc" ? new Date(value) : value;
  };
  return {
    left,
    top,
    across,
    inside,
    xOf: (value) => left + inset + placeOn(x.axis, value) * across,
    yOf: (value) => top + (1 - placeOn(y.axis, value)) * inside,
    after,
    valueAt: (at) => valueAlong(y.axis, 1 - (at - top) / inside),
    label: upward.label,
    panel: (marks, title) => ({
      ...title === undefined ? {} : { title },
      width,
      height,
      marginTop: top,
      marginBottom: bottom,
      marginLeft: left,
      marginRight: right,
      x: { ...scaleOptions(x.axis), insetLeft: inset },
      y: scaleOptions(y.axis),
      marks: [...upMarks, ...x.hidden ? [] : acrossOf(across, left), ...marks],
    }),
  };
}
