import { seriesColors } from "../colors.ts";
import { formatterFor } from "../format.ts";
import type { Look } from "../look.ts";
import { textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { type Markish, Plot, type PlotOptions } from "./observable_plot.ts";

/** A part of a total. */
export interface SharePart {
  readonly id: string;
  readonly label: string;
  readonly value: number;
  /** Whether this is the sum of the parts that are not drawn separately. */
  readonly folded: boolean;
}

/** The height of a bar, the space above and below it, and the distance to the enlarged bar. */
const BAR = 54;
const ABOVE = 22;
const BELOW = 6;
const APART = 36;
/** Unlabeled parts that add up to more than this share of the total are not enlarged. */
const MOST_ENLARGED = 0.3;
/** If there are more names than this, a legend replaces the names below the bar. */
const MOST_LINES = 6;

/** Returns the parts one after the other, with their shares. */
export function partsOf(parts: readonly SharePart[], { highlight, colors, locale }: Look) {
  const total = parts.reduce((sum, { value }) => sum + value, 0);
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

/** A section of the total, drawn as a bar of the panel's width. */
interface Stretch {
  readonly parts: readonly DrawnPart[];
  readonly from: number;
  readonly to: number;
}

/** A part of a section, in pixels, and whether it is wide enough for its name. */
interface Piece {
  readonly part: DrawnPart;
  readonly left: number;
  readonly right: number;
  readonly fits: boolean;
}

function piecesOf({ parts, from, to }: Stretch, width: number): Piece[] {
  const at = (share: number) => (share - from) / (to - from) * width;
  return parts.map((part) => {
    const [left, right] = [at(part.from), at(part.to)];
    return { part, left, right, fits: right - left > textWidth(nameOf(part), theme.label) + 6 };
  });
}

/**
 * Returns the sections to draw: the total and, if the unlabeled parts have a small share, these parts enlarged below
 * it.
 */
function stretchesOf(parts: readonly DrawnPart[], width: number): [Stretch, ...Stretch[]] {
  const whole: Stretch = { parts, from: 0, to: 1 };
  const first = piecesOf(whole, width).findIndex(({ fits }) => !fits);
  const rest = first === -1 ? [] : parts.slice(first);
  const from = rest[0]?.from ?? 1;
  if (rest.length < 2 || first === 0 || 1 - from > MOST_ENLARGED) return [whole];
  // Parts of value 0 are not drawn.
  const to = rest.at(-1)!.to;
  return to > from ? [whole, { parts: rest, from, to }] : [whole];
}

/**
 * Returns the names that do not fit at their parts, as far as they fit below. Each name is on its own line, from the
 * left.
 */
function lowered(pieces: readonly Piece[]): { piece: Piece; at: number }[] {
  const left = pieces.filter(({ fits }) => !fits).map((piece) => (
    { piece, at: (piece.left + piece.right) / 2 }
  ));
  const room = left.filter(({ piece, at }) => textWidth(nameOf(piece.part), theme.label) + 5 <= at);
  return left.length > MOST_LINES ? [] : room;
}

function pieceMarks(
  pieces: readonly Piece[],
  { top, enlarged }: { readonly top: number; readonly enlarged: boolean },
): { marks: Markish[]; below: number } {
  const under = lowered(pieces);
  const bottom = top + BAR;
  // The names of an enlarged bar are below it, because the connecting lines are above it.
  const first = enlarged ? bottom + 12 : top - 10;
  const start = enlarged ? bottom + 26 : bottom + 12;
  const lines = under.map(({ piece, at }, line) => ({
    ...{ at, text: nameOf(piece.part), y: start + line * theme.label.line },
  }));
  const fitting = pieces.filter(({ fits }) => fits);
  const marks = [
    Plot.rect(pieces, {
      ...{ x1: "left", x2: "right", y1: top, y2: bottom, fill: ({ part }: Piece) => part.color },
      ...{ stroke: theme.paper, ariaDescription: enlarged ? "enlarged part" : "part" },
      strokeWidth: enlarged || pieces.every(({ left, right }) => right - left > 3) ? 1 : 0.5,
    }),
    Plot.text(fitting, {
      ...{ x: "left", y: first, textAnchor: "start", dx: 1, ariaDescription: "share" },
      text: ({ part }: Piece) => nameOf(part),
    }),
    Plot.link(lines, {
      ...{ x1: "at", x2: "at", y1: bottom + 2, y2: ({ y }: { y: number }) => y + 4 },
      ...{ stroke: theme.muted, strokeWidth: 0.75, ariaDescription: "leader" },
    }),
    Plot.text(lines, {
      ...{ x: "at", y: "y", text: "text", textAnchor: "end", dx: -4, ariaDescription: "share" },
    }),
  ];
  const named = enlarged && fitting.length > 0 ? 20 : BELOW;
  return { marks, below: lines.length === 0 ? named : lines.at(-1)!.y - bottom + 8 };
}

/** Draws the connection between a section of the bar and its enlargement. */
function enlargedMarks(
  { from, to }: Stretch,
  { width, top, bottom, share }: { width: number; top: number; bottom: number; share: string },
): Markish[] {
  const says = `the other ${share}, enlarged ${Math.round(1 / (to - from))} times`;
  const fits = textWidth(says, theme.label) < from * width * 0.55;
  const ends = [{ y: top, x1: from * width, x2: to * width }, { y: bottom, x1: 0, x2: width }];
  return [
    Plot.areaX(ends, {
      ...{ y: "y", x1: "x1", x2: "x2", fill: theme.grid, ariaDescription: "enlarged" },
    }),
    Plot.text([fits ? says : "enlarged"], {
      ...{ x: () => 0, y: () => top + 12, textAnchor: "start", fill: theme.muted },
    }),
  ];
}

/** Draws one bar with the name and the share of each part. The smallest parts are enlarged below the bar. */
export function barPanel(
  { parts, width, write }: {
    parts: readonly DrawnPart[];
    width: number;
    write: (share: number) => string;
  },
): { panel: PlotOptions; unnamed: DrawnPart[] } {
  const [whole, rest] = stretchesOf(parts, width);
  const all = piecesOf(whole, width);
  // The names of enlarged parts are at the enlarged bar only.
  const pieces = rest === undefined ? all : all.slice(0, -rest.parts.length);
  const first = pieceMarks(pieces, { top: ABOVE, enlarged: false });
  const bottom = ABOVE + BAR;
  const small = rest === undefined ? [] : piecesOf(rest, width);
  const top = bottom + APART;
  const second = pieceMarks(small, { top, enlarged: true });
  const height = rest === undefined ? bottom + first.below : top + BAR + second.below;
  const placed = [...pieces, ...small].filter(({ fits }) => fits).map(({ part }) => part);
  const lines = [...lowered(pieces), ...lowered(small)].map(({ piece }) => piece.part);
  const named = new Set([...placed, ...lines]);
  const thin = all.slice(pieces.length);
  return {
    unnamed: parts.filter((part) => !named.has(part)),
    panel: {
      ...{ width, height, margin: 0 },
      x: { type: "linear", domain: [0, width], range: [0, width], axis: null },
      y: { type: "linear", domain: [0, height], range: [0, height], axis: null },
      marks: [
        ...rest === undefined ? [] : [
          ...enlargedMarks(rest, {
            ...{ width, top: bottom, bottom: top, share: write(rest.to - rest.from) },
          }),
          Plot.rect(thin, {
            ...{ x1: "left", x2: "right", y1: ABOVE, y2: bottom, ariaDescription: "part" },
            fill: ({ part }: Piece) => part.color,
          }),
        ],
        ...first.marks,
        ...rest === undefined ? [] : second.marks,
      ],
    },
  };
}
