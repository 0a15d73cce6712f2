import { textWidth, wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";

/** The radius of a point. */
export const RADIUS = 4.5;

const HALF = theme.label.line / 2;

/** What a name may not touch, in pixels. */
export interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Where a name may stand: to the right, to the left, above, below, and askew, nearest first. */
const PLACES = [
  ...[[1, 0], [-1, 0], [0, -1], [0, 1], [1, -0.8], [1, 0.8], [-1, -0.8], [-1, 0.8]] as const,
  // Farther away a line leads to it.
  ...[1.8, 2.6, 3.4, 4.4].flatMap((far) =>
    [[2, -far], [2, far], [-2, -far], [-2, far], [4, -far], [4, far], [5, 0]] as const
  ),
];

/** The place of a name beside its point. */
interface PlacedName {
  readonly text: string;
  /** The middle of the left edge of the text, from the point. */
  readonly dx: number;
  readonly dy: number;
  readonly anchor: "start" | "middle" | "end";
  /** Whether a line leads from the point to the name. */
  readonly far: boolean;
}

function boxAt(x: number, y: number, width: number, [across, down]: readonly [number, number]) {
  const gap = (RADIUS + 3) * Math.abs(across);
  const middle = y + down * (2 * HALF + 1);
  const left = across === 0 ? x - width / 2 : across > 0 ? x + gap : x - gap - width;
  return { left, right: left + width, top: middle - HALF, bottom: middle + HALF };
}

/** The line from a point to the near side of its name, as small boxes. */
function leaderBoxes(x: number, y: number, { left, right, top }: Box): Box[] {
  return boxesAlong([x, y], [left > x ? left : right, top + HALF]);
}

/** A straight line as small boxes. */
export function boxesAlong(
  [x, y]: readonly [number, number],
  [toX, toY]: readonly [number, number],
): Box[] {
  const count = Math.ceil(Math.hypot(toX - x, toY - y) / 3);
  return Array.from({ length: count }, (_, index): Box => {
    const part = (index + 1) / (count + 1);
    const [atX, atY] = [x + part * (toX - x), y + part * (toY - y)];
    return { left: atX - 1, right: atX + 1, top: atY - 1, bottom: atY + 1 };
  });
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/**
 * Sets names beside their points so that none touches another name, a point or what else is there; those for which
 * no place is free are left out. The first points come first.
 */
export function placeNames(
  points: readonly { readonly x: number; readonly y: number; readonly label: string }[],
  room: Box,
  there: readonly Box[] = [],
): (PlacedName | null)[] {
  const dots = points.map(({ x, y }): Box => (
    { left: x - RADIUS, right: x + RADIUS, top: y - RADIUS, bottom: y + RADIUS }
  ));
  const taken: Box[] = [...there];
  const lines: Box[] = [];
  return points.map(({ x, y, label }, index) => {
    const [text = ""] = wrapText(label, { ...theme.label, width: 160, lines: 1 });
    if (text === "") return null;
    const width = textWidth(text, theme.label);
    for (const place of PLACES) {
      const box = boxAt(x, y, width, place);
      const inside = box.left >= room.left && box.right <= room.right && box.top >= room.top &&
        box.bottom <= room.bottom;
      const far = Math.abs(place[0]) > 1;
      const line = far ? leaderBoxes(x, y, box) : [];
      const others = dots.filter((_, at) => at !== index);
      const free = inside && ![...taken, ...lines, ...others].some((other) =>
        overlap(box, other)
      ) &&
        !line.some((piece) => [...taken, ...others].some((other) => overlap(piece, other)));
      if (!free) continue;
      taken.push(box);
      lines.push(...line);
      const anchor = place[0] === 0 ? "middle" : place[0] > 0 ? "start" : "end";
      const edge = anchor === "middle" ? x : anchor === "start" ? box.left : box.right;
      return { text, dx: edge - x, dy: box.top + HALF - y, anchor, far };
    }
    return null;
  });
}
