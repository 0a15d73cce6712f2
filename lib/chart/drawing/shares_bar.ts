import { seriesColors } from "../colors.ts";
import { formatterFor } from "../format.ts";
import type { Look } from "../look.ts";
import { type Part, sumOf } from "../series.ts";
import { textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { Plot, type PlotOptions } from "./observable_plot.ts";
import { frameText } from "./plane.ts";

/**
 * `BAR` is the height of a bar. `ABOVE` and `BELOW` are the spaces above and below the bar. `APART` is the distance to
 * the enlarged bar. All are in pixels.
 */
const BAR = 54;
const ABOVE = 22;
const BELOW = 6;
const APART = 36;
/** Unlabeled parts that add up to more than this share of the total are not enlarged. */
const MOST_ENLARGED = 0.3;
/** If there are more names than this, a legend replaces the names below the bar. */
const MOST_LINES = 6;

/** Returns the parts with their positions in the total, colors and shares. */
export function partsOf(parts: readonly Part[], { highlight, colors, locale }: Look) {
  const total = sumOf(parts, ({ value }) => value);
  const range = seriesColors(parts, { highlight, colors });
  const write = formatterFor(parts.map(({ value }) => value / total), { unit: "share", locale });
  let before = 0;
  return parts.map((part, index) => {
    const from = before;
    before += part.value / total;
    return { ...part, from, to: before, color: range[index]!, share: write(part.value / total) };
  });
}

/** A part with its position in the total, its color and its share as text. */
export type DrawnPart = ReturnType<typeof partsOf>[number];

export function nameOf({ label, share }: DrawnPart): string {
  return `${label} ${share}`;
}

/** A part of a bar, in pixels, and whether it is wide enough for its name. */
interface Piece extends DrawnPart {
  readonly left: number;
  readonly right: number;
  readonly name: string;
  readonly fits: boolean;
}

/** Returns parts of the total as pieces of a bar that is as wide as the panel. */
function piecesOf(parts: readonly DrawnPart[], width: number): Piece[] {
  const [from, to] = [parts[0]!.from, parts.at(-1)!.to];
  const at = (share: number) => (share - from) / (to - from) * width;
  return parts.map((part) => {
    const [left, right, name] = [at(part.from), at(part.to), nameOf(part)];
    return { ...part, left, right, name, fits: right - left > textWidth(name, theme.label) + 6 };
  });
}

/**
 * Returns how many of the last parts are also drawn in a second, enlarged bar. Parts are enlarged if their names do not
 * fit and if the sum of these parts is a small share of the total.
 */
function enlargedCount(pieces: readonly Piece[]): number {
  const first = pieces.findIndex(({ fits }) => !fits);
  if (first <= 0 || pieces.length - first < 2) return 0;
  const { from } = pieces[first]!;
  // Parts of value 0 cannot be enlarged.
  return 1 - from <= MOST_ENLARGED && pieces.at(-1)!.to > from ? pieces.length - first : 0;
}

const RECT = { x1: "left", x2: "right", fill: "color" };

/** Draws a bar with the names of its pieces. A name that does not fit is on a line of its own below the bar. */
function barMarks(
  pieces: readonly Piece[],
  { top, enlarged }: { readonly top: number; readonly enlarged: boolean },
) {
  const narrow = pieces.filter(({ fits }) => !fits)
    .map((piece) => ({ ...piece, at: (piece.left + piece.right) / 2 }));
  const room = narrow.filter(({ name, at }) => textWidth(name, theme.label) + 5 <= at);
  const bottom = top + BAR;
  const start = enlarged ? bottom + 26 : bottom + 12;
  const lines = (narrow.length > MOST_LINES ? [] : room)
    .map((piece, line) => ({ ...piece, y: start + line * theme.label.line }));
  const fitting = pieces.filter(({ fits }) => fits);
  const wide = enlarged || pieces.every(({ left, right }) => right - left > 3);
  const marks = [
    Plot.rect(pieces, {
      ...RECT,
      y1: top,
      y2: bottom,
      stroke: theme.paper,
      strokeWidth: wide ? 1 : 0.5,
      ariaDescription: enlarged ? "enlarged part" : "part",
    }),
    Plot.text(fitting, {
      x: "left",
      // The names of an enlarged bar are below the bar, because the connecting lines are above the bar.
      y: enlarged ? () => bottom + 12 : () => top - 10,
      text: "name",
      textAnchor: "start",
      dx: 1,
      ariaDescription: "share",
    }),
    Plot.link(lines, {
      x1: "at",
      x2: "at",
      y1: bottom + 2,
      y2: ({ y }: { y: number }) => y + 4,
      stroke: theme.muted,
      strokeWidth: 0.75,
      ariaDescription: "leader",
    }),
    Plot.text(lines, {
      x: "at",
      y: "y",
      text: "name",
      textAnchor: "end",
      dx: -4,
      ariaDescription: "share",
    }),
  ];
  const named = enlarged && fitting.length > 0 ? 20 : BELOW;
  return {
    marks,
    names: [...fitting, ...lines].map(({ name }) => name),
    below: bottom + (lines.length === 0 ? named : lines.at(-1)!.y - bottom + 8),
  };
}

/** Draws the last parts again in an enlarged bar, and connects this bar with the last parts of the first bar. */
function enlargedMarks(
  thin: readonly Piece[],
  { width, write }: { readonly width: number; readonly write: (share: number) => string },
) {
  const [{ from, left }, { to, right }] = [thin[0]!, thin.at(-1)!];
  const [top, bottom] = [ABOVE + BAR, ABOVE + BAR + APART];
  const says = `the other ${write(to - from)}, enlarged ${Math.round(1 / (to - from))} times`;
  const fits = textWidth(says, theme.label) < from * width * 0.55;
  const ends = [{ y: top, x1: left, x2: right }, { y: bottom, x1: 0, x2: width }];
  const style = { fill: theme.grid, ariaDescription: "enlarged" };
  const bar = barMarks(piecesOf(thin, width), { top: bottom, enlarged: true });
  const marks = [
    Plot.areaX(ends, { y: "y", x1: "x1", x2: "x2", ...style }),
    frameText(fits ? says : "enlarged", "top-left", { dy: top + 12, lineAnchor: "middle" }),
    Plot.rect(thin, { ...RECT, y1: ABOVE, y2: top, ariaDescription: "part" }),
  ];
  return { ...bar, marks, above: bar.marks };
}

/** Draws one bar with the name and the share of each part. The smallest parts are enlarged below the bar. */
export function barPanel(
  parts: readonly DrawnPart[],
  size: { readonly width: number; readonly write: (share: number) => string },
): { panel: PlotOptions; unnamed: DrawnPart[] } {
  const { width } = size;
  const pieces = piecesOf(parts, width);
  const first = pieces.length - enlargedCount(pieces);
  // The names of enlarged parts are written only at the enlarged bar.
  const bar = barMarks(pieces.slice(0, first), { top: ABOVE, enlarged: false });
  const second = first < pieces.length ? enlargedMarks(pieces.slice(first), size) : undefined;
  const height = second?.below ?? bar.below;
  const named = new Set([...bar.names, ...second?.names ?? []]);
  return {
    unnamed: parts.filter((part) => !named.has(nameOf(part))),
    panel: {
      width,
      height,
      margin: 0,
      x: { type: "identity", axis: null },
      y: { type: "identity", axis: null },
      marks: [...second?.marks ?? [], ...bar.marks, ...second?.above ?? []],
    },
  };
}
