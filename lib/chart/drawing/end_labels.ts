import { textColor } from "../page/dark.ts";
import { textWidth, wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { joined } from "../words.ts";
import { covered, type TextBox } from "./covered.ts";
import type { DrawnLine } from "./line_plan.ts";
import { type Markish, Plot } from "./observable_plot.ts";
import { inPixels, type Plane } from "./plane.ts";

/** A leader line connects an end with a label that is moved farther than this, in pixels. */
const FAR = 8;
/** The space between the last point of a line and its label, in pixels, without and with leader lines. */
const [GAP, WIDE_GAP] = [8, 22];
/** The distance between the labels of two lines, in pixels. A second line of a name needs less. */
const STEP = 15;
/** The distance by which the name of a line that ends early is moved away from other lines, in pixels. */
const NUDGE = 12;
/** The space between a name and its value, in pixels. */
const SPACE = 4;
/** Maximum number of labels. */
const MOST = 12;
/** Labels take this part of the width of a figure, or more of a figure that is narrower than `NARROW` pixels. */
const [PART, NARROW_PART, NARROW] = [0.28, 0.34, 480];

const BOLD = { ...theme.label, bold: true };

/** The end of a line or the last bar of a part, in pixels. */
export interface End {
  /** The name. Empty if the title of the figure has it. */
  readonly label: string;
  /** The last value. Empty if only the name is written. */
  readonly value: string;
  /** A text before the value of a line that ends before the others: `ended Sep 2025`. */
  readonly ended?: string;
  readonly x: number;
  readonly y: number;
  readonly color: string;
  /** Whether the line is drawn only for comparison, with a gray name. */
  readonly faint?: boolean;
}

/** A label with the lines of its name and its position. `at` is its vertical middle. */
interface EndLabel extends End {
  readonly lines: readonly string[];
  readonly left: number;
  readonly at: number;
  /** Whether the label is inside the plot area, where it covers grid lines. */
  readonly inside?: boolean;
}

/** The labels beside a panel. Their positions begin at the end of the lines. */
interface EndLabels {
  readonly labels: readonly EndLabel[];
  /** The distance from the end of the lines to the end of the texts. */
  readonly room: number;
}

/** The space for labels, in pixels from the top left corner of the panel. */
interface Room {
  readonly top: number;
  readonly bottom: number;
  readonly width: number;
}

/** Returns the width that labels may take beside a panel of a figure. */
export function endRoom(inner: number): number {
  return inner * (inner + 2 * theme.padding < NARROW ? NARROW_PART : PART);
}

function heightOf({ lines }: Pick<EndLabel, "lines">): number {
  return STEP + Math.max(0, lines.length - 1) * theme.label.line;
}

/** Returns the width of a name with its value. */
function widthOf({ lines, value }: Pick<EndLabel, "lines" | "value">): number {
  const name = Math.max(0, ...lines.map((text) => textWidth(text, BOLD)));
  const face = name === 0 ? BOLD : theme.label;
  return name + (value === "" ? 0 : (name === 0 ? 0 : SPACE) + textWidth(value, face));
}

/**
 * Returns the positions nearest to `y` at which labels keep their order and do not overlap (isotonic regression by pooling
 * of adjacent violators).
 */
function spread<Label extends Pick<EndLabel, "lines" | "y">>(
  labels: readonly Label[],
  { top, bottom }: Room,
): (Label & { readonly at: number })[] {
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

/**
 * Returns the ends to name, most important first: colored lines, then the highest and the lowest of the faint lines. If
 * there are too many colored lines, those farthest from each other are first.
 */
function inOrder(ends: readonly End[]): End[] {
  const byHeight = ends.toSorted((a, b) => a.y - b.y);
  const strong = byHeight.filter(({ faint }) => !faint);
  const faint = byHeight.filter(({ faint }) => faint);
  if (strong.length > 0 && faint.length > 0) {
    return [...new Set([...strong, faint[0]!, faint.at(-1)!])].slice(0, MOST);
  }
  const named: End[] = [];
  let others = byHeight;
  while (named.length < MOST && others.length > 0) {
    const apart = others.map(({ y }) => Math.min(...named.map((other) => Math.abs(other.y - y))));
    const next = others[apart.indexOf(apart.reduce((a, b) => Math.max(a, b)))]!;
    named.push(next);
    others = others.filter((end) => end !== next);
  }
  return named;
}

/**
 * Places a label beside the end of each line, at most 12. Labels keep the order of the ends and are moved as little as
 * possible. All colored names have their values, or none has. If there is not enough space, names have one line, and then
 * the last names are left out.
 */
export function placeEndLabels(all: readonly End[], room: Room): EndLabels {
  const ends = inOrder(all);
  const labelsOf = (count: number, lines: number) =>
    ends.slice(0, count).toSorted((a, b) => a.y - b.y).map((end) => (
      { ...end, lines: wrapText(end.label, { ...BOLD, width: room.width, lines }) }
    ));
  const fits = (labels: readonly Pick<EndLabel, "lines">[]) =>
    labels.reduce((sum, label) => sum + heightOf(label), 0) <= room.bottom - room.top;
  let found = labelsOf(ends.length, 2);
  for (let count = ends.length; !fits(found); count--) found = labelsOf(count, 1);
  const isWhole = found.every((label) =>
    label.faint || label.lines.length < 2 && widthOf(label) <= room.width
  );
  const placed = spread(found, room).map((label) => isWhole ? label : { ...label, value: "" });
  const gap = placed.some(({ y, at }) => Math.abs(y - at) > FAR) ? WIDE_GAP : GAP;
  return {
    labels: placed.map((label) => ({ ...label, left: gap })),
    room: gap + Math.max(0, ...placed.map(widthOf)) + 2,
  };
}

/** Returns the place that a label takes. */
export function boxOf(
  { left, at, ...label }: Pick<EndLabel, "lines" | "value" | "left" | "at">,
): TextBox {
  return { left, right: left + widthOf(label), at };
}

/**
 * Places the labels of lines that end before the others. `right` is the right edge of the figure. A label is `Name ended Sep 2025,
 * $299K`, and loses its value and the word for its end until it fits. It is moved up or down by at most a line, and
 * covers as few `lines` as possible. Labels that would overlap each other, or a label that `taken` has, are left out.
 */
export function placeInside(
  ends: readonly End[],
  { right, taken, lines, plane }: {
    readonly right: number;
    readonly taken: readonly EndLabel[];
    readonly lines: readonly DrawnLine[];
    readonly plane: Pick<Plane, "xOf" | "yOf">;
  },
): EndLabel[] {
  const placed: EndLabel[] = [];
  const isFree = (box: TextBox) =>
    [...taken, ...placed].map(boxOf).every((other) =>
      box.left > other.right + SPACE || other.left > box.right + SPACE ||
      Math.abs(box.at - other.at) >= theme.label.line
    );
  for (const end of ends) {
    const { label, ended = "", value } = end;
    const names = label === "" ? [] : [label];
    const texts = label === "" ? [value] : [joined([ended, value], ", "), ended, ""];
    const options = [...new Set(texts)].flatMap((value) => {
      const width = widthOf({ lines: names, value });
      const fits = end.x + GAP + width <= right;
      if (!fits && value !== texts.at(-1)) return [];
      // At the right edge, a bare name is at the left of its point, above its line.
      const left = fits ? end.x + GAP : end.x - GAP - width;
      const at = (down: number) => (
        { ...end, lines: names, value, left, at: end.y + down, inside: true }
      );
      // A bare value would cover the line that goes on to the right.
      if (label === "" || !fits) return [-STEP, STEP, 0].map(at);
      const { line } = theme.label;
      return (isFree(boxOf(at(0))) ? [0, -NUDGE, NUDGE] : [-line, line]).map(at);
    });
    const [free] = options.filter((label) => label.left >= 0 && isFree(boxOf(label)))
      .map((label) => ({ label, cost: covered(boxOf(label), lines, plane) }))
      .toSorted((a, b) => a.cost - b.cost);
    if (free !== undefined) placed.push(free.label);
  }
  return placed;
}

/** Moves labels beside a panel to the right of the ends of its lines, at `x`. */
export function labelsFrom({ labels }: EndLabels, x: number): EndLabel[] {
  return labels.map((label) => ({ ...label, left: x + label.left }));
}

/** Draws a dot at the end of each line, its name and value, and a leader line if the label was moved. */
export function endLabelMarks(labels: readonly EndLabel[]): Markish[] {
  const far = labels.filter(({ at, y, x, left }) => left > x && Math.abs(at - y) > FAR);
  const styleOf = (inside: boolean): Plot.TextOptions => ({
    y: inPixels("at"),
    textAnchor: "start",
    fill: ({ faint, color }: EndLabel) => faint ? theme.muted : textColor(color),
    lineHeight: theme.label.line / theme.label.size,
    ...inside && { stroke: theme.paper, strokeWidth: 3 },
  });
  return [
    Plot.link(far, {
      x1: inPixels(({ x }: EndLabel) => x + 4),
      x2: inPixels(({ left }: EndLabel) => left - 3),
      y1: inPixels("y"),
      y2: inPixels("at"),
      stroke: "color",
      strokeWidth: 0.75,
      ariaDescription: "leader",
    }),
    ...[false, true].flatMap((inside) => {
      const some = labels.filter((label) => (label.inside ?? false) === inside);
      return [
        Plot.text(some.filter(({ lines }) => lines.length > 0), {
          ...styleOf(inside),
          x: inPixels("left"),
          text: ({ lines }: EndLabel) => lines.join("\n"),
          fontWeight: "bold",
          channels: { group: "label" },
          ariaDescription: "line label",
        }),
        Plot.text(some.filter(({ value }) => value !== ""), {
          ...styleOf(inside),
          x: inPixels((label: EndLabel) =>
            label.left + widthOf({ ...label, value: "" }) + (label.lines.length === 0 ? 0 : SPACE)
          ),
          text: "value",
          // A value without a name is the label.
          ...some.every(({ lines }) => lines.length === 0) && { fontWeight: "bold" },
          ariaDescription: "end value",
        }),
      ];
    }),
  ];
}
