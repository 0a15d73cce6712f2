import type { Line, LinePoint } from "../read/lines.ts";
import type { DrawnLine, LinesPlan } from "./line_plan.ts";
import type { Plane } from "./plane.ts";

/** Days that are closer than this, in pixels, are thin, below a thick mean. */
const CLOSE = 3;
/** The number of days of a mean. */
const MEAN = 7;
/** Points that are closer than this, in pixels, have no markers. */
const APART = 24;
/** Lines with more positions than this have no markers. */
const MOST_MARKED = 12;
/** More points than this in each column of pixels are thinned. */
const MOST_IN_PIXEL = 2;

/** The words for lines of days. */
export const DENSE = "thin: days, thick: mean of 7 days";
/** The note on points that would cover each other. */
export const THINNED = "Of points closer than half a pixel, the lowest and the highest are drawn.";

/** Returns the number of different positions of points. */
function positionsOf(lines: readonly Line[]): number {
  const places = new Set<number>();
  for (const { points } of lines) for (const { x } of points) places.add(x);
  return places.size;
}

/** Returns whether lines have markers at their points: all lines of a figure have, or none. */
export function hasMarkers(lines: readonly Line[], { across }: Plane): boolean {
  const count = positionsOf(lines);
  return count <= MOST_MARKED && across / count >= APART;
}

/** Returns whether days are so close that a mean of seven days is drawn above them. */
export function isDense(lines: readonly DrawnLine[], { x }: LinesPlan, plane: Plane): boolean {
  return x.daily === true && plane.across / positionsOf(lines) < CLOSE;
}

/**
 * Returns the mean of each day and of the six days before it, so that no mean has later days. Null if one of the values
 * is missing or not complete.
 */
export function meanOfDays(line: DrawnLine): DrawnLine {
  let [sum, known] = [0, 0];
  const add = (point: LinePoint | undefined, sign: number) => {
    if (point === undefined || point.y === null || !point.complete) return;
    sum += sign * point.y;
    known += sign;
  };
  const points = line.points.map((point, at): LinePoint => {
    add(point, 1);
    add(line.points[at - MEAN], -1);
    // Sums of other magnitudes leave a rest.
    if (known === 0) sum = 0;
    return { x: point.x, complete: true, y: known === MEAN ? sum / MEAN : null };
  });
  return { ...line, points };
}

/**
 * Returns the lowest and the highest point of each column of pixels, if a line has more than two points in each, and
 * the first missing one.
 */
export function thinned<Each extends DrawnLine>(line: Each, { xOf, across }: Plane): Each {
  const { points } = line;
  if (points.length <= MOST_IN_PIXEL * across) return line;
  const kept: LinePoint[] = [];
  for (let start = 0; start < points.length;) {
    const column = Math.floor(xOf(points[start]!.x));
    let [low, high, gap] = [-1, -1, -1];
    let end = start;
    for (; end < points.length && Math.floor(xOf(points[end]!.x)) === column; end++) {
      const { y } = points[end]!;
      if (y === null) gap = gap < 0 ? end : gap;
      else {
        if (low < 0 || y < points[low]!.y!) low = end;
        if (high < 0 || y > points[high]!.y!) high = end;
      }
    }
    const places = [...new Set([low, high, gap])].filter((at) => at >= 0).sort((a, b) => a - b);
    for (const at of places) kept.push(points[at]!);
    start = end;
  }
  return { ...line, points: kept };
}

/** Returns whether {@linkcode thinned} leaves out points of a line. */
export function isThinned(lines: readonly DrawnLine[], { across }: Plane): boolean {
  return lines.some(({ points }) => points.length > MOST_IN_PIXEL * across);
}

/** Returns how often lines cross each other between positions that both have. */
export function crossings(lines: readonly DrawnLine[]): number {
  const known = lines.map(({ points }) =>
    new Map(points.flatMap(({ x, y, predicted = null }) => {
      const value = y ?? predicted;
      return value === null ? [] : [[x, value] as const];
    }))
  );
  let count = 0;
  known.forEach((one, at) =>
    known.slice(at + 1).forEach((other) => {
      let before = 0;
      for (const [x, value] of one) {
        const sign = Math.sign(value - (other.get(x) ?? value));
        if (sign === 0) continue;
        if (before !== 0 && sign !== before) count++;
        before = sign;
      }
    })
  );
  return count;
}
