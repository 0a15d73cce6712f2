import { textWidth, wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";

const FARTHEST = 30;

/** A line's end, in pixels from the top of the panel. */
export interface LineEnd {
  readonly label: string;
  readonly y: number;
}

/** Where the label of a line goes. */
export interface EndLabel extends LineEnd {
  readonly lines: readonly string[];
  /** The middle of the label. */
  readonly at: number;
}

/** The labels at the right of a panel, and the room they need. */
export interface EndLabels {
  readonly labels: readonly EndLabel[];
  readonly width: number;
}

/**
 * Puts a label beside the end of each line, moved up and down no more than is needed to keep them apart;
 * null when they do not fit between `top` and `bottom`, or one would stand too far from its line.
 */
export function endLabels(
  ends: readonly LineEnd[],
  { top, bottom, width }: { top: number; bottom: number; width: number },
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
  if (labels.some(({ y }, index) => Math.abs(y - at[index]!) > FARTHEST)) return null;
  return {
    labels: labels.map(({ label, y, lines }, index) => ({ label, y, lines, at: at[index]! })),
    width: Math.max(
      0,
      ...labels.flatMap(({ lines }) => lines.map((text) => textWidth(text, { size }))),
    ),
  };
}
