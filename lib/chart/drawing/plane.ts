import { theme } from "../theme.ts";
import { acrossMarks, type AxisSide, placeOn, scaleOptions, upAxis } from "./axes.ts";
import { type Markish, Plot, type PlotOptions } from "./observable_plot.ts";

/** A panel with two axes: its size, margins and axis labels. */
interface PlanePlan {
  readonly width: number;
  readonly height: number;
  readonly top: number;
  readonly bottom: number;
  /** The width of the right margin, for example for names. */
  readonly right: number;
  readonly x: AxisSide;
  readonly y: AxisSide;
  /** The space between the vertical axis and the first position. */
  readonly inset?: number;
  /** The minimum width of the left margin. If the vertical axis is hidden, this is the exact width. */
  readonly left?: number;
  /** Whether the panel has no vertical axis of its own, because a panel to its left has the axis of the row. */
  readonly bare?: boolean;
  /** Maximum number of ticks on the vertical axis. */
  readonly most?: number;
  /** Whether the name of the vertical axis is written above the axis, not in the header of the figure. */
  readonly named?: boolean;
  /** The height of the names of vertical lines between the plot area and the name of the axis, if more than a line. */
  readonly lift?: number;
}

/** Returns a channel of positions in pixels, which no scale converts. */
export function inPixels<Row>(value: string | ((row: Row) => number)) {
  return { value, scale: null };
}

/**
 * Draws a text at an edge or a corner of the plot area. At a left corner, the text begins at the corner. At a right
 * corner, the text ends at the corner.
 */
export function frameText(
  text: string | null,
  frameAnchor: "top" | "top-left" | "top-right" | "bottom" | "bottom-left",
  style: Plot.TextOptions = {},
): Markish {
  const [, side] = frameAnchor.split("-");
  const textAnchor = side === "left" ? "start" : side === "right" ? "end" : "middle";
  return Plot.text(text === null || text === "" ? [] : [text], {
    frameAnchor,
    textAnchor,
    fill: theme.muted,
    ...style,
  });
}

/** A panel with two axes. */
export type Plane = ReturnType<typeof planeOf>;

/** Computes the layout of a panel with two axes. All positions are in pixels from the left and the top of the panel. */
export function planeOf(plan: PlanePlan) {
  const { width, height, bottom, right, x, y, inset = 0, bare = false, named = false } = plan;
  const { lift = 0 } = plan;
  const top = plan.top + lift;
  const inside = height - top - bottom;
  const { room, label, marks, grid } = upAxis(y, { length: inside, most: plan.most ?? 7 });
  const least = plan.left ?? 0;
  const left = y.hidden ? least : bare ? 0 : Math.max(least, room);
  const across = width - left - right - inset;
  const name = { dx: -left, dy: -22 - lift, ariaDescription: "y-axis name" };
  const upward = [...marks, ...named ? [frameText(label, "top-left", name)] : []];
  // The line at zero is the line of the horizontal axis.
  const ruled = y.axis.type === "linear" && y.axis.domain[0] === 0 && !y.hidden;
  return {
    plan,
    left,
    top,
    inset,
    /** The vertical axis. */
    axis: y.axis,
    /** The length of the horizontal axis. `inside` is the length of the vertical axis. */
    across,
    inside,
    /** Returns the position of a value on the horizontal axis. `yOf` returns a position on the vertical axis. */
    xOf: (value: number) => left + inset + placeOn(x.axis, value) * across,
    yOf: (value: number) => top + (1 - placeOn(y.axis, value)) * inside,
    /** The name of the vertical axis. */
    label,
    /** Returns the options of `Plot.plot` with axes and the given marks. */
    panel: (marks: readonly Markish[], title?: string): PlotOptions => {
      return {
        ...title === undefined ? {} : { title },
        width,
        height,
        marginTop: top,
        marginBottom: bottom,
        marginLeft: left,
        marginRight: right,
        x: { ...scaleOptions(x.axis), insetLeft: inset },
        y: scaleOptions(y.axis),
        marks: [
          ...y.hidden ? [] : bare ? grid : upward,
          ...x.hidden ? [] : acrossMarks(x, across, ruled),
          ...marks,
        ],
      };
    },
  };
}
