import { textWidth, wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";

/** The radius of a point, in pixels. */
export const RADIUS = 4.5;

const HALF = theme.label.line / 2;

/** An area that a name must not overlap, in pixels. */
interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Candidate positions of a name: right, left, above, below and diagonal, nearest first. */
const PLACES = [
  ...[[1, 0], [-1, 0], [0, -1], [0, 1], [1, -0.8], [1, 0.8], [-1, -0.8], [-1, 0.8]] as const,
  // A leader line connects names at these larger distances.
  ...[1.8, 2.6, 3.4, 4.4].flatMap((far) =>
    [[2, -far], [2, far], [-2, -far], [-2, far], [4, -far], [4, far], [5, 0]] as const
  ),
];

/** The position of a name beside its point. */
export interface PlacedName {
  readonly text: string;
  /** The place of the text's anchor, in pixels. */
  readonly textX: number;
  readonly textY: number;
  readonly anchor: "start" | "middle" | "end";
  /** Whether a leader line connects the point and the name. */
  readonly far: boolean;
}

function boxAt(x: number, y: number, width: number, [across, down]: readonly [number, number]) {
  const gap = (RADIUS + 3) * Math.abs(across);
  const middle = y + down * (2 * HALF + 1);
  const left = across === 0 ? x - width / 2 : across > 0 ? x + gap : x - gap - width;
  return { left, right: left + width, top: middle - HALF, bottom: middle + HALF };
}

/** Returns small boxes along the leader line from a point to the near side of its name. */
function leaderBoxes(x: number, y: number, { left, right, top }: Box): Box[] {
  return boxesAlong([x, y], [left > x ? left : right, top + HALF]);
}

/** Returns small boxes along a straight line. */
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
 * Places names beside their points. A name must not overlap other names or points, and overlaps the boxes of a `line`
 * only if it has no other position. Names without a free position are left out. Names are placed in the order of the
 * points.
 */
export function placeNames(
  points: readonly { readonly x: number; readonly y: number; readonly label: string }[],
  { room, line }: { readonly room: Box; readonly line: readonly Box[] },
): (PlacedName | null)[] {
  const dots = points.map(({ x, y }): Box => (
    { left: x - RADIUS, right: x + RADIUS, top: y - RADIUS, bottom: y + RADIUS }
  ));
  const taken: Box[] = [];
  const lines: Box[] = [];
  return points.map(({ x, y, label }, index) => {
    const [text = ""] = wrapText(label, { ...theme.label, width: 160, lines: 1 });
    if (text === "") return null;
    const width = textWidth(text, theme.label);
    for (
      const [place, avoided] of [line, []].flatMap((boxes) =>
        PLACES.map((place) => [place, boxes] as const)
      )
    ) {
      const box = boxAt(x, y, width, place);
      const inside = box.left >= room.left && box.right <= room.right && box.top >= room.top &&
        box.bottom <= room.bottom;
      const far = Math.abs(place[0]) > 1;
      const leader = far ? leaderBoxes(x, y, box) : [];
      const blocked = [...avoided, ...taken, ...dots.filter((_, at) => at !== index)];
      const meets = (piece: Box, others: readonly Box[]) =>
        others.some((other) => overlap(piece, other));
      const free = inside && !meets(box, [...blocked, ...lines]) &&
        !leader.some((piece) => meets(piece, blocked));
      if (!free) continue;
      taken.push(box);
      lines.push(...leader);
      const anchor = place[0] === 0 ? "middle" : place[0] > 0 ? "start" : "end";
      const edge = anchor === "middle" ? x : anchor === "start" ? box.left : box.right;
      return { text, textX: edge, textY: box.top + HALF, anchor, far };
    }
    return null;
  });
}
