import { FAINT_OPACITY } from "../colors.ts";
import { textWidth, wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";
import type { SymbolName } from "../theme.ts";
import { type Markish, Plot } from "./observable_plot.ts";
import { pixels } from "./plane.ts";

/** A label that is moved farther than this, in pixels, needs space for a steep leader line. */
const FAR = 30;
/** The space between the end of a line and its label, in pixels, without and with steep leader lines. */
const GAP = 16;
const WIDE_GAP = 30;
/** The width of the marker beside a name, in pixels. */
const KEY = 11;
/** The distance between the names of two lines, in pixels. A second line of a name needs less. */
const STEP = 16;
/** If there are more faint lines than this, only those are named whose names need no other place. */
const MOST_FAINT = 12;
/** Maximum number of names in one label. */
const MOST_SHARED = 3;

/** The end of a line. `y` is in pixels from the top of the panel. */
interface LineEnd {
  readonly label: string;
  readonly y: number;
  readonly color: string;
  /** The marker of the line. Null if the line has no marker. A thin leader line then connects the line to its name. */
  readonly symbol: SymbolName | null;
  /** Whether the line is drawn only for comparison, with a gray name. */
  readonly faint?: boolean;
}

/** The names of one line, or of neighboring lines. `y` is the best position, and `at` the vertical middle. */
interface EndLabel {
  readonly ends: readonly LineEnd[];
  readonly lines: readonly string[];
  readonly y: number;
  readonly at: number;
}

/** The labels beside a panel. */
interface EndLabels {
  readonly labels: readonly EndLabel[];
  /** The distance from the end of the lines to the end of the texts. */
  readonly room: number;
  /** The distance between the end of the lines and the markers of the names. */
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

/** Joins the nearest neighbors of one look whose names fit on one line, until the labels fit the height or no names fit. */
function joinNeighbors(labels: readonly Omit<EndLabel, "at">[], { top, bottom, width }: Room) {
  let found = labels;
  while (found.length * STEP > bottom - top) {
    const [best] = found.slice(1).flatMap((label, index) => {
      const ends = [...found[index]!.ends, ...label.ends];
      const text = ends.map(({ label }) => label).join(", ");
      const fits = ends.length <= MOST_SHARED && ends.every(({ faint }) =>
        faint === ends[0]!.faint
      ) &&
        textWidth(text, theme.label) + (keysOf({ ends }) - 1) * KEY <= width;
      const y = ends.reduce((sum, { y }) => sum + y, 0) / ends.length;
      return fits ? [{ index, ends, lines: [text], y, apart: label.y - found[index]!.y }] : [];
    }).toSorted((a, b) => a.apart - b.apart);
    if (best === undefined) break;
    found = found.toSpliced(best.index, 2, best);
  }
  return found;
}

/** Returns the number of markers before a label. A label without markers has the place of one. */
function keysOf({ ends }: Pick<EndLabel, "ends">): number {
  return Math.max(1, ends.filter(({ symbol }) => symbol !== null).length);
}

/**
 * Puts a label beside the end of each line. Labels keep the order of the ends and are moved as little as possible. If
 * there is not enough space, names have one line, then neighbors share a line, and then the last of the `ends` are left
 * out.
 */
export function placeEndLabels(all: readonly LineEnd[], room: Room): EndLabels {
  const many = all.filter(({ faint }) => faint).length > MOST_FAINT;
  const ends = all.reduce<LineEnd[]>((ends, end) => {
    const free = !many || !end.faint || ends.every(({ y }) => Math.abs(y - end.y) >= STEP);
    return free ? [...ends, end] : ends;
  }, []);
  const height = room.bottom - room.top;
  const labelsOf = (count: number, lines: number) =>
    ends.slice(0, count).toSorted((a, b) => a.y - b.y).map((end) => ({
      ends: [end],
      lines: wrapText(end.label, { ...theme.label, width: room.width, lines }),
      y: end.y,
    }));
  const fits = (labels: readonly Pick<EndLabel, "lines">[]) =>
    labels.reduce((sum, label) => sum + heightOf(label), 0) <= height;
  let found: readonly Omit<EndLabel, "at">[] = labelsOf(ends.length, 2);
  for (let count = ends.length; !fits(found); count--) {
    found = joinNeighbors(labelsOf(count, 1), room);
  }
  const labels = spread(found, room);
  const gap = labels.some(({ y, at }) => Math.abs(y - at) > FAR) ? WIDE_GAP : GAP;
  const widths = labels.map(({ ends, lines }) =>
    keysOf({ ends }) * KEY + Math.max(...lines.map((text) => textWidth(text, theme.label)))
  );
  return { labels, gap, room: gap + Math.max(0, ...widths) + 2 };
}

/**
 * Draws the name of each line beside the end of the line, to the right of `x`. Adds a thin leader line if the name was moved, or if the line has no marker.
 */
export function endLabelMarks({ labels, gap }: EndLabels, x: number): Markish[] {
  const keys = labels.flatMap(({ ends, at }) => ends.map((end, index) => ({ ...end, at, index })));
  type Key = typeof keys[number];
  const led = keys.filter(({ at, y, symbol }) => Math.abs(at - y) >= 2 || symbol === null);
  return [
    Plot.link(led, {
      x1: pixels(() => x + 5),
      x2: pixels(({ symbol }: Key) => x + gap + (symbol === null ? KEY - 4 : -3)),
      y1: pixels("y"),
      y2: pixels("at"),
      stroke: "color",
      strokeWidth: 0.75,
      strokeOpacity: ({ faint }: Key) => faint ? FAINT_OPACITY : 1,
      ariaDescription: "leader",
    }),
    Plot.dot(keys.filter(({ symbol }) => symbol !== null), {
      x: pixels(({ index }: Key) => x + gap + 3 + index * KEY),
      y: pixels("at"),
      fill: "color",
      symbol: "symbol",
      r: 3,
      ariaDescription: "line key",
    }),
    Plot.text(labels, {
      x: pixels((label: EndLabel) => x + gap + keysOf(label) * KEY),
      y: pixels("at"),
      text: ({ lines }: EndLabel) => lines.join("\n"),
      textAnchor: "start",
      fill: ({ ends }: EndLabel) => ends.every(({ faint }) => faint) ? theme.muted : theme.ink,
      lineHeight: theme.label.line / theme.label.size,
      ariaDescription: "line label",
    }),
  ];
}
