import { textColor } from "../page/dark.ts";
import { textWidth, wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { type Markish, Plot } from "./observable_plot.ts";
import { inPixels } from "./plane.ts";

/** A leader line connects a line with a name that is moved farther than this, in pixels. */
const FAR = 8;
/** The space between the end of a line and its name, in pixels, without and with leader lines. */
const [GAP, WIDE_GAP] = [7, 22];
/** The distance between the names of two lines, in pixels. A second line of a name needs less. */
const STEP = 14;
/** Maximum number of names. */
const MOST = 12;

/** The end of a line. `y` is in pixels from the top of the panel. */
interface LineEnd {
  readonly label: string;
  readonly y: number;
  readonly color: string;
  /** Whether the line is drawn only for comparison, with a gray name. */
  readonly faint?: boolean;
}

/** The name of a line. `y` is the best position, and `at` the vertical middle. */
interface EndLabel extends LineEnd {
  readonly lines: readonly string[];
  readonly at: number;
}

/** The labels beside a panel. */
interface EndLabels {
  readonly labels: readonly EndLabel[];
  /** The distance from the end of the lines to the end of the texts. */
  readonly room: number;
  /** The distance between the end of the lines and the names. */
  readonly gap: number;
}

/** The space for names, in pixels. `top` and `bottom` are distances from the top of the panel. */
interface Room {
  readonly top: number;
  readonly bottom: number;
  readonly width: number;
}

function heightOf({ lines }: Pick<EndLabel, "lines">): number {
  return STEP + (lines.length - 1) * theme.label.line;
}

/**
 * Returns the positions nearest to `y` at which labels keep their order and do not overlap (isotonic regression by pooling
 * of adjacent violators).
 */
function spread(labels: readonly Omit<EndLabel, "at">[], { top, bottom }: Room): EndLabel[] {
  let packed = top;
  const middles = labels.map((label) => {
    packed += heightOf(label);
    return packed - heightOf(label) / 2;
  });
  const blocks: { sum: number; count: number }[] = [];
  labels.forEach(({ y }, index) => {
    let block = { sum: y - middles[index]!, count: 1 };
    while (blocks.length > 0) {
      const { sum, count } = blocks.at(-1)!;
      if (sum / count <= block.sum / block.count) break;
      blocks.pop();
      block = { sum: sum + block.sum, count: count + block.count };
    }
    blocks.push(block);
  });
  const shifts = blocks.flatMap(({ sum, count }) => Array(count).fill(sum / count) as number[]);
  return labels.map((label, index) => ({
    ...label,
    at: middles[index]! + Math.min(Math.max(shifts[index]!, 0), bottom - packed),
  }));
}

/** Returns the ends to name: the strong ones, then the highest and the lowest, then those farthest from the named. */
function inOrder(ends: readonly LineEnd[]): LineEnd[] {
  const named = ends.some(({ faint }) => faint) ? ends.filter(({ faint }) => !faint) : [];
  let others = ends.filter((end) => !named.includes(end)).toSorted((a, b) => a.y - b.y);
  while (named.length < MOST && others.length > 0) {
    const apart = others.map(({ y }) => Math.min(...named.map((other) => Math.abs(other.y - y))));
    const next = others[apart.indexOf(Math.max(...apart))]!;
    named.push(next);
    others = others.filter((end) => end !== next);
  }
  return named.slice(0, MOST);
}

/**
 * Puts a label beside the end of each line, at most 12: of highlighted lines, extremes and outliers. Labels keep the
 * order of the ends and are moved as little as possible. If there is not enough space, names have one line, and then the
 * last names are left out.
 */
export function placeEndLabels(all: readonly LineEnd[], room: Room): EndLabels {
  const ends = inOrder(all);
  const labelsOf = (count: number, lines: number) =>
    ends.slice(0, count).toSorted((a, b) => a.y - b.y).map((end) => (
      { ...end, lines: wrapText(end.label, { ...theme.label, width: room.width, lines }) }
    ));
  const fits = (labels: readonly Pick<EndLabel, "lines">[]) =>
    labels.reduce((sum, label) => sum + heightOf(label), 0) <= room.bottom - room.top;
  let found = labelsOf(ends.length, 2);
  for (let count = ends.length; !fits(found); count--) found = labelsOf(count, 1);
  const labels = spread(found, room);
  const gap = labels.some(({ y, at }) => Math.abs(y - at) > FAR) ? WIDE_GAP : GAP;
  const widths = labels.flatMap(({ lines }) => lines.map((text) => textWidth(text, theme.label)));
  return { labels, gap, room: gap + Math.max(0, ...widths) + 2 };
}

/**
 * Draws the name of each line in its color beside the end of the line, to the right of `x`. Adds a thin leader line if
 * the name was moved.
 */
export function endLabelMarks({ labels, gap }: EndLabels, x: number): Markish[] {
  return [
    Plot.link(labels.filter(({ at, y }) => Math.abs(at - y) > FAR), {
      x1: inPixels(() => x + 4),
      x2: inPixels(() => x + gap - 3),
      y1: inPixels("y"),
      y2: inPixels("at"),
      stroke: "color",
      strokeWidth: 0.75,
      ariaDescription: "leader",
    }),
    Plot.text(labels, {
      x: inPixels(() => x + gap),
      y: inPixels("at"),
      text: ({ lines }: EndLabel) => lines.join("\n"),
      textAnchor: "start",
      fill: ({ faint, color }: EndLabel) => faint ? theme.muted : textColor(color),
      lineHeight: theme.label.line / theme.label.size,
      channels: { group: "label" },
      ariaDescription: "line label",
    }),
  ];
}
