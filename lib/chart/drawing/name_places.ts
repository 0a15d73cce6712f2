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

/** A distance that no name exceeds, beside its width: the farthest place and half a line, in pixels. */
const FAR = 4.4 * (2 * HALF + 1) + 2 * HALF;

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
    // Only boxes that a name of this point can reach are compared, so that many points take little time.
    const reach = { left: x - width - FAR, right: x + width + FAR, top: y - FAR, bottom: y + FAR };
    const near = (boxes: readonly Box[]) => boxes.filter((box) => overlap(box, reach));
    const others = near([...taken, ...dots.toSpliced(index, 1)]);
    const leaders = near(lines);
    const along = near(line);
    for (
      const [place, avoided] of (along.length > 0 ? [along, []] : [[]]).flatMap((boxes) =>
        PLACES.map((place) => [place, boxes] as const)
      )
    ) {
      const box = boxAt(x, y, width, place);
      const inside = box.left >= room.left && box.right <= room.right && box.top >= room.top &&
        box.bottom <= room.bottom;
      const meets = (piece: Box, ...lists: readonly (readonly Box[])[]) =>
        lists.some((boxes) => boxes.some((other) => overlap(piece, other)));
      if (!inside || meets(box, others, avoided, leaders)) continue;
      const leader = Math.abs(place[0]) > 1 ? leaderBoxes(x, y, box) : [];
      if (leader.some((piece) => meets(piece, others, avoided))) continue;
      taken.push(box);
      lines.push(...leader);
      const anchor = place[0] === 0 ? "middle" : place[0] > 0 ? "start" : "end";
      const edge = anchor === "middle" ? x : anchor === "start" ? box.left : box.right;
      return { text, textX: edge, textY: box.top + HALF, anchor, far: leader.length > 0 };
    }
    return null;
  });
}
