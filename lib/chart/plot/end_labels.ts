import { textWidth, wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";
import type { SymbolName } from "../theme.ts";
import type { Markish, ObservablePlot } from "./observable_plot.ts";

const FARTHEST = 30;

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
  readonly width: number;
}

interface Room {
  readonly top: number;
  readonly bottom: number;
  readonly width: number;
}

function placed(ends: readonly LineEnd[], { top, bottom, width }: Room): EndLabels | null {
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
  if (labels.some(({ y }, index) => Math.abs(y - at[index]!) > FARTHEST)) return null;
  return {
    labels: labels.map(({ label, y, lines }, index) => ({ label, y, lines, at: at[index]! })),
    width: Math.max(
      0,
      ...labels.flatMap(({ lines }) => lines.map((text) => textWidth(text, { size }))),
    ),
  };
}

/**
 * Puts a label beside the end of each line, moved up and down no more than is needed to keep them apart; those
 * that are optional as far as they fit, in their order. null when the others do not fit between `top` and
 * `bottom`, or one would stand too far from its line.
 */
export function endLabels(ends: readonly LineEnd[], room: Room): EndLabels | null {
  let kept = ends.filter(({ optional = false }) => !optional);
  let best = placed(kept, room);
  if (best === null) return null;
  for (const end of ends.filter(({ optional = false }) => optional)) {
    const more = placed([...kept, end], room);
    if (more === null) continue;
    kept = [...kept, end];
    best = more;
  }
  return best;
}

/** The space between a line's end and the key of its label, and between the key and the words. */
export const LABEL_GAP = 16;
export const LABEL_KEY = 11;

/** How the labels of a panel's lines are drawn. */
interface EndLabelPlan {
  readonly labels: EndLabels;
  /** The place so many pixels right of where the lines end. */
  readonly after: (pixels: number) => number | Date;
  /** The value at a height in pixels. */
  readonly valueAt: (y: number) => number;
  readonly styleOf: (label: string) => {
    readonly color: string;
    readonly symbol: SymbolName;
    readonly ink: string;
  };
}

/** The name of each line beside its end, with a thin line to it where it had to move. */
export function endLabelMarks(
  { dot, link, text }: ObservablePlot,
  { labels, after, valueAt, styleOf }: EndLabelPlan,
): Markish[] {
  return labels.labels.flatMap(({ label, lines, y, at }) => {
    const { color, symbol, ink } = styleOf(label);
    const place = [{ x: after(0), y: valueAt(at) }];
    return [
      ...Math.abs(at - y) < 2 ? [] : [
        link([{ from: valueAt(y), to: valueAt(at) }], {
          ...{ x1: () => after(5), x2: () => after(LABEL_GAP - 3), y1: "from", y2: "to" },
          ...{ stroke: color, strokeWidth: 0.75, ariaDescription: "leader" },
        }),
      ],
      dot(place, {
        ...{ x: "x", y: "y", fill: color, symbol, dx: LABEL_GAP + 3, r: 3 },
        ariaDescription: "line key",
      }),
      text(place, {
        ...{ x: "x", y: "y", text: () => lines.join("\n"), textAnchor: "start", fill: ink },
        dx: LABEL_GAP + LABEL_KEY,
        lineHeight: theme.label.line / theme.label.size,
        ariaDescription: "line label",
      }),
    ];
  });
}
