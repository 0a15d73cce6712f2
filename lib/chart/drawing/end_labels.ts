import { textWidth, wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";
import type { SymbolName } from "../theme.ts";
import { type Markish, Plot } from "./observable_plot.ts";

/** How far a name stands from the end of its line, unless there is no room nearer. */
const FARTHEST = 30;
/** The space between a line's end and the key of its label, also where a line to it is steep, and for the key. */
const GAP = 16;
const WIDE_GAP = 30;
const KEY = 11;

/** A line's end, in pixels from the top of the panel. */
interface LineEnd {
  readonly label: string;
  readonly y: number;
  /** Whether the label may be left out where there is no room. */
  readonly optional?: boolean;
}

/** Where the label of a line goes. */
interface EndLabel extends LineEnd {
  readonly lines: readonly string[];
  /** The middle of the label. */
  readonly at: number;
}

/** The labels at the right of a panel, and the room they need. */
export interface EndLabels {
  readonly labels: readonly EndLabel[];
  /** Of the words alone. */
  readonly width: number;
  /** From the end of the lines to the end of the words. */
  readonly room: number;
  /** Between the end of the lines and the keys. */
  readonly gap: number;
}

interface Room {
  readonly top: number;
  readonly bottom: number;
  readonly width: number;
  /**
   * How far those that are not optional may stand from their lines.
   * @default {30}
   */
  readonly farthest?: number;
}

/** How far a label had to move. */
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
  // Down until none overlaps, then up again from the bottom.
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
 * Puts a label beside the end of each line, moved up and down no more than is needed to keep them apart; those
 * that are optional as far as they fit, in their order. null when the others do not fit between `top` and
 * `bottom`, or one would stand too far from its line.
 */
export function placeEndLabels(ends: readonly LineEnd[], room: Room): EndLabels | null {
  let kept = ends.filter(({ optional = false }) => !optional);
  let best = placed(kept, { ...room, farthest: FARTHEST }) ?? placed(kept, room);
  if (best === null) return null;
  // Those that are optional move none of the others farther than it is.
  const farthest = Math.max(FARTHEST, ...best.labels.map(moved));
  for (const end of ends.filter(({ optional = false }) => optional)) {
    const more = placed([...kept, end], { ...room, farthest });
    if (more === null) continue;
    kept = [...kept, end];
    best = more;
  }
  return best;
}

/** How the labels of a panel's lines are drawn. */
interface EndLabelPlan {
  readonly labels: EndLabels;
  /** The place so many pixels right of where the lines end. */
  readonly after: (pixels: number) => number | Date;
  /** The value at a height in pixels. */
  readonly valueAt: (y: number) => number;
  readonly styleOf: (label: string) => {
    readonly color: string;
    /** The marker of the line; null where it has none, and a thin line leads to its name. */
    readonly symbol: SymbolName | null;
    readonly ink: string;
  };
}

/** The name of each line beside its end, with a thin line to it where it had to move, or there is no marker. */
export function endLabelMarks(
  { labels, after, valueAt, styleOf }: EndLabelPlan,
): Markish[] {
  const { gap } = labels;
  return labels.labels.flatMap(({ label, lines, y, at }) => {
    const { color, symbol, ink } = styleOf(label);
    const place = [{ x: after(0), y: valueAt(at) }];
    return [
      ...Math.abs(at - y) < 2 && symbol !== null ? [] : [
        Plot.link([{ from: valueAt(y), to: valueAt(at) }], {
          ...{ x1: () => after(5), y1: "from", y2: "to" },
          x2: () => after(symbol === null ? gap + KEY - 4 : gap - 3),
          ...{ stroke: color, strokeWidth: 0.75, ariaDescription: "leader" },
        }),
      ],
      ...symbol === null ? [] : [
        Plot.dot(place, {
          ...{ x: "x", y: "y", fill: color, symbol, dx: gap + 3, r: 3 },
          ariaDescription: "line key",
        }),
      ],
      Plot.text(place, {
        ...{ x: "x", y: "y", text: () => lines.join("\n"), textAnchor: "start", fill: ink },
        dx: gap + KEY,
        lineHeight: theme.label.line / theme.label.size,
        ariaDescription: "line label",
      }),
    ];
  });
}
