import { textWidth, wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";
import type { SymbolName } from "../theme.ts";
import { type Markish, Plot } from "./observable_plot.ts";
import { pixels } from "./plane.ts";

/** Maximum distance of a label from the end of its line, in pixels, unless the required labels need more space. */
const FARTHEST = 30;
/**
 * The space between the end of a line and its label, in pixels. `WIDE_GAP` leaves room for a steep leader line, if a
 * label was moved far.
 */
const GAP = 16;
const WIDE_GAP = 30;
/** The width of the marker beside a name, in pixels. */
const KEY = 11;

/** The end of a line. `y` is in pixels from the top of the panel. */
interface LineEnd {
  readonly label: string;
  readonly y: number;
  /** Whether the label can be left out if it does not fit. */
  readonly optional?: boolean;
  readonly color: string;
  /** The marker of the line. Null if the line has no marker. A thin leader line then connects the line to its name. */
  readonly symbol: SymbolName | null;
  /** Whether the line is drawn only for comparison, with a gray name. */
  readonly faint?: boolean;
}

/** The position of the label of a line. */
interface EndLabel extends LineEnd {
  readonly lines: readonly string[];
  /** The vertical middle of the label, in pixels from the top of the panel. */
  readonly at: number;
}

/** The labels at the right of a panel, and the width that they need. */
export interface EndLabels {
  readonly labels: readonly EndLabel[];
  /** The width of the texts without the markers. */
  readonly width: number;
  /** The distance from the end of the lines to the end of the texts. */
  readonly room: number;
  /** The distance between the end of the lines and the markers of the names. */
  readonly gap: number;
}

/** The space for names, in pixels. `top` and `bottom` are distances from the top of the panel. */
export interface Room {
  readonly top: number;
  readonly bottom: number;
  readonly width: number;
  /**
   * Maximum distance of required labels from their lines.
   * @default {30}
   */
  readonly farthest?: number;
}

/** Returns the distance by which a label was moved. */
function moved({ y, at }: EndLabel): number {
  return Math.abs(y - at);
}

function placed(
  ends: readonly LineEnd[],
  { top, bottom, width, farthest = FARTHEST }: Room,
): EndLabels | null {
  const { size, line } = theme.label;
  const labels = ends.map((end) => {
    const lines = wrapText(end.label, { size, width, lines: 2 });
    return { ...end, lines, height: lines.length * line + 3 };
  }).toSorted((a, b) => a.y - b.y);
  const needed = labels.reduce((sum, { height }) => sum + height, 0);
  if (needed > bottom - top) return null;
  // Moves labels down until they do not overlap. Then moves labels up, starting at the bottom, until all are within the
  // space.
  const at: number[] = [];
  labels.forEach(({ y, height }, index) => {
    const before = index === 0 ? top : at[index - 1]! + labels[index - 1]!.height / 2;
    at.push(Math.max(y, before + height / 2));
  });
  let floor = bottom;
  for (let index = labels.length - 1; index >= 0; index--) {
    const { height } = labels[index]!;
    at[index] = Math.min(at[index]!, floor - height / 2);
    floor = at[index]! - height / 2;
  }
  const found = labels.map((label, index) => ({ ...label, at: at[index]! }));
  if (found.some((label) => moved(label) > (label.optional ? FARTHEST : farthest))) return null;
  const widths = labels.flatMap(({ lines }) => lines.map((text) => textWidth(text, { size })));
  const words = Math.max(0, ...widths);
  const gap = found.some((label) => moved(label) > FARTHEST) ? WIDE_GAP : GAP;
  return { labels: found, width: words, gap, room: gap + KEY + words + 2 };
}

/**
 * Puts a label beside the end of each line. Labels are moved up or down so that they do not overlap. Optional labels
 * are added one after the other, each only if it fits. Returns null if the required labels do not fit between `top` and
 * `bottom`, or if a label would be too far from its line.
 */
export function placeEndLabels(ends: readonly LineEnd[], room: Room): EndLabels | null {
  let kept = ends.filter(({ optional = false }) => !optional);
  let best = placed(kept, { ...room, farthest: FARTHEST }) ?? placed(kept, room);
  if (best === null) return null;
  // With optional labels, the distance of a label from its line is at most `FARTHEST`, or at most the largest distance
  // without optional labels if that is larger.
  const farthest = Math.max(FARTHEST, ...best.labels.map(moved));
  for (const end of ends.filter(({ optional = false }) => optional)) {
    const more = placed([...kept, end], { ...room, farthest });
    if (more === null) continue;
    kept = [...kept, end];
    best = more;
  }
  return best;
}

/**
 * Draws the name of each line beside the end of the line, to the right of `x`, or to the left of `x` if `side` is -1.
 * Adds a thin leader line if the name was moved, or if the line has no marker.
 */
export function endLabelMarks({ labels, gap }: EndLabels, x: number, side: 1 | -1 = 1): Markish[] {
  const after = (distance: number) => pixels(() => x + side * distance);
  const led = labels.filter(({ at, y, symbol }) => Math.abs(at - y) >= 2 || symbol === null);
  return [
    Plot.link(led, {
      x1: after(5),
      x2: pixels(({ symbol }: EndLabel) => x + side * (symbol === null ? gap + KEY - 4 : gap - 3)),
      y1: pixels("y"),
      y2: pixels("at"),
      stroke: "color",
      strokeWidth: 0.75,
      ariaDescription: "leader",
    }),
    Plot.dot(labels.filter(({ symbol }) => symbol !== null), {
      x: after(gap + 3),
      y: pixels("at"),
      fill: "color",
      symbol: "symbol",
      r: 3,
      ariaDescription: "line key",
    }),
    Plot.text(labels, {
      x: after(gap + KEY),
      y: pixels("at"),
      text: ({ lines }: EndLabel) => lines.join("\n"),
      textAnchor: side === 1 ? "start" : "end",
      fill: ({ faint = false }: EndLabel) => faint ? theme.muted : theme.ink,
      lineHeight: theme.label.line / theme.label.size,
      ariaDescription: "line label",
    }),
  ];
}
